package purchase

import (
	"time"

	"debitdesk/models/database"
)

// pay records new money. What went back of money before stays written down: the movements are added up, whichever
// debit they belong to.
func (p *Purchase) pay(with Payment) {
	p.Payment = &with
	p.PaymentCount++
}

// Book writes a movement of money of this purchase down. Nothing else writes one, so
// that NetCents is the sum of them all, and RefundedCents that of the refunds.
func (p *Purchase) Book(tx *database.Tx, e Entry) {
	e.PurchaseID, e.MerchantID, e.Currency = p.ID, p.MerchantID, p.Currency
	p.NetCents += e.AmountCents
	if e.Kind == GivenBack {
		p.RefundedCents -= e.AmountCents
	}
	insertEntry(tx, e)
}

// ByHand tells that the money came in outside the product.
func (p Payment) ByHand() bool { return p.Type == "custom" }

// statusOfPayment is where a purchase stands that has a payment: what is under way
// counts before what is done.
func (p Purchase) statusOfPayment() Status {
	switch {
	case p.RefundingCents > 0:
		return PendingRefund
	case p.RefundedCents > 0:
		return Refunded
	}
	return Paid
}

// followPayment moves a paid purchase to where its refunds leave it.
func (p *Purchase) followPayment(at time.Time) {
	if next := p.statusOfPayment(); p.Payment != nil && p.Status.refundable() && p.Status != next {
		p.Move(next, at)
	}
}

// refundable tells whether money may be given back in this status.
func (s Status) refundable() bool { return s == Paid || s == PendingRefund || s == Refunded }

// ReceivedCents is what came in and was not taken back by the bank: all movements but refunds, which make the
// purchase cheaper and do not make it owed again.
func (p Purchase) ReceivedCents() int64 { return p.NetCents + p.RefundedCents }

// OpenCents is what is still to be paid of the total.
func (p Purchase) OpenCents() int64 { return max(p.TotalCents-p.ReceivedCents(), 0) }

// PartPaidCents is what came in of a purchase that is not paid yet.
func (p Purchase) PartPaidCents() int64 {
	if p.Payment != nil || !p.Status.Owing() {
		return 0
	}
	return max(p.ReceivedCents(), 0)
}

// RefundableCents is what could still be given back: all that moved, less what is on its way to the client (API
// contract 12.24). It is 0 where more went back than came.
func (p Purchase) RefundableCents() int64 {
	if p.Payment == nil || !p.Status.refundable() {
		return 0
	}
	return max(p.NetCents-p.RefundingCents, 0)
}

// PartlyRefunded tells that a part of what was paid went back, and not all of it.
func (p Purchase) PartlyRefunded() bool { return p.RefundedCents > 0 && p.NetCents > 0 }

// PaidBackTwice is what the client has back beyond what was meant, in cents: a refund was paid out and the debit came
// back as well, or a person and the bank both paid one refund.
func (p Purchase) PaidBackTwice() int64 { return max(-p.NetCents, p.OverpaidCents) }
