package batch

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// Voidable is what voiding a batch takes back.
type Voidable struct {
	Invoices int
	Cents    int64
	Mails    int // credit notes that are mailed
}

// Voidable tells what voiding would take back now: every purchase that can still be cancelled.
func (s *Service) Voidable(ctx context.Context, who actor.Actor, b Batch) (Voidable, error) {
	if err := who.May(actor.Bill); err != nil {
		return Voidable{}, err
	}
	var open []purchase.Status
	for _, status := range purchase.Statuses {
		if purchase.CanMove(status, purchase.Cancelled) {
			open = append(open, status)
		}
	}
	return s.Store.voidable(ctx, b.MerchantID, b.ID, open, s.Purchases.Bank.NoRecall() == "")
}

// voidSome cancels the next purchases that are not paid.
func (s *Service) voidSome(ctx context.Context, seen Batch) (more bool, err error) {
	rows, err := s.takeUp(ctx, seen,
		RowQuery{States: []RowState{Sent}, After: seen.Cursor, Limit: chargedAtOnce})
	if err != nil {
		return false, err
	}
	for i := range rows {
		if err := s.void(ctx, seen, &rows[i]); err != nil {
			return false, err
		}
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := Lock(tx, seen.MerchantID, seen.ID)
		if err != nil || b.State != Voiding || b.Cursor != seen.Cursor {
			return err
		}
		if len(rows) == 0 {
			b.State, b.EndedAt = Done, tx.Now()
			if b.Counts.Left() > 0 {
				b.State = Stopped
			}
		} else {
			more, b.Cursor = true, rows[len(rows)-1].N
		}
		if err := saveRows(tx, b, rows, false); err != nil {
			return err
		}
		b.UpdatedAt = tx.Now()
		return save(tx, &b)
	})
	return more, err
}

func (s *Service) void(ctx context.Context, b Batch, r *Row) error {
	_, err := s.Purchases.Cancel(ctx, b.Starter, r.PurchaseID)
	f, refused := fault.From(err)
	switch {
	case err == nil:
		r.State, r.Error = Voided, ""
	case !refused || f.Kind == fault.Internal:
		return err
	default:
		rec, err := s.Purchases.Get(ctx, b.Starter, r.PurchaseID)
		if err != nil {
			return err
		}
		if r.State, r.Error = Voided,
			""; rec.Status != purchase.Cancelled { // else it was cancelled before this was written down
			r.State, r.Error = Sent, "Not voided: "+f.Words()
		}
	}
	return nil
}
