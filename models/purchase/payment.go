package purchase

// pay records new money. What was refunded before was of another payment.
func (p *Purchase) pay(with Payment) {
	p.Payment = &with
	p.PaymentCount++
	p.RefundedCents, p.RefundingCents = 0, 0
}

// Book writes a movement of money of this purchase down. Nothing else writes one, so
// that NetCents is the sum of them all.
func (p *Purchase) Book(tx Tx, e Entry) {
	e.PurchaseID, e.MerchantID, e.Currency = p.ID, p.MerchantID, p.Currency
	p.NetCents += e.AmountCents
	tx.InsertEntry(e)
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

// refundable tells whether money may be given back in this status.
func (s Status) refundable() bool { return s == Paid || s == PendingRefund || s == Refunded }

// RefundableCents is what could still be given back: paid, less what was refunded and
// what is on its way (API contract 12.24). It is 0 where more went back than that,
// since a bank paid a refund that had fallen away.
func (p Purchase) RefundableCents() int64 {
	if p.Payment == nil || !p.Status.refundable() {
		return 0
	}
	return max(p.Payment.AmountCents-p.RefundedCents-p.RefundingCents, 0)
}

// PaidBackTwice is what the client has back beyond what was paid, in cents: a refund was
// paid out, and the debit came back as well.
func (p Purchase) PaidBackTwice() int64 { return max(-p.NetCents, 0) }
