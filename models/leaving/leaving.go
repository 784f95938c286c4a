// Package leaving knows what a merchant owns here, and writes all of it into one ZIP that other programs read: tables
// as CSV, evidence as files, and a manifest that says what each column means and proves that nothing is missing. It
// must not know where the file goes.
package leaving

import (
	"context"
	"io"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Service takes books out.
type Service struct {
	Store   Store
	Release string // of the program, for the manifest
}

// Wish is what of a book is wanted.
type Wish struct {
	// Numbers wants account and identity numbers in full; else they are masked.
	Numbers bool `json:"numbers,omitempty"`
}

// May is nil for who may take the book: it holds everything, so it takes who manages the business, and numbers in full
// take who may see each of them.
func (w Wish) May(who actor.Actor) error {
	if err := who.May(actor.Manage); err != nil || !w.Numbers {
		return err
	}
	return who.May(actor.Reveal)
}

// In words.
func (w Wish) String() string {
	if w.Numbers {
		return "with full account and identity numbers"
	}
	return "with account and identity numbers masked"
}

// Entry is what the audit keeps of a book that is taken.
func (w Wish) Entry(who actor.Actor) audit.Entry {
	return audit.Entry{Action: "book.exported", ObjectType: "merchant", ObjectID: who.MerchantID,
		Text:  "Everything that the business owns was exported, " + w.String() + ".",
		After: map[string]any{"numbers": w.Numbers}}
}

// Note keeps in the audit that a book is taken, before the first byte leaves.
func (s *Service) Note(ctx context.Context, who actor.Actor, w Wish) error {
	if err := w.May(who); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, w.Entry(who))
		return nil
	})
}

// Begin opens the book as it is at this moment: what changes while it is written is not in it. Close it.
func (s *Service) Begin(ctx context.Context, who actor.Actor, w Wish, to io.Writer) (*Book, error) {
	if err := w.May(who); err != nil {
		return nil, err
	}
	now := s.Store.Now()
	shot, err := s.Store.snapshot(ctx, who.MerchantID, w.Numbers)
	if err != nil {
		return nil, err
	}
	b := newBook(shot, to, Manifest{Business: shot.name, Merchant: shot.slug, Release: s.Release,
		MadeAt: now.UTC().Truncate(time.Second), Day: calendar.DateOf(now).String(), Numbers: masked})
	if w.Numbers {
		b.manifest.Numbers = full
	}
	return b, nil
}
