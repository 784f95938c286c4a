package purchase

import (
	"slices"
	"time"
)

// Status is where a purchase stands. There are 21 (API contract 3.4).
type Status string

// The statuses of a purchase.
const (
	Created        Status = "created"
	Sent           Status = "sent"
	Viewed         Status = "viewed"
	Failed         Status = "error" // an attempt failed on the client's side; may be tried again
	Cancelled      Status = "cancelled"
	Overdue        Status = "overdue"
	Expired        Status = "expired"
	Blocked        Status = "blocked"
	Hold           Status = "hold"
	Released       Status = "released"
	PendingRelease Status = "pending_release"
	PendingCapture Status = "pending_capture"
	PendingRefund  Status = "pending_refund"
	Preauthorized  Status = "preauthorized"
	Paid           Status = "paid"
	PendingExecute Status = "pending_execute"
	PendingCharge  Status = "pending_charge"
	Cleared        Status = "cleared"
	Settled        Status = "settled"
	Chargeback     Status = "chargeback"
	Refunded       Status = "refunded"
)

// Statuses lists all of them in the order a merchant thinks of them.
var Statuses = []Status{Created, Sent, Viewed, PendingCharge, PendingExecute, Paid, Preauthorized, Failed, Overdue,
	Expired, Cancelled, Chargeback, PendingRefund, Refunded, Blocked, Hold, PendingCapture, PendingRelease, Released,
	Cleared, Settled}

// Known tells whether the text names a status.
func (s Status) Known() bool { return slices.Contains(Statuses, s) }

// Payable are the statuses in which nobody collects yet, so that the client may still pay.
var Payable = []Status{Created, Sent, Viewed, Failed, Overdue}

// StatusNames are the words that stand for statuses in the database and in addresses.
func StatusNames(of []Status) []string {
	out := make([]string, len(of))
	for i, s := range of {
		out[i] = string(s)
	}
	return out
}

// Owing are the statuses in which a purchase is still to be paid: it can be paid, or is being collected.
var Owing = append(slices.Clip(Payable), PendingCharge, PendingExecute)

// Late are the statuses of what should have been paid by now: its debit failed, or its due date passed. What a failure
// is called depends only on which of the two came last, so that everything that asks for one asks for both.
var Late = []Status{Failed, Overdue}

// Owing tells whether a purchase in this status is still to be paid: it can be paid, or is being collected.
func (s Status) Owing() bool {
	return slices.Contains(Owing, s)
}

// moves is the whole table of allowed changes (API contract 3.5).
var moves = map[Status][]Status{
	Created: {Sent, Viewed, Paid, PendingExecute, PendingCharge, Failed, Preauthorized, Cancelled, Overdue,
		Expired},
	Sent:           {Viewed, Paid, PendingExecute, PendingCharge, Failed, Preauthorized, Cancelled, Overdue, Expired},
	Viewed:         {Paid, PendingExecute, PendingCharge, Failed, Preauthorized, Cancelled, Overdue, Expired},
	Failed:         {Sent, Paid, PendingExecute, PendingCharge, Failed, Preauthorized, Cancelled, Overdue, Expired},
	Overdue:        {Paid, PendingExecute, PendingCharge, Failed, Preauthorized, Cancelled},
	Expired:        {Paid},
	PendingCharge:  {PendingExecute, Cancelled, Failed},
	PendingExecute: {Paid, Failed, Preauthorized, PendingCharge}, // pending_charge: accepted, and the first debit is later
	Paid:           {Failed, Chargeback, PendingRefund, Refunded},
	Chargeback:     {Paid, PendingRefund, Refunded, Failed},
	PendingRefund:  {PendingRefund, Refunded, Paid, Chargeback, Failed}, // pending_refund: one more beside it
	Refunded:       {PendingRefund, Refunded, Chargeback, Failed},
	Cancelled:      {},
	Preauthorized:  {},
}

// CanMove tells whether a purchase may go from one status to another.
func CanMove(from, to Status) bool { return slices.Contains(moves[from], to) }

// Payable tells whether the client may still pay at that moment. A failure after
// a strict due leaves nothing to pay (API contract 3.5, details).
func (p Purchase) Payable(now time.Time) bool {
	if p.Status == Failed && p.DueStrict && now.After(p.Due) {
		return false
	}
	return slices.Contains(Payable, p.Status)
}
