package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/queue"
)

// RefundResult is the answer to a refund: the purchase, and the money given back when
// that is settled already.
type RefundResult struct {
	Record
	Refund Refund
}

// Refund records money as owed back. It stays pending until a person or the bank
// settles it; what was paid by hand is settled by hand, outside the bank. Without
// an amount everything that is left is refunded.
func (s *Service) Refund(ctx context.Context, who actor.Actor, id uuid.UUID, cents *int64) (RefundResult, error) {
	var out RefundResult
	if err := who.May(actor.Refund); err != nil {
		return out, err
	}
	_, err := s.changeAs(ctx, who.MerchantID, id, func(rec Record) (func(Tx, *Record) error, error) {
		amount, err := refundable(rec.Purchase, cents)
		if err != nil {
			return nil, err
		}
		if err := s.noRefundWaits(ctx, rec.Purchase); err != nil {
			return nil, err
		}
		return func(tx Tx, rec *Record) error {
			out.Refund = Refund{ID: tx.NewID(), MerchantID: rec.MerchantID, PurchaseID: rec.ID, AmountCents: amount, Currency: rec.Currency,
				Channel: "bank", Reference: rec.ReferenceGenerated, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
			before := rec.Status
			if rec.MarkedAsPaid {
				out.Refund.Channel = "person"
				out.Refund.Settled, out.Refund.SettledAt = true, tx.Now()
				rec.RefundedCents += amount
				rec.move(Refunded, tx.Now())
			} else {
				rec.move(PendingRefund, tx.Now())
				tx.Enqueue(queue.RunDue{})
			}
			tx.InsertRefund(out.Refund)
			if out.Refund.Settled {
				tx.InsertEntry(refundEntry(rec.Purchase, out.Refund))
			}
			tx.Audit(who, audit.Entry{Action: "purchase.refund_requested", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text:   fmt.Sprintf("%s is owed back to the payer.", money.Format(amount, rec.Currency)),
				Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status, "amount_cents": amount}})
			return nil
		}, nil
	}, func(rec Record) any {
		out.Record = rec
		return out
	})
	return out, err
}

func refundable(p Purchase, cents *int64) (int64, error) {
	if p.Status != Paid && p.Status != Refunded {
		return 0, fault.New(fault.Conflict, "purchase_refund_wrong_status", "Only a paid purchase can be refunded; this one is %s.", p.Status)
	}
	left := p.RefundableCents()
	switch {
	case left <= 0:
		return 0, fault.New(fault.Conflict, "purchase_refund_not_possible", "This Purchase was already fully refunded.")
	case cents == nil:
		return left, nil
	case *cents < 1:
		return 0, fault.At("amount", "min_value", "Ensure this value is greater than or equal to 1.")
	case *cents > left:
		return 0, fault.At("amount", "max_value", "Ensure this value is less than or equal to %d.", left)
	}
	return *cents, nil
}

// noRefundWaits: a refund that the bank already has may outlive a dispute that was
// won; the next one waits for its end.
func (s *Service) noRefundWaits(ctx context.Context, p Purchase) error {
	_, err := s.Read.PendingRefund(ctx, p.MerchantID, p.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err == nil:
		return fault.New(fault.Conflict, "purchase_refund_wrong_status", "An earlier refund of this purchase is still on its way to the payer.")
	}
	return err
}

func refundEntry(p Purchase, r Refund) Entry {
	return Entry{PurchaseID: p.ID, RefundID: r.ID, MerchantID: p.MerchantID, Kind: GivenBack, AmountCents: -r.AmountCents, Currency: p.Currency}
}

// SettleRefund records that the payer has the money back, by hand. Once only.
func (s *Service) SettleRefund(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Refund); err != nil {
		return Record{}, err
	}
	r, err := s.Read.PendingRefund(ctx, who.MerchantID, id)
	if fault.Is(err, fault.NotFound) {
		return Record{}, fault.New(fault.Conflict, "purchase_refund_wrong_status", "No refund of this purchase is waiting.")
	}
	if err != nil {
		return Record{}, err
	}
	r.Channel = "person"
	return s.settle(ctx, who, r)
}

// RefundSettled records the bank's word that the payer has the money back.
func (s *Service) RefundSettled(ctx context.Context, r Refund) error {
	_, err := s.settle(ctx, actor.BankOf(r.MerchantID), r)
	return err
}

func (s *Service) settle(ctx context.Context, who actor.Actor, r Refund) (Record, error) {
	return s.change(ctx, r.MerchantID, r.PurchaseID, func(rec Record) (func(Tx, *Record) error, error) {
		return func(tx Tx, rec *Record) error {
			r.Settled, r.SettledAt, r.UpdatedAt = true, tx.Now(), tx.Now()
			won, err := tx.SettleRefund(r)
			if err != nil {
				return err
			}
			if !won {
				return fault.New(fault.Conflict, "purchase_refund_wrong_status", "This refund was settled already.")
			}
			before := rec.Status
			rec.RefundedCents += r.AmountCents
			if rec.Status == PendingRefund {
				rec.move(Refunded, tx.Now())
			}
			tx.InsertEntry(refundEntry(rec.Purchase, r))
			tx.Audit(who, audit.Entry{Action: "purchase.refunded", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text:   fmt.Sprintf("%s was paid back.", money.Format(r.AmountCents, r.Currency)),
				Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status, "refunded_cents": rec.RefundedCents}})
			return nil
		}, nil
	})
}
