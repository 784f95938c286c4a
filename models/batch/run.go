package batch

import (
	"context"
	"errors"
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/queue"
)

const (
	sentAtOnce    = 500 // rows of one transaction
	chargedAtOnce = 50
)

// sendSome sends the next rows. When they cannot be sent together, each is tried alone, so that none stops the others.
func (s *Service) sendSome(ctx context.Context, b Batch) (more bool, err error) {
	if b.Held(s.Now()) {
		return false, nil
	}
	limit := min(sentAtOnce, b.Counts.Ready)
	if b.PauseAfter > 0 {
		limit = min(limit, b.PauseAfter-b.Counts.Sent-b.Counts.Voided)
	}
	if limit > 0 {
		n, err := s.sendRows(ctx, b, limit)
		if err != nil && ctx.Err() == nil && !errors.Is(err, fault.ErrLost) {
			n, err = s.oneByOne(ctx, b, limit)
		}
		if err != nil || n > 0 {
			return true, err
		}
	}
	if n, err := s.chargeSome(ctx, b); err != nil || n > 0 {
		return true, err
	}
	return s.settle(ctx, b)
}

// sendRows makes clients, purchases, invoices and mails of the next ready rows, all in one transaction, and tells how
// many rows it took. Numbers follow the order of the file. Each row is looked at once more before: what would be
// something else than what was reviewed is not sent.
func (s *Service) sendRows(ctx context.Context, seen Batch, limit int) (taken int, err error) {
	next, err := s.prepare(ctx, seen, limit)
	if err != nil || len(next) == 0 {
		return 0, err
	}
	first, err := s.Store.TakeNumbers(ctx, seen.BrandID, "purchase", len(next))
	if err != nil {
		return 0, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		taken = 0
		b, err := Lock(tx, seen.MerchantID, seen.ID)
		if err != nil || b.State != Running {
			return err
		}
		limit := len(next)
		if b.PauseAfter > 0 {
			limit = min(limit, b.PauseAfter-b.Counts.Sent-b.Counts.Voided)
		}
		rows, err := rowsIn(tx, b, []RowState{Ready}, 0, max(limit, 0))
		if err != nil || len(rows) == 0 {
			return err
		}
		for i, r := range rows {
			if r.N != next[i].seen.N || r.Revision != next[i].seen.Revision {
				return fault.ErrLost // somebody else sent or left out some of them
			}
		}
		taken = len(rows)
		if err := s.issue(tx, b, rows, next, first); err != nil {
			return err
		}
		if err := saveRows(tx, b, rows, false); err != nil {
			return err
		}
		tx.Enqueue(queue.SendDueMails{})
		return save(tx, &b)
	})
	return taken, err
}

// tooMany rows in a row that could not be made are no matter of those rows: somebody should look before more fail.
const tooMany = 5

// oneByOne sends as many rows as could not be sent together.
func (s *Service) oneByOne(ctx context.Context, b Batch, rows int) (taken int, err error) {
	failures := 0
	for range rows {
		n, failed, err := s.sendAlone(ctx, b)
		if err != nil || n == 0 {
			return taken, err
		}
		taken++
		if failures++; !failed {
			failures = 0
		}
		if failures == tooMany {
			return taken,
				s.wait(ctx, b,
					"Rows keep failing because of a problem on our side. Check the failed rows, then resume or stop the batch.")
		}
	}
	return taken, nil
}

// wait pauses a batch by itself.
func (s *Service) wait(ctx context.Context, seen Batch, why string) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := Lock(tx, seen.MerchantID, seen.ID)
		if err != nil || b.State != Running {
			return err
		}
		b.State, b.Note, b.UpdatedAt = Paused, why, tx.Now()
		tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.paused", ObjectType: "batch", ObjectID: b.ID,
			Text: why})
		return save(tx, &b)
	})
}

// sendAlone sends the next ready row. When even that fails, the row is the reason and says so.
func (s *Service) sendAlone(ctx context.Context, b Batch) (n int, failed bool, err error) {
	rows, err := s.Store.rows(ctx, b.MerchantID, b.ID, RowQuery{States: []RowState{Ready}, Limit: 1})
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	next := rows[0]
	n, why := s.sendRows(ctx, b, 1)
	if why == nil || ctx.Err() != nil || errors.Is(why, fault.ErrLost) {
		return n, false, why
	}
	if s.Failed != nil {
		s.Failed(ctx, Ref{b.MerchantID, b.ID}, next.N, why)
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := Lock(tx, b.MerchantID, b.ID)
		if err != nil {
			return err
		}
		if _, err := moveRows(tx, b, []RowState{Ready}, Failed, reason(why), []int{next.N}); err != nil {
			return err
		}
		return save(tx, &b)
	})
	return 1, true, err
}

// reason is what a person reads about a row that could not be made.
func reason(err error) string {
	if f, ok := fault.From(err); ok && f.Kind != fault.Internal {
		return f.Words()
	}
	return "The invoice could not be created because of a problem on our side. Try again with Fix rows; " +
		"if it fails again, tell us the batch and the row."
}

// settle ends a batch that has nothing left to send, or lets it wait for a person.
func (s *Service) settle(ctx context.Context, seen Batch) (more bool, err error) {
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		more = false
		b, err := Lock(tx, seen.MerchantID, seen.ID)
		if err != nil || b.State != Running {
			return err
		}
		if err := save(tx, &b); err != nil { // count anew before deciding
			return err
		}
		sent := b.Counts.Sent + b.Counts.Voided
		switch {
		case b.Counts.Ready > 0 && b.PauseAfter > 0 && sent >= b.PauseAfter:
			b.State, b.PauseAfter, b.Note = Paused, 0, "The first invoices are sent. Look at them, then resume the batch."
			tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.paused", ObjectType: "batch", ObjectID: b.ID,
				Text: "The first invoices were sent; the batch is waiting to be resumed."})
		case b.Counts.Ready > 0 || b.Counts.Charges > 0:
			more = true
			return nil
		default:
			return s.finish(tx, &b)
		}
		b.UpdatedAt = tx.Now()
		return save(tx, &b)
	})
	return more, err
}

func (s *Service) finish(tx *database.Tx, b *Batch) error {
	if !b.Counts.AddUp(b.Rows) {
		return fmt.Errorf("batch %s: its rows do not add up to the %d that were read: %+v", b.ID, b.Rows, b.Counts)
	}
	b.State, b.EndedAt, b.UpdatedAt = Done, tx.Now(), tx.Now()
	c := b.Counts
	tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.done", ObjectType: "batch", ObjectID: b.ID,
		Text: fmt.Sprintf("%s read: %d sent, %d left out, %d failed.", plural.Of(b.Rows, "row"), c.Sent+c.Voided,
			c.Skipped, c.Failed),
		After: map[string]any{"rows": b.Rows, "sent": c.Sent, "voided": c.Voided, "skipped": c.Skipped, "failed": c.Failed}})
	return save(tx, b)
}
