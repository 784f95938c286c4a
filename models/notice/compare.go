package notice

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/plural"
)

// LeastCompared is how many answered debits a side needs before its shares say anything.
const LeastCompared = 30

// Side is what became of debits: those whose clients were told before, or the others.
type Side struct {
	N                        int64 // debits that the bank answered
	Paid, Disputed           int64
	PaidRange, DisputedRange estimate.Interval
}

// Enough tells that there are enough debits for a share.
func (s Side) Enough() bool { return s.N >= LeastCompared }

func sideOf(n Counted) Side {
	s := Side{Paid: n[collection.OutcomeCollected], Disputed: n[collection.OutcomeDisputed]}
	s.N = s.Paid + s.Disputed + n[collection.OutcomeFailed]
	if s.N > 0 {
		s.PaidRange = estimate.Wilson(s.Paid, s.N, estimate.Z80)
		s.DisputedRange = estimate.Wilson(s.Disputed, s.N, estimate.Z80)
	}
	return s
}

// Comparison is what became of the debits of a brand, with a notice and without.
type Comparison struct{ With, Without Side }

// Tells says in a sentence what the comparison shows about reversals and payments, and no more than it shows.
func (c Comparison) Tells() string {
	switch {
	case !c.With.Enough() || !c.Without.Enough():
		return "Too few debits of each kind were answered to compare them: at least " +
			plural.Of(LeastCompared, "debit") + " of each are needed."
	case c.With.DisputedRange.Apart(c.Without.DisputedRange) && c.With.Disputed*c.Without.N > c.Without.Disputed*c.With.N:
		return "More debits were disputed when clients were told before."
	case c.With.PaidRange.Apart(c.Without.PaidRange) && c.With.Paid*c.Without.N > c.Without.Paid*c.With.N:
		return "More debits were paid when clients were told before."
	case c.With.PaidRange.Apart(c.Without.PaidRange):
		return "Fewer debits were paid when clients were told before."
	}
	return "The difference may be chance."
}

// Compare tells what became of the newest debits of a brand.
func (s *Service) Compare(ctx context.Context, who actor.Actor, brandID uuid.UUID) (c Comparison, err error) {
	if err := who.May(actor.Read); err != nil {
		return c, err
	}
	with, without, err := s.Store.compared(ctx, who.MerchantID, brandID, calendar.DateOf(s.Now()))
	return Comparison{sideOf(with), sideOf(without)}, err
}
