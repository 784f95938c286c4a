package debit

import (
	"context"
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// start turns pending_charge into pending_execute when the due date is reached
// (source: states; 00:00 SAST).
func (s *Service) start(ctx context.Context, done *Done) error {
	return s.inLanes(done, func(done *Done) (n int, err error) {
		err = s.InTx(ctx, func(tx *database.Tx) error {
			moved, err := executeDue(tx, s.chunk())
			n = len(moved)
			for _, p := range moved {
				text := "The due date has come."
				if p.Collection != nil {
					text += " The account is debited on " + p.Collection.ActionDate.Format("2 Jan 2006") + "."
					done.touch(p.Collection.ID)
				}
				tx.Audit(actor.SystemOf(p.MerchantID), audit.Entry{Action: "purchase.pending_execute", ObjectType: "purchase",
					ObjectID: p.ID, ClientID: p.ClientID, PurchaseID: p.ID, Text: text,
					Before: map[string]any{"status": purchase.PendingCharge}, After: map[string]any{"status": p.Status}})
			}
			return err
		})
		done.Started += n
		return n, wrap("start purchases", err)
	})
}

// close makes a provisional success final when its return window has closed.
func (s *Service) close(ctx context.Context, done *Done) error {
	return s.inLanes(done, func(done *Done) (n int, err error) {
		err = s.InTx(ctx, func(tx *database.Tx) error {
			closed, err := closeDue(tx, s.chunk())
			n = len(closed)
			for _, c := range closed {
				done.touch(c.ID)
				note(tx, actor.SystemOf(c.MerchantID), c, "collection.settled", "%s", settledWords(c))
			}
			return err
		})
		done.Closed += n
		return n, wrap("close collections", err)
	})
}

// settledWords tells the two facts apart: what the bank can return, and what the client can dispute.
func settledWords(c collection.Collection) string {
	return "The return window has closed: the bank can no longer return the debit." + disputeWords(c)
}

// disputeWords says until when the client may dispute a debit; nothing where that is not possible.
func disputeWords(c collection.Collection) string {
	last, may := c.DisputableUntil()
	if !may {
		return ""
	}
	return " The client may dispute it until " + last.Format("2 Jan 2006") + "."
}

// alert calls for a person when the bank keeps silent about a collection.
func (s *Service) alert(ctx context.Context, done *Done) error {
	return sweep(func() (n int, err error) {
		err = s.InTx(ctx, func(tx *database.Tx) error {
			silent, err := alertDue(tx, s.chunk())
			n = len(silent)
			for _, c := range silent {
				done.touch(c.ID)
				note(tx, actor.SystemOf(c.MerchantID), c, "collection.silent",
					"The bank has not answered %d business days after the action date. Ask the bank about this debit.",
					s.Timetable.AlertDays)
			}
			return err
		})
		done.Alerted += n
		return n, wrap("alert about collections", err)
	})
}

// passDue turns purchases whose due has passed to overdue or expired.
func (s *Service) passDue(ctx context.Context, done *Done) error {
	return sweep(func() (n int, err error) {
		err = s.InTx(ctx, func(tx *database.Tx) error {
			passing, err := holdPassing(tx, s.chunk())
			n = len(passing)
			for _, p := range passing {
				pass(tx, p)
			}
			return err
		})
		done.Passed += n
		return n, wrap("pass due dates", err)
	})
}

func pass(tx *database.Tx, p purchase.Purchase) {
	from := p.Status
	if p.PassDue(tx, tx.Now()) {
		p.UpdatedAt = tx.Now()
		purchase.Save(tx, p, from)
	}
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
