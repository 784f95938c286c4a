package book

import (
	"fmt"
	"time"

	"debitdesk/models/collection"
	"debitdesk/models/subscription"
)

// Guard keeps a client from being debited twice: here, and once more by the system that the client comes from.
type Guard struct {
	CutOver  Day
	Schedule collection.Schedule
	Now      time.Time
}

// tolerance is how many days before a whole cycle has passed a debit may run: closed days move it.
const tolerance = 3

// near is within how many days of a known debit of a month's cycle nothing is debited.
const near = 20

// mostClosed is after how many days one comes on which banks work: a debit for a day before it may run too early.
const mostClosed = 10

// Earliest is the first day on which something may be debited: from the cut-over day on, and a cycle after the last
// debit of the old system. Where that is not known, it is taken to have been on the day before the cut-over.
func (g Guard) Earliest(v Values) Day {
	earliest := g.afterLast(v)
	for _, day := range v.Planned { // the month in which the old system is to debit is its own
		for _, from := range []Day{v.Cycle.after(day, 1).AddDays(-tolerance), day.AddMonths(1, 1)} {
			if earliest.Before(from) {
				earliest = from
			}
		}
	}
	return earliest
}

// afterLast is the first day that is a cycle after the last debit of the old system.
func (g Guard) afterLast(v Values) Day {
	switch {
	case v.Last.Never:
		return g.CutOver
	case v.Last.On.IsZero():
		return v.Cycle.after(g.CutOver, 1)
	}
	from := v.Cycle.after(v.Last.On, 1).AddDays(-tolerance)
	if least := v.Last.On.AddDays(near); v.Cycle.inMonths() > 0 && from.Before(least) {
		from = least
	}
	if from.Before(g.CutOver) {
		return g.CutOver
	}
	return from
}

// after is a day some cycles after another.
func (c Cycle) after(from Day, n int) Day {
	if months := c.inMonths(); months > 0 {
		return from.AddMonths(n*months, from.Day)
	}
	return from.AddDays(n * c.inDays())
}

// First is the first day on which the subscription is due, and why the row is held: the day that the file wants might
// debit the client twice. The first safe day is given with it. A day that has passed moves on by whole cycles: what
// lies behind is never debited.
func (g Guard) First(v Values, plan subscription.Plan) (due Day, held string) {
	due, held = g.first(v, plan)
	if len(v.Planned) == 0 {
		return due, held
	}
	unplanned := v
	unplanned.Planned = nil
	wanted, _ := g.first(unplanned, plan)
	if runs := g.Schedule.Runs(wanted, g.Now); runs.Before(g.Earliest(v)) {
		held = fmt.Sprintf("the old system plans to debit the same account on %s, and the first debit here would run on %s",
			v.Planned[len(v.Planned)-1].Format(dayForm), runs.Format(dayForm))
	}
	return due, held
}

func (g Guard) first(v Values, plan subscription.Plan) (due Day, held string) {
	earliest, today := g.Earliest(v), dayOfMoment(g.Now)
	fits := func(day Day) bool {
		return !g.Schedule.Runs(day, g.Now).Before(earliest) && !plan.BilledFor(day).Before(today)
	}
	if !v.Next.IsZero() {
		due = v.Next
		for i := 1; due.Before(today) && i < 2000; i++ {
			due = v.Cycle.after(v.Next, i)
		}
		if runs := g.Schedule.Runs(due, g.Now); runs.Before(earliest) {
			held = fmt.Sprintf("a debit on %s could be the second one: %s", runs.Format(dayForm), g.because(v, earliest))
		}
		for i, from := 1, due; !fits(due) && i < 2000; i++ {
			due = v.Cycle.after(from, i)
		}
		return due, held
	}
	due = v.firstOn(earliest)
	for range mostClosed {
		if !v.anyDay() || fits(due) {
			break
		}
		due = due.AddDays(1)
	}
	for i, from := 1, due; !fits(due) && i < 2000; i++ {
		if due = v.onDay(v.Cycle.after(from, i)); due.Before(from) {
			due = from
		}
	}
	return due, ""
}

const dayForm = "2 January 2006"

func (g Guard) because(v Values, earliest Day) string {
	switch {
	case v.Last.On.IsZero() && !v.Last.Never:
		return fmt.Sprintf("it is not known when the old system debited last, so the first safe day is %s",
			earliest.Format(dayForm))
	case earliest == g.CutOver:
		return fmt.Sprintf("the old system debits until the cut-over day, %s", g.CutOver.Format(dayForm))
	}
	return fmt.Sprintf("the old system debited on %s, so the first safe day is %s", v.Last.On.Format(dayForm),
		earliest.Format(dayForm))
}

// anyDay tells whether the file asks for no debit day, so that the first day that is safe can be the day.
func (v Values) anyDay() bool { return v.Day == 0 && (v.Last.On.IsZero() || v.Cycle.inMonths() == 0) }

// firstOn is the first debit day on or after a day.
func (v Values) firstOn(from Day) Day {
	if v.Day == 0 && !v.Last.On.IsZero() && v.Cycle.inMonths() > 0 {
		v.Day = v.Last.On.Day
	}
	if v.Day == 0 {
		return from
	}
	if v.Cycle.inMonths() == 0 {
		return from.AddDays((v.Day - from.ISOWeekday() + 7) % 7)
	}
	if on := v.onDay(from); !on.Before(from) {
		return on
	}
	return v.onDay(from.AddMonths(1, 1))
}

// onDay is the debit day in the month of a day.
func (v Values) onDay(of Day) Day {
	if v.Day == 0 || v.Cycle.inMonths() == 0 {
		return of
	}
	return of.AddMonths(0, min(v.Day, 31))
}

// planOf is how a subscription of a cycle is billed that an import makes: three days before it is due.
func planOf(c Cycle) subscription.Plan {
	p := subscription.Plan{Period: 1, Units: subscription.Months, DuePeriod: billedBefore, DueUnits: subscription.Days}
	switch c {
	case Weekly, Fortnightly:
		p.Units, p.Period = subscription.Weeks, c.inDays()/7
	case Quarterly, HalfYearly, Yearly:
		p.Period = c.inMonths()
	case Monthly:
	}
	return p
}

const billedBefore = 3

// sameRhythm tells whether a plan bills as often as a cycle.
func sameRhythm(p subscription.Plan, c Cycle) bool {
	want := planOf(c)
	return p.Period == want.Period && p.Units == want.Units
}
