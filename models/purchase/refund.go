package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/queue"
)

// RefundResult is the answer to a refund: the purchase, and the money given back.
type RefundResult struct {
	Record
	Refund Refund
}

// Refund records money as owed back. It stays pending until a person or the bank
// settles it; what was paid by hand is settled by hand, outside the bank. A refund of
// a debit that is not final waits until it is, and falls away when the debit comes
// back (API contract 12.31). Without an amount everything that is left is refunded.
func (s *Service) Refund(ctx context.Context, who actor.Actor, id uuid.UUID, cents *int64) (RefundResult, error) {
	var out RefundResult
	if err := who.May(actor.Refund); err != nil {
		return out, err
	}
	_, err := s.changeAs(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		amount, err := refundable(rec.Purchase, cents)
		if err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error {
			before := rec.Status
			out.Refund = s.giveBack(tx, rec, amount)
			rec.Move(rec.statusOfPayment(), tx.Now())
			if out.Refund.State == RefundSettled {
				if err := s.creditRefund(tx, who, rec, out.Refund); err != nil {
					return err
				}
			}
			text := fmt.Sprintf("%s is owed back to the client.", money.Format(amount, rec.Currency))
			if out.Refund.Waits(tx.Now()) && out.Refund.Channel == ByBank {
				text += " The refund waits until the bank can no longer return the debit. It is dropped if the debit is returned."
			}
			tx.Audit(who, audit.Entry{Action: "purchase.refund_requested", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text: text, Before: map[string]any{"status": before},
				After: map[string]any{"status": rec.Status, "amount_cents": amount}})
			return nil
		}, nil
	}, func(rec Record) any {
		out.Record = rec
		return out
	})
	return out, err
}

// giveBack makes the refund of an amount. The money of a purchase that was marked as
// paid goes back as it came, outside the bank, and is recorded as settled. Where the
// bank connection pays no refunds, a person pays this one and records it then.
func (s *Service) giveBack(tx *database.Tx, r *Record, amount int64) Refund {
	back := Refund{ID: tx.NewID(), MerchantID: r.MerchantID, PurchaseID: r.ID, Payment: r.PaymentCount,
		AmountCents: amount, Currency: r.Currency,
		State: RefundPending, Channel: ByBank, DueAt: tx.Now(), Reference: r.ReferenceGenerated, CreatedAt: tx.Now(),
		UpdatedAt: tx.Now()}
	if r.Payment.ByHand() {
		back.State, back.Channel, back.SettledAt = RefundSettled, ByPerson, tx.Now()
		insertRefund(tx, back)
		r.Book(tx, refundEntry(back))
		return back
	}
	if c := r.Collection; c != nil {
		back.CollectionID = c.ID
		if c.State == collection.Provisional {
			back.DueAt = c.FinalAt
		}
	}
	if s.Bank.NoRefunds() != "" {
		back.Channel = ByPerson
	}
	insertRefund(tx, back)
	tx.Enqueue(queue.RunDue{})
	r.RefundingCents += amount
	r.Refunds = append(r.Refunds[:len(r.Refunds):len(r.Refunds)], back)
	return back
}

func refundable(p Purchase, cents *int64) (int64, error) {
	if !p.Status.refundable() {
		return 0, fault.New(fault.Conflict, "purchase_refund_wrong_status",
			"Only a paid purchase can be refunded; this one is %s.", p.Status)
	}
	left := p.RefundableCents()
	switch {
	case left <= 0 && p.RefundingCents > 0:
		return 0, fault.New(fault.Conflict, "purchase_refund_not_possible",
			"Nothing is left to refund: what was not refunded already is on its way to the client.")
	case left <= 0:
		return 0, fault.New(fault.Conflict, "purchase_refund_not_possible", "This Purchase was already fully refunded.")
	case cents == nil && left <= money.MostCents:
		return left, nil
	case cents != nil && *cents < 1:
		return 0, fault.At("amount", "min_value", "Ensure this value is greater than or equal to 1.")
	case cents == nil || *cents > min(left, money.MostCents):
		return 0, fault.At("amount", "max_value", "Ensure this value is less than or equal to %d.",
			min(left, money.MostCents))
	}
	return *cents, nil
}

func refundEntry(r Refund) Entry {
	return Entry{RefundID: r.ID, CollectionID: r.CollectionID, Kind: GivenBack, AmountCents: -r.AmountCents}
}
