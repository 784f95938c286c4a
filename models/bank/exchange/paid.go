package exchange

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// LeftCents is what of a movement is not booked on purchases yet.
func (n Entry) LeftCents() int64 { return n.AmountCents - n.PaidCents }

// MayPay is nil where money of the movement may be booked on purchases.
func (n Entry) MayPay() error {
	switch {
	case !n.Credit:
		return fault.New(fault.Conflict, "money_out", "This movement went out of your account: it cannot pay a purchase.")
	case n.State == EntryPaid:
		return fault.New(fault.Conflict, "paid", "All of this movement is booked on purchases already.")
	case n.State != EntryUnmatched:
		return fault.New(fault.Conflict, "not_unmatched", "Only a movement without a match can pay purchases.")
	}
	return nil
}

// Payable tells whether money of the movement may be booked on purchases.
func (n Entry) Payable() bool { return n.MayPay() == nil }

// PaidAt is the moment from which what it pays counts as paid: noon of its booking day, or now where that is to come.
func (n Entry) PaidAt(now time.Time) time.Time {
	if noon := n.BookedOn.At(12, 0); noon.Before(now) {
		return noon
	}
	return now
}

func (n Entry) holdsPayments() error {
	return fault.New(fault.Conflict, "holds_payments", "%s of this movement is booked on purchases. Undo that first.",
		money.Format(n.PaidCents, n.Currency))
}

// Pay takes money of a movement for purchases, in the transaction that books it there. seen is what was taken before,
// as whoever decided saw it. Money that is left keeps the movement unmatched.
func (s Store) Pay(tx *database.Tx, who actor.Actor, id uuid.UUID, cents, seen int64) (n Entry, err error) {
	u := unit{tx}
	if n, err = u.holdEntry(who.MerchantID, id); err != nil {
		return n, err
	}
	if err := n.MayPay(); err != nil {
		return n, err
	}
	switch {
	case n.PaidCents != seen:
		return n, fault.New(fault.Conflict, "changed", "Money of this movement was booked on purchases in the meantime. "+
			"Look at what is left, and try again.")
	case cents > n.LeftCents():
		return n, fault.At("amount", "max_value", "The purchases that you chose come to %s, and only %s of the movement is "+
			"left.", money.Format(cents, n.Currency), money.Format(n.LeftCents(), n.Currency))
	}
	before := n
	n.PaidCents += cents
	if n.LeftCents() == 0 {
		n.State, n.MatchedBy, n.MatchedAt = EntryPaid, who.Name, tx.Now()
	}
	tellPaid(tx, who, before, n, "bank.entry_paid", fmt.Sprintf("%s of a movement of %s was booked on purchases.",
		money.Format(cents, n.Currency), money.Format(n.AmountCents, n.Currency)))
	if err := u.saveEntry(n); err != nil || n.LeftCents() > 0 {
		return n, err
	}
	return n, allMatched(u, n, who.Name)
}

// Unpay gives money back to a movement, in the transaction that takes it from a purchase: the movement is unmatched.
func (s Store) Unpay(tx *database.Tx, who actor.Actor, id uuid.UUID, cents int64) (n Entry, err error) {
	u := unit{tx}
	if n, err = u.holdEntry(who.MerchantID, id); err != nil {
		return n, err
	}
	before := n
	n.PaidCents -= cents
	n.State, n.MatchedBy, n.MatchedAt = EntryUnmatched, "", time.Time{}
	tellPaid(tx, who, before, n, "bank.entry_unpaid", fmt.Sprintf(
		"A payment of %s from a movement of %s was taken back.", money.Format(cents, n.Currency),
		money.Format(n.AmountCents, n.Currency)))
	if err := u.saveEntry(n); err != nil {
		return n, err
	}
	return n, u.openFindings([]Finding{{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
		ArrivalID: n.ArrivalID, Text: "A payment from a movement was taken back. Match it, or say what it is."}})
}

func tellPaid(tx *database.Tx, who actor.Actor, before, after Entry, action, text string) {
	facts := func(n Entry) map[string]any {
		return map[string]any{"state": string(n.State), "paid_cents": n.PaidCents, "left_cents": n.LeftCents()}
	}
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "bank_entry", ObjectID: after.ID, Text: text,
		Before: facts(before), After: facts(after)})
}
