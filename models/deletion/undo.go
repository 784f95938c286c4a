package deletion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

// DeletionsWaiting lists what can still be undone, newest first.
func (s *Service) DeletionsWaiting(ctx context.Context, who actor.Actor) ([]Deletion, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.store().Waiting(ctx, who.MerchantID)
}

// Undo takes a deletion back with everything that was chosen: the stored accounts are
// what they were before, and what hangs on them goes on. What the bank said meanwhile
// counts all the same. Tokens of the answer are those that came back.
func (s *Service) Undo(ctx context.Context, who actor.Actor, id uuid.UUID) (Deletion, error) {
	d, err := s.mine(ctx, who, id)
	if err != nil {
		return d, err
	}
	return s.deleting(ctx, func(tx *database.Tx) (Deletion, error) {
		ctx := tx.Context()
		if d.State != DeletionWaiting || !d.Until.After(tx.Now()) {
			return d, tooLate()
		}
		d := d
		d.State, d.EndedAt = DeletionUndone, tx.Now()
		if won, err := end(tx, d, DeletionUndone); err != nil || !won {
			return d, cmp.Or(err, tooLate())
		}
		back := map[uuid.UUID]token.State{}
		for _, id := range d.IDs() {
			restored, err := s.restore(ctx, tx, who, d, id)
			if err != nil {
				return d, err
			}
			if restored {
				back[id] = d.Tokens[id]
			}
		}
		if len(back) == 0 { // its client was deleted
			return d, tooLate()
		}
		d.Tokens = back
		tx.Enqueue(queue.RunDue{})
		return d, nil
	})
}

func tooLate() error {
	return fault.New(fault.Conflict, "deletion_final", "This deletion can no longer be undone.")
}

// mine finds a deletion for somebody who may delete.
func (s *Service) mine(ctx context.Context, who actor.Actor, id uuid.UUID) (Deletion, error) {
	d, err := s.store().Deletion(ctx, who.MerchantID, id)
	if err != nil {
		return d, err
	}
	return d, who.May(actor.DeleteTokens)
}

func (s *Service) restore(ctx context.Context, tx *database.Tx, who actor.Actor, d Deletion, id uuid.UUID) (bool,
	error) {
	t, err := s.Purchases.Tokens().Token(ctx, d.MerchantID, id)
	if err != nil || t.State != token.Deleting {
		return false, err
	}
	t.State = d.Tokens[id]
	if t.State == token.Active && t.BlockedCode != "" { // the bank's answer came meanwhile
		t.State = token.Blocked
	}
	if won, err := token.Turn(tx, d.MerchantID, id, token.Deleting, t.State); err != nil || !won {
		return false, fault.LostUnless(err)
	}
	leaveToken(tx, d.MerchantID, id, false)
	tx.Audit(who, audit.Entry{Action: "token.restored", ObjectType: "token", ObjectID: id, ClientID: t.ClientID,
		PurchaseID: id,
		Text:       fmt.Sprintf("The deletion of the token %s was undone.", t.AccountMask),
		Before:     map[string]any{"state": token.Deleting}, After: d.told("state", t.State)})
	return true, s.Purchases.PlanMissed(ctx, tx, who, t)
}

// DeleteNow makes the deletion of one token final before its time is over. Others that
// are deleted with it can still be undone.
func (s *Service) DeleteNow(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID) (Deletion, error) {
	d, err := s.mine(ctx, who, id)
	if err != nil {
		return d, err
	}
	if _, named := d.Tokens[tokenID]; !named {
		return d, fault.Missing()
	}
	return s.deleting(ctx, func(tx *database.Tx) (Deletion, error) {
		ctx := tx.Context()
		over := fault.New(fault.Conflict, "deletion_over", "This deletion is over: it was undone, or it is complete.")
		if held, err := hold(tx, d); err != nil || !held {
			return d, cmp.Or(err, error(over))
		}
		left := 0
		for _, id := range d.IDs() {
			t, err := s.Purchases.Tokens().Token(ctx, d.MerchantID, id)
			switch {
			case err != nil:
				return d, err
			case id == tokenID && t.State != token.Deleting:
				return d, over
			case t.State != token.Deleting:
			case id != tokenID:
				left++
			default:
				if err := s.finishToken(ctx, tx, who, d, t); err != nil {
					return d, err
				}
			}
		}
		tx.Enqueue(queue.RunDue{}) // the bank is to hear of it
		if left > 0 {
			return d, nil
		}
		done := d
		done.State, done.EndedAt = DeletionDone, tx.Now()
		if won, err := end(tx, done, DeletionDone); err != nil || !won {
			return d, cmp.Or(err, error(over))
		}
		return done, nil
	})
}

// WaitingDeletion finds a deletion that can still be undone, for somebody who may end it.
func (s *Service) WaitingDeletion(ctx context.Context, who actor.Actor, id uuid.UUID) (Deletion, error) {
	d, err := s.mine(ctx, who, id)
	if err == nil && (d.State != DeletionWaiting || !d.Until.After(s.Purchases.Now())) {
		err = fault.New(fault.Conflict, "deletion_over", "This deletion is over: it was undone, or it is complete.")
	}
	return d, err
}

// ChosenImpact is what the deletion of one token does when it becomes final at a
// moment, with what was chosen.
func (s *Service) ChosenImpact(ctx context.Context, d Deletion, tokenID uuid.UUID, at time.Time) (Impact, error) {
	t, err := s.Purchases.Tokens().Token(ctx, d.MerchantID, tokenID)
	if err != nil {
		return Impact{}, err
	}
	i, err := s.impact(ctx, t, d.IDs(), at)
	i.settle(d.Choices)
	return i, err
}

// finishToken deletes a token for good, with what was chosen for what hangs on it.
func (s *Service) finishToken(ctx context.Context, tx *database.Tx, who actor.Actor, d Deletion, t token.Token) error {
	_, err := s.forget(ctx, tx, who, t, func(i *Impact) { i.settle(d.Choices) }, d.told())
	return err
}

// FinishDeletions makes final what nobody took back in time, for all merchants, and
// tells how many deletions it were. It may be repeated and ended at any moment.
func (s *Service) FinishDeletions(ctx context.Context) (n int, err error) {
	const atOnce = 20
	due, err := s.store().Due(ctx, atOnce)
	for _, d := range due {
		switch wrong := s.finishDeletion(ctx, d.asker(), d); {
		case wrong == nil:
			n++
		case !fault.Is(wrong, fault.Conflict): // another process or a person was quicker
			err = errors.Join(err, fmt.Errorf("finish deletion %s: %w", d.ID, wrong))
		}
	}
	return n, err
}

func (s *Service) finishDeletion(ctx context.Context, who actor.Actor, d Deletion) error {
	_, err := s.deleting(ctx, func(tx *database.Tx) (Deletion, error) {
		ctx := tx.Context()
		d := d
		d.State, d.EndedAt = DeletionDone, tx.Now()
		if won, err := end(tx, d, DeletionDone); err != nil || !won {
			return d, cmp.Or(err, error(fault.New(fault.Conflict, "deletion_over",
				"This deletion is over: it was undone, or it is complete.")))
		}
		for _, id := range d.IDs() {
			t, err := s.Purchases.Tokens().Token(ctx, d.MerchantID, id)
			if err != nil {
				return d, err
			}
			if t.State != token.Deleting {
				continue
			}
			if err := s.finishToken(ctx, tx, who, d, t); err != nil {
				return d, err
			}
		}
		tx.Enqueue(queue.RunDue{}) // the bank is to hear of it
		return d, nil
	})
	return err
}
