// Package allocation books money that clients paid by EFT: of a movement on the bank account, on the purchases that it
// pays. The movement and the purchases change in one transaction.
package allocation

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// Service holds the use cases.
type Service struct {
	Store     Store
	Purchases *purchase.Service
	Movements *exchange.Service
	// Alone refuses a person who may not change alone what directs money.
	Alone func(ctx context.Context, who actor.Actor) error
}

// Payment is what a movement paid of a purchase.
type Payment struct {
	ID, MerchantID    uuid.UUID
	EntryID           uuid.UUID // the movement
	PurchaseID        uuid.UUID
	AmountCents       int64
	Currency          string
	ByName            string
	ByRule            bool // no person booked it
	CreatedAt         time.Time
	UndoneBy          string
	UndoneAt          time.Time // zero: it stands
	Reference, Client string    `gorm:"-"` // of the purchase
}

// Part is how much of a movement a purchase gets.
type Part struct {
	PurchaseID uuid.UUID
	Cents      int64
}

// mostParts is how many purchases are paid at once (ours).
const mostParts = 50

// Pay books money of a movement on purchases, as paid by transfer on the day on which the bank booked it. seen is what
// of the movement was booked before, as the person saw it: of two who decide at once, one is told.
func (s *Service) Pay(ctx context.Context, who actor.Actor, entryID uuid.UUID, parts []Part,
	seen int64) (n exchange.Entry, err error) {
	for _, act := range []actor.Action{actor.Exchange, actor.Write} {
		if err := who.May(act); err != nil {
			return n, err
		}
	}
	line, err := s.Movements.Movement(ctx, who, entryID)
	if err != nil {
		return n, err
	}
	sum, err := checkParts(line.Entry, parts)
	if err != nil {
		return n, err
	}
	err = fault.Again(purchase.Tries, busy, func() error {
		recs := make([]purchase.Record, len(parts))
		for i, p := range parts {
			var err error
			if recs[i], err = s.Purchases.Load(ctx, who.MerchantID, p.PurchaseID); err != nil {
				return err
			}
		}
		return s.Purchases.InTx(ctx, func(tx *database.Tx) error {
			if n, err = s.Movements.Store.Pay(tx, who, entryID, sum, seen); err != nil {
				return err
			}
			for i, p := range parts {
				if err := s.book(tx, who, n, recs[i], p.Cents); err != nil {
					return err
				}
			}
			return tx.Answered(n)
		})
	})
	return n, err
}

// checkParts adds up the parts. They are in the order in which all transactions take purchases.
func checkParts(n exchange.Entry, parts []Part) (sum int64, err error) {
	switch {
	case len(parts) == 0:
		return 0, fault.At("amount", "required", "Enter an amount beside each purchase that this money pays.")
	case len(parts) > mostParts:
		return 0, fault.At("amount", "max_items", "Choose at most %d purchases at once.", mostParts)
	}
	slices.SortFunc(parts, func(a, b Part) int { return bytes.Compare(a.PurchaseID[:], b.PurchaseID[:]) })
	for i, p := range parts {
		if i > 0 && p.PurchaseID == parts[i-1].PurchaseID {
			return 0, fault.At("amount", "twice", "A purchase is chosen twice.")
		}
		if p.Cents < 1 || p.Cents > n.AmountCents {
			return 0, fault.At(p.PurchaseID.String(), "max_value", "Enter an amount between %s and %s, which came in.",
				money.Format(1, n.Currency), money.Format(n.AmountCents, n.Currency))
		}
		sum = money.Plus(sum, p.Cents)
	}
	return sum, nil
}

// book pays one purchase.
func (s *Service) book(tx *database.Tx, who actor.Actor, n exchange.Entry, rec purchase.Record, cents int64) error {
	at := rec.ID.String()
	if rec.Currency != n.Currency {
		return fault.At(at, "currency", "The movement is in %s and purchase %s in %s.", n.Currency, rec.Called(),
			rec.Currency)
	}
	paidOn := n.PaidAt(tx.Now())
	in := purchase.HandPayment{PaidOn: &paidOn, Method: purchase.ByTransfer, Reference: bankReference(n), Cents: &cents,
		MovementID: n.ID}
	if err := s.Purchases.MayPay(rec, in); err != nil {
		refused, known := fault.From(err)
		if !known {
			return err
		}
		why := refused.Message
		if len(refused.Fields) > 0 {
			why = refused.Fields[0].Message
		}
		return fault.At(at, "not_payable", "%s: %s", rec.Called(), why)
	}
	s.Purchases.PayIn(tx, who, &rec, in)
	tx.Create(&Payment{ID: tx.NewID(), MerchantID: who.MerchantID, EntryID: n.ID, PurchaseID: rec.ID, AmountCents: cents,
		Currency: n.Currency, ByName: who.Name, ByRule: who.Kind == actor.System, CreatedAt: tx.Now()})
	return nil
}

// longestReference is how much of the bank's reference a payment keeps.
const longestReference = 100

// bankReference is how the bank calls the money: its own reference, or what the client wrote.
func bankReference(n exchange.Entry) string {
	text := n.Reference
	if text == "" {
		text = n.Remittance
	}
	if runes := []rune(text); len(runes) > longestReference {
		text = string(runes[:longestReference])
	}
	return text
}

// Undo takes one payment back: the purchase is owed again, and the movement waits for a match.
func (s *Service) Undo(ctx context.Context, who actor.Actor, entryID, paymentID uuid.UUID) error {
	for _, act := range []actor.Action{actor.Exchange, actor.Write} {
		if err := who.May(act); err != nil {
			return err
		}
	}
	p, err := s.Store.payment(ctx, who.MerchantID, entryID, paymentID)
	if err != nil {
		return err
	}
	return fault.Again(purchase.Tries, busy, func() error {
		rec, err := s.Purchases.Load(ctx, who.MerchantID, p.PurchaseID)
		if err != nil {
			return err
		}
		return s.Purchases.InTx(ctx, func(tx *database.Tx) error {
			if err := end(tx, who, p); err != nil {
				return err
			}
			if _, err := s.Movements.Store.Unpay(tx, who, p.EntryID, p.AmountCents); err != nil {
				return err
			}
			if err := s.Purchases.MayReturn(rec, p.AmountCents); err != nil {
				return err
			}
			s.Purchases.ReturnIn(tx, who, &rec, p.AmountCents, p.EntryID)
			return tx.Answered(p)
		})
	})
}

const busy = "These purchases are being changed by another person. Try again."

// Paid are the payments of a movement that stand, oldest first, each with why it cannot be taken back; empty: it can.
func (s *Service) Paid(ctx context.Context, who actor.Actor, entryID uuid.UUID) (paid []Payment, stays []string,
	err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, nil, err
	}
	if paid, err = s.Store.paid(ctx, who.MerchantID, entryID); err != nil || len(paid) == 0 {
		return nil, nil, err
	}
	ids := make([]uuid.UUID, len(paid))
	for i, p := range paid {
		ids[i] = p.PurchaseID
	}
	found, err := s.Purchases.Several(ctx, who, ids)
	if err != nil {
		return nil, nil, err
	}
	of := map[uuid.UUID]purchase.Record{}
	for _, rec := range found {
		of[rec.ID] = rec
	}
	stays = make([]string, len(paid))
	for i := range paid {
		rec := of[paid[i].PurchaseID]
		paid[i].Reference, paid[i].Client = rec.Called(), rec.Payer.FullName
		if f, is := fault.From(s.Purchases.MayReturn(rec, paid[i].AmountCents)); is {
			stays[i] = f.Message
		}
	}
	return paid, stays, nil
}
