package mandate

import (
	"slices"
	"time"

	"debitdesk/models/calendar"
)

// Agreed tells whether a debit may run on a day without being on another day than agreed: on a deduction day, or on the
// first processing day after one that is closed. The client's bank takes no other, whatever the merchant's own shift
// rule says: not the day before (industry: date adjustment rule).
func (m Mandate) Agreed(action calendar.Date, cal *calendar.Calendar) bool {
	_, agreed := m.standsFor(action, cal)
	return agreed
}

// standsFor finds the deduction day whose debit runs on a day.
func (m Mandate) standsFor(action calendar.Date, cal *calendar.Calendar) (day calendar.Date, agreed bool) {
	if m.Deducts(action) {
		return action, true
	}
	if !cal.IsEarlyDay(action) {
		return action, false
	}
	const longest = 14 // closed days in a row; there are never so many
	day = action.AddDays(-1)
	for range longest {
		if cal.IsEarlyDay(day) {
			break
		}
		if m.Deducts(day) {
			return day, true
		}
		day = day.AddDays(-1)
	}
	return action, false
}

// hasDay tells whether the mandate names a deduction day at all.
func (m Mandate) hasDay() bool {
	switch m.PeriodUnits {
	case "months":
		return m.DeductionDay >= 1 && m.DeductionDay <= 31 || m.DeductionDay == LastDay
	case "weeks":
		return m.DeductionDay >= 1 && m.DeductionDay <= 7
	}
	return false
}

// Deducts tells whether a day is a deduction day; any day is, where none is named. A month that is too short for the
// day ends on it.
func (m Mandate) Deducts(d calendar.Date) bool {
	switch {
	case !m.hasDay():
		return true
	case m.PeriodUnits == "weeks":
		return int(d.Weekday()) == m.DeductionDay%7
	}
	return d.Day == min(m.DeductionDay, d.LastDayOfMonth().Day)
}

// NextDay is the first deduction day on or after a day.
func (m Mandate) NextDay(d calendar.Date) calendar.Date {
	for !m.Deducts(d) {
		d = d.AddDays(1)
	}
	return d
}

// NextDue is the first due day on or after a day whose debit runs on an agreed day. Runs gives the action date of a due
// day; nil: the day itself.
func (m Mandate) NextDue(from calendar.Date, runs func(calendar.Date) calendar.Date,
	cal *calendar.Calendar) calendar.Date {
	const farthest = 800 // more than two years; within them every deduction day falls on an open day
	for day := from; day.Before(from.AddDays(farthest)); day = day.AddDays(1) {
		if action := (Debit{Runs: runs}).runs(day); m.Agreed(action, cal) {
			return day
		}
	}
	return m.NextDay(from)
}

// Days says on which day debits run: "on the 25th", "on Fridays", "on any day".
func (m Mandate) Days() string {
	switch {
	case !m.hasDay():
		return "on any day"
	case m.PeriodUnits == "weeks":
		return "on " + time.Weekday(m.DeductionDay%7).String() + "s"
	case m.DeductionDay == LastDay:
		return "on the last day of the month"
	}
	return "on the " + Ordinal(m.DeductionDay)
}

// PeriodReach is how many days two debits of one period are apart at most: the days of a month, and the closed days by
// which each of them was moved.
const PeriodReach = 60

// period is the first day of the period that a debit belongs to: the calendar month, the week from Monday, or the day
// (ours:
// the deduction day is a "day of the period", so the period is what that day is counted in). A debit counts in the
// period of the deduction day that it stands for, even where closed days moved it into the next period or back into the
// one before; one on another day than agreed counts where it runs.
func (m Mandate) period(d Day, cal *calendar.Calendar) calendar.Date {
	day := d.Due
	if !m.Deducts(day) {
		day, _ = m.standsFor(d.Action, cal)
	}
	switch m.PeriodUnits {
	case "days":
		return day
	case "weeks":
		return day.AddDays(1 - day.ISOWeekday())
	}
	return day.FirstDayOfMonth()
}

// SecondInPeriod tells whether a debit runs beside another in one period of the mandate's rhythm, which has one debit
// in each (API contract 12.32). A once-off mandate has no rhythm.
func (m Mandate) SecondInPeriod(d Day, others []Day, cal *calendar.Calendar) bool {
	if m.Terms == nil || m.AllowsOneDebit() || len(others) == 0 {
		return false
	}
	own := m.period(d, cal)
	return slices.ContainsFunc(others, func(other Day) bool { return m.period(other, cal) == own })
}
