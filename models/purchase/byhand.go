package purchase

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// MayMarkAsPaid is nil when MarkAsPaid would record a payment now.
func (s *Service) MayMarkAsPaid(rec Record) error {
	if !rec.Payable(s.Now()) {
		return fault.New(fault.Conflict, "purchase_mark_as_paid_wrong_status",
			"A purchase that is %s cannot be marked as paid.", rec.Status)
	}
	return nil
}

// HandPayment is money that came in outside the product.
type HandPayment struct {
	PaidOn    *time.Time // nil: now
	Method    HandMethod // empty: not said
	Reference string     // as the bank statement or the receipt has it
	Cents     *int64     // nil: all that is still to be paid

	MovementID uuid.UUID // of the bank, which it was booked from; zero: none
}

// HandMethod is how money came in outside the product.
type HandMethod string

// The methods of payments by hand.
const (
	InCash     HandMethod = "cash"
	ByTransfer HandMethod = "transfer"
	ByCard     HandMethod = "card"
	Otherwise  HandMethod = "other"
)

// HandMethods are all of them.
var HandMethods = []HandMethod{ByTransfer, InCash, ByCard, Otherwise}

var handWords = map[HandMethod]string{ByTransfer: "by transfer", InCash: "in cash", ByCard: "by card",
	Otherwise: "in another way"}

// Words are how a sentence says the method; empty for one that there is not.
func (m HandMethod) Words() string { return handWords[m] }

// words say how the money came: " in cash, reference 17".
func (h HandPayment) words() (text string) {
	if h.Method != "" {
		text = " " + h.Method.Words()
	}
	if h.Reference != "" {
		text += ", reference " + h.Reference
	}
	return text
}

// longestReference is how long the reference of a payment by hand may be.
const longestReference = 100

// check finds everything that is wrong, at once.
func (h HandPayment) check(rec Record, now time.Time) error {
	var w fault.Problems
	switch {
	case h.PaidOn == nil:
	case h.PaidOn.After(now):
		w.Add("paid_on", "max_value", "`paid_on` cannot be in the future.")
	case h.PaidOn.Before(now.AddDate(-mostYearsBack, 0, 0)):
		w.Add("paid_on", "min_value", "`paid_on` is %s. It can be at most %d years back.", calendar.DateOf(*h.PaidOn),
			mostYearsBack)
	}
	if h.Method != "" && h.Method.Words() == "" {
		w.Add("method", "invalid_choice", "‘%s’ is not a way to pay. Choose one of those listed.", string(h.Method))
	}
	if utf8.RuneCountInString(h.Reference) > longestReference {
		w.Add("reference", "max_length", "Ensure this field has no more than %d characters.", longestReference)
	}
	if h.Cents != nil && (*h.Cents < 1 || *h.Cents > rec.OpenCents()) {
		w.Add("amount", "max_value", "Enter an amount between R%s0,01 and %s, which is still to be paid.", money.NBSP,
			money.Format(rec.OpenCents(), rec.Currency))
	}
	return w.Err()
}

// MarkAsPaid records that all that is still to be paid came in outside the product. Without a moment it counts as
// paid now.
func (s *Service) MarkAsPaid(ctx context.Context, who actor.Actor, id uuid.UUID, paidOn *time.Time) (Record, error) {
	return s.RecordPayment(ctx, who, id, HandPayment{PaidOn: paidOn})
}

// RecordPayment records a payment that came in outside the product. A part leaves the purchase as it stands: what
// is still to be paid is less.
func (s *Service) RecordPayment(ctx context.Context, who actor.Actor, id uuid.UUID, in HandPayment) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.MayMarkAsPaid(rec); err != nil {
			return nil, err
		}
		if err := in.check(rec, s.Now()); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error {
			rec.payByHand(tx, who, in)
			return nil
		}, nil
	})
}

// payByHand records a payment that was checked.
func (r *Record) payByHand(tx *database.Tx, who actor.Actor, in HandPayment) {
	before, at, open := r.Status, tx.Now(), r.OpenCents()
	if in.PaidOn != nil {
		at = *in.PaidOn
	}
	cents := open
	if in.Cents != nil {
		cents = *in.Cents
	}
	text := money.Format(cents, r.Currency) + " of the purchase was paid" + in.words() + "."
	r.Book(tx, Entry{Kind: PaidByHand, AmountCents: cents})
	if cents == open {
		text = "The purchase was marked as paid" + in.words() + "."
		r.MarkedAsPaid = true
		r.pay(Payment{Type: "custom", AmountCents: r.TotalCents, Description: "Marked as paid" + in.words(), PaidOn: at})
		r.Move(Paid, tx.Now())
		r.followPayment(tx.Now())
	}
	after := map[string]any{"status": r.Status, "paid_on": at.Unix(), "amount_cents": cents, "method": in.Method,
		"reference": in.Reference}
	if in.MovementID != uuid.Nil {
		after["bank_movement"] = in.MovementID.String()
	}
	tx.Audit(who, audit.Entry{Action: "purchase.marked_as_paid", ObjectType: "purchase", ObjectID: r.ID,
		ClientID: r.ClientID, PurchaseID: r.ID, Text: text, Before: map[string]any{"status": before,
			"open_cents": open}, After: after})
}

// MayTakeBack is nil when TakePaymentBack would undo what was recorded.
func (s *Service) MayTakeBack(rec Record) error {
	if rec.PartPaidCents() == 0 {
		return fault.New(fault.Conflict, "purchase_mark_as_paid_wrong_status",
			"No part of this purchase was recorded as paid.")
	}
	if !rec.Payable(s.Now()) {
		return fault.New(fault.Conflict, "purchase_mark_as_paid_wrong_status",
			"The rest of this purchase is being collected. Cancel the debit first.")
	}
	return nil
}

// TakePaymentBack undoes what was recorded by hand of a purchase that is not paid yet: all of it is owed again.
func (s *Service) TakePaymentBack(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Refund); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.MayTakeBack(rec); err != nil {
			return nil, err
		}
		switch ofBank, err := s.Store.paidFromBank(ctx, who.MerchantID, id); {
		case err != nil:
			return nil, err
		case ofBank > 0:
			return nil, fault.New(fault.Conflict, "purchase_paid_from_bank",
				"%s of it was booked from a bank movement. Undo that on the page of the movement.",
				money.Format(ofBank, rec.Currency))
		}
		return func(tx *database.Tx, rec *Record) error {
			cents := rec.PartPaidCents()
			rec.Book(tx, Entry{Kind: PaidByHand, AmountCents: -cents})
			tx.Audit(who, audit.Entry{Action: PaymentTakenBack, ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text:   "The recorded payment of " + money.Format(cents, rec.Currency) + " was taken back.",
				Before: map[string]any{"paid_cents": cents}, After: map[string]any{"paid_cents": 0}})
			return nil
		}, nil
	})
}
