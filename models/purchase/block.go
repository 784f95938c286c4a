package purchase

import (
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
)

// DirectDebitAt is where problems of a debit-order block stand.
const DirectDebitAt = directDebitAt

// Block is the debit-order block of one client of a pattern who has terms of their own, checked as on a purchase: p is
// the pattern with the price and the methods of that client. A deduction day that was left out stays open (0).
func (s *Service) Block(w *fault.Problems, in DirectDebitInput, b merchant.Brand, p Purchase) *DirectDebit {
	out := in.complete(w, b, p)
	if in.DeductionDay == nil {
		out.DeductionDay = 0
	}
	p.Details.DirectDebit, p.Method = out, ""
	s.canCollect(w, p)
	return out
}

// TrackingDays is how long the bank waits for the money of a DebiCheck debit.
func (p Purchase) TrackingDays(l mandate.Limits) int {
	if p.Details.TrackingDays != nil {
		return *p.Details.TrackingDays
	}
	return l.TrackingDays
}
