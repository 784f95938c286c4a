package batch

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

// chargeSome plans debits for rows whose invoices were made without their debits, before both were made together. A
// debit that stands already is not planned again.
func (s *Service) chargeSome(ctx context.Context, b Batch) (int, error) {
	if b.Counts.Charges == 0 {
		return 0, nil
	}
	rows, err := s.Store.rows(ctx, b.MerchantID, b.ID,
		RowQuery{States: []RowState{Sent}, ChargeWanted: true, Limit: chargedAtOnce})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	for i := range rows {
		if err := s.charge(ctx, b, &rows[i]); err != nil {
			return 0, err
		}
	}
	return len(rows), s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := Lock(tx, b.MerchantID, b.ID)
		if err != nil {
			return err
		}
		if err := saveCharges(tx, b, rows); err != nil {
			return err
		}
		tx.Enqueue(queue.SendDueMails{}) // the invoices waited for their debits
		return save(tx, &b)
	})
}

func (s *Service) charge(ctx context.Context, b Batch, r *Row) error {
	live, err := token.Store(s.Store).TokensOfClients(ctx, b.MerchantID, []uuid.UUID{r.ClientID})
	if err != nil {
		return err
	}
	t, found := b.tokenFor(live[r.ClientID], "")
	if !found {
		r.Charge, r.Error = ChargeFailed, "Invoiced, but not charged: the client has no token that can be charged."
		return nil
	}
	_, err = s.Purchases.Charge(ctx, b.Starter, r.PurchaseID, t.ID)
	f, refused := fault.From(err)
	switch {
	case err == nil:
		r.Charge = ChargeDone
	case !refused || f.Kind == fault.Internal:
		return err
	default:
		rec, err := s.Purchases.Get(ctx, b.Starter, r.PurchaseID)
		if err != nil {
			return err
		}
		if r.Charge = ChargeDone; rec.TokenID == uuid.Nil { // else it was charged before this was written down
			r.Charge, r.Error = ChargeFailed, "Invoiced, but not charged: "+f.Words()
		}
	}
	return nil
}
