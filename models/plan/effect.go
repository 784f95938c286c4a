package plan

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/ownrule"
	"debitdesk/models/report"
)

// What a client's bank charges for a debit that it returns, in cents (source: follow-up, section 5).
const (
	LowestFee  = 600
	HighestFee = 150_00
)

// Bounces are the debits of a rehearsed plan, by what the bank answered.
type Bounces struct {
	Debits int // that the plan would have made
	Failed int // which the bank returned unpaid, as it did that day
	Open   int // whose answer is not known: they never ran, or the bank has not answered
}

// answered counts the answer to a debit that did run.
func (b *Bounces) answered(s collection.State) {
	switch s.Outcome() {
	case collection.OutcomeFailed:
		b.Failed++
	case collection.OutcomeOpen:
		b.Open++
	case collection.OutcomeCollected, collection.OutcomeDisputed:
	}
}

// Fees are what clients would have paid to their banks for debits that fail: least when none fails whose answer is not
// known, most when all of them do, each at the highest charge.
func (b Bounces) Fees() (least, most int64) {
	return int64(b.Failed) * LowestFee, int64(b.Failed+b.Open) * HighestFee
}

// Month is what the debits of a plan would have added to a month for which the clearing rules limit the shares that
// fail and are disputed.
type Month struct {
	First  calendar.Date
	Was    report.Outcome // of the debits that did run
	More   int64          // that the plan adds, whose answers are not known
	Limits report.Limits
}

// With is how the month would have gone with the debits of the plan: best when all of them are paid, worst when all of
// them fail. None of them is disputed.
func (m Month) With() (best, worst report.Outcome) {
	best, worst = m.Was, m.Was
	best.Collected += m.More
	worst.Unpaid += m.More
	return best, worst
}

// Above tells whether the failed debits of the month were above their limit, and whether they are with the plan, at
// best and at worst.
func (m Month) Above() (was, best, worst bool) {
	above := func(o report.Outcome) bool { return o.Unpaid*10_000 > m.Limits.Unpaid*o.Answered() }
	low, high := m.With()
	return above(m.Was), above(low), above(high)
}

// Spare is how many more disputed debits the month with the plan bears before the limit of disputes is passed; below 0
// where it is passed already.
func (m Month) Spare() int64 {
	with, _ := m.With()
	return m.Limits.Dispute*with.Answered()/10_000 - with.Disputed
}

// Distance is how many days after a failure the next debit ran, as a span.
type Distance struct{ From, To int } // To is 0 where nothing bounds it

// Distances are the spans in which the days after a failure are counted.
var Distances = []Distance{{1, 3}, {4, 7}, {8, 14}, {15, 28}, {29, 35}, {From: 36}}

// After is what the business's own debits say: how many of those that ran so many days after a failure for the same
// reason were paid.
type After struct {
	Method   bank.Method
	Cause    Cause
	Distance Distance
	Paid, N  int64
}

// Interval is where the share that is paid lies in 80 of 100 cases; ok is false where there are too few.
func (a After) Interval() (i estimate.Interval, ok bool) {
	return estimate.Wilson(a.Paid, a.N, estimate.Z80), a.N >= estimate.Enough
}

// effect adds to a rehearsal what its debits would have meant for clients and for the limits of the clearing rules,
// and what the debits of the same purchases say about debiting again.
func (r *rehearsing) effect() error {
	r.out.After = after(r.pasts)
	if len(r.more) == 0 {
		return nil
	}
	own, err := ownrule.Store(r.s.Store).OwnRules(r.ctx, r.plan.MerchantID)
	if err != nil {
		return err
	}
	r.out.Months, err = r.s.months(r.ctx, r.plan.MerchantID, r.more, func(day calendar.Date) report.Limits {
		return report.LimitsOf(r.plan.MerchantID, own, r.s.Timetable.Rules, day)
	})
	return err
}

// months are those of debits that a plan adds, by their first days. Those that have no answered debit yet are left out.
func (s *Service) months(ctx context.Context, merchantID uuid.UUID, more map[calendar.Date]int64,
	limits func(calendar.Date) report.Limits) (out []Month, err error) {
	for first, n := range more {
		out = append(out, Month{First: first, More: n, Limits: limits(first.LastDayOfMonth())})
	}
	slices.SortFunc(out, func(a, b Month) int { return a.First.Compare(b.First) })
	days, err := report.Store(s.Store).Outcomes(ctx, merchantID, out[0].First, out[len(out)-1].First.LastDayOfMonth())
	if err != nil {
		return nil, err
	}
	for day, o := range days {
		for i := range out {
			if m := &out[i]; m.First == day.FirstDayOfMonth() {
				m.Was.Collected += o.Collected
				m.Was.Unpaid += o.Unpaid
				m.Was.Disputed += o.Disputed
			}
		}
	}
	return slices.DeleteFunc(out, func(m Month) bool { return m.Was.Answered() == 0 }), nil
}

// after counts what followed the failures of some purchases: of each failed debit, the next that the bank answered.
func after(pasts []*past) (out []After) {
	counted := map[After]*After{}
	for _, p := range pasts {
		var was collection.Collection
		for _, c := range p.debits {
			o := c.State.Outcome()
			if !slices.Contains(collection.Answered, o) {
				continue
			}
			if days := c.ActionDate.DaysSince(was.ActionDate); !p.failedAt(was).IsZero() && days > 0 {
				key := After{Method: c.Method, Cause: CauseOf(was.Result.Code), Distance: distanceOf(days)}
				if counted[key] == nil {
					one := key
					counted[key] = &one
				}
				if counted[key].N++; o == collection.OutcomeCollected {
					counted[key].Paid++
				}
			}
			was = c
		}
	}
	for _, a := range counted {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b After) int {
		return cmp.Or(cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Method, b.Method),
			cmp.Compare(a.Distance.From, b.Distance.From))
	})
	return out
}

func distanceOf(days int) Distance {
	for _, d := range Distances {
		if days <= d.To {
			return d
		}
	}
	return Distances[len(Distances)-1]
}
