package report

import "debitdesk/models/purchase"

// Standing is what one purchase comes to in the account of its client, at one moment. All amounts are cents and not
// negative: Billed − Credited − Paid + Refunded = Owed. Every account adds these up, and nothing else.
type Standing struct {
	Status        purchase.Status
	TotalCents    int64
	ReceivedCents int64 // what came in, less what the bank took back
	RefundedCents int64 // what went back to the client
	AllowedCents  int64 // of it, each refund counted once: what the client need not pay
	NotesCents    int64 // what credit notes took back of the invoice
	Invoiced      bool
}

// counts tells whether the purchase was ever owed. What expired, or was cancelled without an invoice, was not.
func (s Standing) counts() bool {
	switch s.Status {
	case purchase.Paid, purchase.PendingRefund, purchase.Refunded, purchase.Chargeback, purchase.Cleared,
		purchase.Settled:
		return true
	case purchase.Cancelled:
		return s.Invoiced || s.moved()
	default:
		return s.Status.Owing() || s.moved()
	}
}

func (s Standing) moved() bool { return s.ReceivedCents != 0 || s.RefundedCents != 0 }

// BilledCents is what the client was asked for.
func (s Standing) BilledCents() int64 {
	if !s.counts() {
		return 0
	}
	return s.TotalCents
}

// CreditedCents is what of it need not be paid: by credit note or refund, or since it was cancelled or expired.
func (s Standing) CreditedCents() int64 {
	switch {
	case !s.counts():
		return 0
	case s.Status == purchase.Cancelled || s.Status == purchase.Expired:
		return s.TotalCents
	}
	return max(s.NotesCents, min(s.AllowedCents, s.TotalCents))
}

// OwedCents is what the client owes, disputed debits included; below zero, what is owed to the client.
func (s Standing) OwedCents() int64 {
	return s.BilledCents() - s.CreditedCents() - s.ReceivedCents + s.RefundedCents
}
