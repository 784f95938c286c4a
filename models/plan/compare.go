package plan

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/estimate"
)

// settledDays is how long after its failure a purchase is looked at: what is paid by then counts.
const settledDays = 30

// Arm is one side of a comparison: purchases whose debit failed, and how many of them are paid.
type Arm struct{ Paid, Failed int64 }

// Interval is where the share that is paid lies in 80 of 100 cases; ok is false where there are too few.
func (a Arm) Interval() (i estimate.Interval, ok bool) {
	return estimate.Wilson(a.Paid, a.Failed, estimate.Z80), a.Failed >= estimate.Enough
}

// Comparison holds what a plan does against the clients who were left to the old way. Both sides are purchases that
// failed while both ways were in use, at least 30 days ago.
type Comparison struct{ With, Without Arm }

// Verdict is what a comparison says.
type Verdict string

// The verdicts.
const (
	TooFew  Verdict = "too_few" // cases on one side
	Even    Verdict = "even"    // the difference may be chance
	Better  Verdict = "better"  // more is paid with the plan than chance explains
	Worse   Verdict = "worse"
	NoneYet Verdict = "none" // nothing is left to the old way
)

// Verdict judges by the intervals: only when they have nothing in common does the difference mean something.
func (c Comparison) Verdict() Verdict {
	with, enough := c.With.Interval()
	without, enoughToo := c.Without.Interval()
	switch {
	case c.Without.Failed == 0:
		return NoneYet
	case !enough || !enoughToo:
		return TooFew
	case with.Low > without.High:
		return Better
	case with.High < without.Low:
		return Worse
	}
	return Even
}

// Compare counts both sides of a plan.
func (s *Service) Compare(ctx context.Context, who actor.Actor, planID uuid.UUID) (c Comparison, err error) {
	if err := who.May(actor.Read); err != nil {
		return c, err
	}
	return s.Store.compare(ctx, who.MerchantID, planID, s.Now().AddDate(0, 0, -settledDays))
}
