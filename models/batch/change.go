package batch

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// tries is how often a change that met another one begins anew.
const tries = 5

// change locks a batch, lets do decide and counts anew. A request for a second person that is about something else now
// is withdrawn with it.
func (s *Service) change(ctx context.Context, who actor.Actor, id uuid.UUID, do func(*database.Tx,
	*Batch) error) (Batch, error) {
	var b Batch
	for range tries {
		watch, err := s.watch(ctx, who.MerchantID, id)
		if err != nil {
			return b, err
		}
		err = s.Store.InTx(ctx, func(tx *database.Tx) (err error) {
			if b, err = s.changeIn(tx, who, id, do); err != nil {
				return err
			}
			if err := watch(tx, who, b); err != nil {
				return err
			}
			return tx.Answered(b)
		})
		if !errors.Is(err, fault.ErrLost) {
			return b, err
		}
	}
	return b, fault.New(fault.Conflict, "conflict",
		"Another person changed this batch at the same time. Check it again.")
}

func (s *Service) watch(ctx context.Context, merchantID, id uuid.UUID) (Changed, error) {
	if s.Approvals == nil {
		return func(*database.Tx, actor.Actor, Batch) error { return nil }, nil
	}
	return s.Approvals(ctx, merchantID, id)
}

// edit changes rows of a checked batch. prepare reads and judges outside of the transaction; what it gives is written
// only when nothing changed meanwhile.
func (s *Service) edit(ctx context.Context, who actor.Actor, id uuid.UUID,
	prepare func(Batch) (func(*database.Tx, *Batch) error, error)) (Batch, error) {
	for range tries {
		seen, err := s.Store.Batch(ctx, who.MerchantID, id)
		if err != nil {
			return seen, err
		}
		if !seen.in(Checked) {
			return seen, wrongState(seen)
		}
		seen.Revision++
		write, err := prepare(seen)
		if err != nil {
			return seen, err
		}
		moved := false
		b, err := s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
			if moved = b.State != seen.State || b.Revision != seen.Revision-1; moved {
				return fault.New(fault.Conflict, "conflict", "This batch changed in the meantime.")
			}
			b.Revision, b.WarningsAccepted = seen.Revision, false
			b.touched(who)
			return write(tx, b)
		})
		if !moved {
			return b, err
		}
	}
	return Batch{}, fault.New(fault.Conflict, "conflict",
		"Another person changed this batch at the same time. Check it again.")
}

func (s *Service) changeIn(tx *database.Tx, who actor.Actor, id uuid.UUID, do func(*database.Tx,
	*Batch) error) (Batch, error) {
	b, err := Lock(tx, who.MerchantID, id)
	if err != nil {
		return b, err
	}
	if err := do(tx, &b); err != nil {
		return b, err
	}
	b.UpdatedAt = tx.Now()
	return b, save(tx, &b)
}
