package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
)

// reading is one document as it is read.
type reading struct {
	s        *Service
	document Document
	events   []Event
	seen     int
	count    int
	sumCents int64
	of       map[uuid.UUID]Tally
	alike    map[alike]int
	nth      map[string]int
	closed   []closedDays
	movements
}

// apply records a chunk of events.
func (r *reading) apply(ctx context.Context) error {
	err := r.record(ctx, r.events)
	r.events = r.events[:0]
	return err
}

// record records events in one transaction. Where one of them cannot be stored because of what it says, the others are
// recorded without it, and it is set aside: one entry never costs its file.
func (r *reading) record(ctx context.Context, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	var c change
	err := r.s.Store.inTx(ctx, func(tx unit) error {
		c = change{s: r.s, document: r.document, tx: tx, tallies: map[uuid.UUID]Tally{}, alike: maps.Clone(r.alike),
			nth: maps.Clone(r.nth), movements: r.movements}
		return c.take(events)
	})
	switch {
	case err != nil && !unstorable(err):
		return err
	case err != nil && len(events) == 1:
		return r.setAside(ctx, events[0])
	case err != nil:
		half := len(events) / 2
		return errors.Join(r.record(ctx, events[:half]), r.record(ctx, events[half:]))
	}
	for id, t := range c.tallies {
		sum := r.of[id]
		r.of[id] = Tally{sum.Count + t.Count, sum.SumCents + t.SumCents}
		r.count, r.sumCents = r.count+t.Count, r.sumCents+t.SumCents
	}
	r.seen += len(events)
	r.alike, r.nth, r.movements = c.alike, c.nth, c.movements
	r.closed = append(r.closed, c.closed...)
	return nil
}

// setAside asks a person about a part of a document that cannot be stored. Until it is settled, silence says nothing of
// whom it may be about.
func (r *reading) setAside(ctx context.Context, e Event) error {
	return r.s.Store.inTx(ctx, func(tx unit) error {
		c := change{s: r.s, document: r.document, tx: tx, accounts: map[bank.AccountNumber]uuid.UUID{}}
		if err := c.onOurAccount(&e); err != nil {
			return err
		}
		of, err := c.merchantOf(e)
		if err != nil {
			return err
		}
		d := r.document
		if of != uuid.Nil {
			d.MerchantID = of
		}
		return tx.askEach(d, Finding{Kind: NotStored, Subject: d.ID.String() + ":" + e.Path, ArrivalID: d.ID,
			Text: fmt.Sprintf("The part %s of the file %s could not be recorded; the rest of the file was. Try again, or leave "+
				"it and note what it said.", e.Path, d.FileName)})
	})
}

// askAboutUnread asks about a document that could not be read.
func (t unit) askAboutUnread(d Document) error {
	return t.askEach(d, Finding{Kind: Unreadables, Subject: d.ID.String(), ArrivalID: d.ID,
		Text: "The file " + d.FileName + " from the bank could not be read: " + d.Why})
}

// askEach opens a finding for the business whose document it is. What the bank left for all may be about any that waits
// for an answer: each is asked, and decides for itself.
func (t unit) askEach(d Document, f Finding) error {
	if f.MerchantID = d.MerchantID; f.MerchantID != uuid.Nil {
		return t.openFindings([]Finding{f})
	}
	merchants, err := t.waiting()
	if err != nil {
		return err
	}
	if len(merchants) == 0 {
		return t.openFindings([]Finding{f})
	}
	var findings []Finding
	for _, id := range merchants {
		of := f
		of.MerchantID, of.Subject = id, f.Subject+":"+id.String()
		findings = append(findings, of)
	}
	return t.openFindings(findings)
}

// TryAgain reads a document once more that could not be read, or not all of it, as after an update of the product or of
// the bank's profile. What it recorded before changes nothing.
func (s *Service) TryAgain(ctx context.Context, who actor.Actor, findingID uuid.UUID) (d Document, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return d, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		f, err := tx.holdFinding(who.MerchantID, findingID)
		switch {
		case err != nil:
			return err
		case !f.ClosedAt.IsZero():
			return fault.New(fault.Conflict, "settled", "%s has settled this already.", f.ClosedBy)
		case !f.Kind.Retries() || f.ArrivalID == uuid.Nil:
			return fault.New(fault.Conflict, "not_a_file", "This is not about a file that could not be read.")
		}
		if d, err = tx.holdDocument(f.ArrivalID); err != nil {
			return err
		}
		if err := tx.reopenDocument(d.ID, tx.Now()); err != nil {
			return err
		}
		tx.settleOfDocument(d.ID, who.Name, "It is read once more.")
		tx.Audit(who, audit.Entry{Action: "bank.file_read_again", ObjectType: "bank_file", ObjectID: d.ID,
			Text:   "The file " + d.FileName + " from the bank is read once more.",
			Before: map[string]any{"state": string(d.State), "why": d.Why}})
		if d.MerchantID != uuid.Nil {
			return nil // its bytes are with us
		}
		return s.Box.BringBack(Found{Name: d.FileName, Size: d.Size, SHA256: d.SHA256})
	})
	return d, err
}

// Retries tells that a finding is about a document that can be read once more.
func (k FindingKind) Retries() bool { return k == Unreadables || k == NotStored }
