package batch

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Pause keeps a batch that is being sent from sending more.
func (s *Service) Pause(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.paused", "The batch was paused.", Paused, Running)
}

// Resume goes on with a batch that waits. A hold window that is open stays open, and the first few are still waited
// for.
func (s *Service) Resume(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.resumed", "The batch was resumed.", Running, Paused)
}

// Stop ends a batch: what was sent stays sent, the rest is left.
func (s *Service) Stop(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.stopped", "The batch was stopped.", Stopped, Running, Paused)
}

// Void cancels what was sent and is not paid: credit notes go out. What is paid meanwhile stays.
func (s *Service) Void(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.voided", "The unpaid invoices of the batch are being voided.", Voiding, Paused,
		Stopped, Done)
}

// stoppedBefore is why a debit was not planned; it can still be charged by hand.
const stoppedBefore = "Invoiced, but not charged: the batch was stopped before that."

func (s *Service) turn(ctx context.Context, who actor.Actor, id uuid.UUID, action, text string, to State,
	from ...State) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	return s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
		if !b.in(from...) || !b.Started() {
			return wrongState(*b)
		}
		if to == Running {
			if err := who.Sends(b.Counts.AllCents()); err != nil {
				return err
			}
		}
		before := b.State
		b.State, b.Note = to, ""
		switch to {
		case Running:
			b.pace(tx.Now())
			forWorkers(tx, *b)
		case Voiding:
			b.Cursor, b.Starter = 0, who
			dropCharges(tx, *b, stoppedBefore)
			forWorkers(tx, *b)
		case Stopped:
			b.EndedAt = tx.Now()
			dropCharges(tx, *b, stoppedBefore)
		default:
		}
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "batch", ObjectID: b.ID, Text: text,
			Before: map[string]any{"state": before}, After: map[string]any{"state": b.State, "sent": b.Counts.Sent,
				"left": b.Counts.Left()}})
		return nil
	})
}

// pace notes from when on it is measured how fast rows are sent.
func (b *Batch) pace(now time.Time) { b.PacedAt, b.PacedSent = now, b.Counts.Sent+b.Counts.Voided }

// reopen takes the rows that failed, and those that were left out because of their problems. A good row that a person
// left out stays out: who took a double out must not send it after all.
func reopen(tx *database.Tx, b Batch) (int, error) {
	n, err := moveRows(tx, b, []RowState{Failed}, Fresh, "", nil)
	if err != nil {
		return 0, err
	}
	var numbered []int
	for after := 0; ; {
		rows, err := rowsIn(tx, b, []RowState{Skipped}, after, checkedAtOnce)
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 {
			break
		}
		for after = rows[len(rows)-1].N; len(rows) > 0; rows = rows[1:] {
			if len(rows[0].Problems) > 0 {
				numbered = append(numbered, rows[0].N)
			}
		}
	}
	if len(numbered) == 0 {
		return n, nil
	}
	more, err := moveRows(tx, b, []RowState{Skipped}, Fresh, "", numbered)
	return n + more, err
}

// Repair opens rows that failed or had problems for the next try; what was sent stays as it is.
func (s *Service) Repair(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	b, err := s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
		if !b.in(Done, Stopped, Paused) {
			return wrongState(*b)
		}
		b.touched(who)
		n, err := reopen(tx, *b)
		if err != nil {
			return err
		}
		if n == 0 && b.Counts.Left() == 0 {
			return fault.New(fault.Conflict, "nothing_to_repair", "No row failed or was left out.")
		}
		tx.Audit(who, audit.Entry{Action: "batch.repaired", ObjectType: "batch", ObjectID: b.ID,
			Text: plural.Of(n, "row") + " " + plural.Was(n) + " opened again.", After: map[string]any{"rows": n}})
		b.EndedAt = time.Time{}
		return recheck(tx, b)
	})
	return s.checked(ctx, b, err)
}
