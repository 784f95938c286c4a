package subscription

import (
	"iter"

	"debitdesk/models/calendar"
)

// Start is the day on which period n begins, n from 0, counted from the anchor. A
// month that is too short bills on its last day and the next one on the anchor's
// day again (source: month length).
func (p Plan) Start(anchor calendar.Date, n int) calendar.Date {
	return add(anchor, n*p.Period, p.Units)
}

// BillOn is the day on which the n-th period that is billed is billed, n from 0:
// trials come first, and a period is charged when it starts or when it ends.
func (p Plan) BillOn(anchor calendar.Date, n int) calendar.Date {
	n += p.TrialPeriods
	if p.ChargeAtEnd {
		n++
	}
	return p.Start(anchor, n)
}

// Dates are the next n billing dates from an anchor, trials and charge-at-end
// included, and no more than there are cycles.
func (p Plan) Dates(anchor calendar.Date, n int) []calendar.Date {
	if p.Cycles != nil {
		n = min(n, *p.Cycles)
	}
	dates := make([]calendar.Date, 0, max(n, 0))
	for i := range max(n, 0) {
		dates = append(dates, p.BillOn(anchor, i))
	}
	return dates
}

// Of is the plan as one subscriber runs on it: a first date that was given is the
// date of the first charge, and trials are not added to it (ours).
func (p Plan) Of(s Subscriber) Plan {
	if !s.FirstOn.IsZero() {
		p.TrialPeriods, p.ChargeAtEnd = 0, false
	}
	return p
}

// Upcoming are the next n billing dates of a subscriber that was activated, and no
// more than are left of its cycles.
func (p Plan) Upcoming(s Subscriber, n int) (dates []calendar.Date) {
	for day := range p.ahead(s) {
		if len(dates) >= n {
			break
		}
		dates = append(dates, day)
	}
	return dates
}

// ahead are the billing dates of a subscriber from its next one on, for as long as there are cycles left.
func (p Plan) ahead(s Subscriber) iter.Seq[calendar.Date] {
	return func(yield func(calendar.Date) bool) {
		if s.Anchor.IsZero() || s.Status == Inactive {
			return
		}
		of := p.Of(s)
		for i := 0; p.Cycles == nil || i < *p.Cycles-s.Passed; i++ {
			if !yield(of.BillOn(s.Anchor, s.Cycle+i)) {
				return
			}
		}
	}
}

// onwards are the billing dates of subscribers that are billed alike: their next one, and what follows from it.
func (p Plan) onwards(g alike) iter.Seq[calendar.Date] {
	return func(yield func(calendar.Date) bool) {
		next := calendar.DateOf(g.NextAt)
		for i := 0; g.Remaining < 0 || i < g.Remaining; i++ {
			day := add(next, i*p.Period, p.Units)
			if p.Units == Months {
				day = next.AddMonths(i*p.Period, g.MonthDay)
			}
			if !yield(day) {
				return
			}
		}
	}
}

// period is the period that a subscriber is at.
func (p Plan) period(s Subscriber) Period {
	of := p.Of(s)
	out := Period{SubscriberID: s.ID, BilledOn: of.BillOn(s.Anchor, s.Cycle),
		StartsOn: of.Start(s.Anchor, s.Cycle+of.TrialPeriods)}
	if p.ChargeAtEnd && !of.ChargeAtEnd {
		out.StartsOn = of.Start(s.Anchor, s.Cycle-1)
	}
	return out
}

// DueOn is the day on which what is billed on a day is due.
func (p Plan) DueOn(billed calendar.Date) calendar.Date { return add(billed, p.DuePeriod, p.DueUnits) }

// add counts on from a day whose own day of the month is the anchor.
func add(from calendar.Date, n int, units Units) calendar.Date {
	switch units {
	case Weeks:
		return from.AddDays(7 * n)
	case Months:
		return from.AddMonths(n, from.Day)
	case Days:
	}
	return from.AddDays(n)
}
