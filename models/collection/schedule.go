package collection

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Schedule is when debits of one method and one merchant run: the timetable of the method, the calendar of closed days,
// and where the merchant's shift rule moves what falls on them. Whoever shows, announces or books a debit asks a
// Schedule, so that they cannot say different things.
type Schedule struct {
	rules Timetable
	cal   *calendar.Calendar
	shift calendar.Shift
}

// ScheduleOf binds a timetable to a method, a calendar and a shift rule.
func (t Timetable) ScheduleOf(m bank.Method, cal *calendar.Calendar, shift calendar.Shift) Schedule {
	return Schedule{t.For(m), cal, shift}
}

// Plan is Timetable.Plan.
func (s Schedule) Plan(due, now time.Time) Plan { return s.rules.Plan(s.cal, due, s.shift, now) }

// Tracking is how many days the bank may wait for the money of a debit on a day, of mandates that clients confirmed and
// of others.
func (s Schedule) Tracking(action calendar.Date) (confirmed, registered int) {
	return s.rules.tracking(action)
}

// PlanOn is the plan of a debit for a day that a person picks.
func (s Schedule) PlanOn(day calendar.Date, now time.Time) Plan {
	return s.Plan(s.rules.DueOn(day), now)
}

// Runs is the day on which a debit for a picked day runs.
func (s Schedule) Runs(day calendar.Date, now time.Time) calendar.Date {
	return s.PlanOn(day, now).ActionDate
}

// Shifted is the day itself, or where the merchant's rule moves it when it is closed.
func (s Schedule) Shifted(day calendar.Date) calendar.Date { return s.cal.Shift(day, s.shift) }

// Choose is Timetable.Choose.
func (s Schedule) Choose(day calendar.Date, now time.Time) Choice {
	return s.rules.Choose(s.cal, day, s.shift, now)
}

// Earliest is the first day on which a debit can run at all.
func (s Schedule) Earliest(now time.Time) calendar.Date {
	return s.rules.EarliestActionDate(s.cal, now)
}

// EarliestDue is the first day that a person can pick.
func (s Schedule) EarliestDue(now time.Time) calendar.Date { return s.rules.EarliestDue(s.cal, now) }

// LeadWords is Timetable.LeadWords.
func (s Schedule) LeadWords() string { return s.rules.LeadWords() }

// DueOn is Timetable.DueOn.
func (s Schedule) DueOn(day calendar.Date) time.Time { return s.rules.DueOn(day) }

// TooSoon is Timetable.TooSoon.
func (s Schedule) TooSoon(due, now time.Time) bool { return s.rules.TooSoon(due, now) }

// Closed tells whether no debit runs on a day, and why.
func (s Schedule) Closed(day calendar.Date) (reason string, closed bool) {
	return s.rules.closed(s.cal, day)
}
