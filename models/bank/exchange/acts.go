package exchange

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
)

// MostImported is how large a file from the bank is that a person imports, in bytes.
const MostImported = 20 << 20

// CutNow makes messages of everything that waits for one merchant, whatever the time of the next cut is.
func (s *Service) CutNow(ctx context.Context, who actor.Actor) (ids []string, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return nil, err
	}
	ids, err = s.cut(ctx, who.MerchantID, farAhead(s.Now()), who, nil)
	if err == nil && len(ids) == 0 {
		return nil, fault.New(fault.Conflict, "nothing_waits", "Nothing is waiting for the bank.")
	}
	return ids, err
}

// farAhead is later than any cut.
func farAhead(now time.Time) time.Time { return now.AddDate(1, 0, 0) }

// Import takes a file from the bank that a person brings. The same bytes again give the document that is there.
func (s *Service) Import(ctx context.Context, who actor.Actor, name string, content []byte) (d Document, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return d, err
	}
	switch {
	case len(content) == 0:
		return d, fault.At("file", "required", "Choose a file from your bank.")
	case len(content) > MostImported:
		return d, fault.At("file", "too_large", "A file from the bank may have up to %d MB.", MostImported>>20)
	}
	packed, err := Pack(content)
	if err != nil {
		return d, err
	}
	hash := sha256.Sum256(content)
	err = s.Store.inTx(ctx, func(tx unit) error {
		var fresh bool
		d, fresh, err = tx.openDocument(Document{ID: tx.NewID(), MerchantID: who.MerchantID, FileName: cleanName(name),
			SHA256: hash[:], Size: int64(len(content)), State: DocumentOpen, BroughtBy: who.Name, ArrivedAt: tx.Now()}, packed)
		if d.Again = !fresh; err != nil || !fresh {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "bank.document_imported", ObjectType: "bank_document", ObjectID: d.ID,
			Text:  fmt.Sprintf("The file %s from the bank was imported.", d.FileName),
			After: map[string]any{"size": d.Size, "sha256": fmt.Sprintf("%x", d.SHA256)}})
		return nil
	})
	if err != nil || d.State != DocumentOpen {
		return d, err
	}
	return s.read(ctx, d, func() (io.ReadCloser, error) { return unpack(packed) })
}

// cleanName keeps what a file name may show.
func cleanName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._- ", r) {
			return r
		}
		return '_'
	}, name)
	return clean[:min(len(clean), 120)]
}

func messageEntry(action string, m Message, format string, args ...any) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "bank_message", ObjectID: m.UUID(), Text: fmt.Sprintf(format, args...),
		After: map[string]any{"message": m.ID, "state": m.State, "count": m.Count, "sum_cents": m.SumCents}}
}

// MarkTaken says that a person has brought a message to the bank by hand.
func (s *Service) MarkTaken(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if m.State != Placed {
			return fault.New(fault.Conflict, "not_placed", "This file is not waiting to be taken to the bank.")
		}
		s.taken(&m, tx.Now())
		tx.Audit(who, messageEntry("bank.message_taken", m, "The file %s was taken to the bank by hand.", m.FileName))
		return tx.saveMessage(m)
	})
	return m, err
}

// PlaceAgain lays out a message that the bank never acknowledged once more: the same bytes under the same name, so that
// the bank, if it has it after all, refuses the second as a duplicate.
func (s *Service) PlaceAgain(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	if m, _, err = s.Store.Message(ctx, who.MerchantID, id); err != nil {
		return m, err
	}
	if err := unacknowledged(m); err != nil {
		return m, err
	}
	if err := s.Box.PutAside(ctx, m.FileName, m.SHA256); err != nil { // first, or it would count as laid out already
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if err := unacknowledged(m); err != nil {
			return err
		}
		m.State, m.PlacedAt, m.TakenAt, m.AckDueAt = Made, time.Time{}, time.Time{}, time.Time{}
		tx.Audit(who, messageEntry("bank.message_placed_again", m, "The file %s was laid out for the bank again, unchanged.",
			m.FileName))
		if err := tx.settleFindings(NotAcknowledged, m.ID, who.Name, "The same file was laid out again."); err != nil {
			return err
		}
		return tx.saveMessage(m)
	})
	return m, err
}

// Confirm says that the bank has a message, as a person learnt from it: what the bank told of it did not agree with
// what we wrote, or nothing came.
func (s *Service) Confirm(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if unacknowledged(m) != nil {
			return fault.New(fault.Conflict, "acknowledged", "Only a file that was taken, and that the bank has not "+
				"acknowledged, can be marked as received.")
		}
		m.acknowledged(tx.Now())
		tx.Audit(who, messageEntry("bank.message_confirmed", m, "The bank has the file %s, as %s learnt from it.", m.FileName,
			who.Name))
		if err := tx.settleFindings(NotAcknowledged, m.ID, who.Name, "The bank has the file."); err != nil {
			return err
		}
		tx.settleOfMessage(Differs, m.ID, who.Name, "The bank has all of the file.")
		return tx.saveMessage(m)
	})
	return m, err
}

func unacknowledged(m Message) error {
	if m.State != Taken || m.Acknowledged() {
		return fault.New(fault.Conflict, "acknowledged",
			"Only a file that the bank has not acknowledged can be laid out again.")
	}
	return nil
}

// SendAgain puts the items of a refused message, or of its refused groups, into a new message under new numbers. It
// can be done once: the items are in the new message then.
func (s *Service) SendAgain(ctx context.Context, who actor.Actor, id string) (next Message, err error) {
	return s.decide(
		ctx,
		who,
		id,
		"bank.message_sent_again",
		Replaced,
		func(tx unit, m Message, items []Item) (string, error) {
			cut := tx.Now()
			for n := range items {
				items[n].State, items[n].MessageID, items[n].GroupID, items[n].CutAt = ItemWaiting, "", "", cut
			}
			return fmt.Sprintf("%s of the refused file %s are sent again with the next file.", contents(m), m.FileName),
				tx.saveItems(items)
		},
	)
}
