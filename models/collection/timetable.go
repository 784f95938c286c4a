package collection

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

// Timetable holds the times and limits of debit orders. They are settings: data that a merchant's bank decides, not
// code. Times of day are SAST, days are business days unless said otherwise. What the scheme rules is in its rulebook.
type Timetable struct {
	Rules            *rulebook.Book     // of the scheme, with what the bank has in its place
	LeadBusinessDays int                // between submission and action date
	CutOff           calendar.TimeOfDay // on the submission day
	MinimumLead      time.Duration      // between a charge and its due (source: two days)
	LeadGrace        time.Duration      // so that "exactly two days" passes
	ProvisionalAt    calendar.TimeOfDay // on the action date
	ReturnsAt        calendar.TimeOfDay // on the days that follow
	AlertDays        int                // silence after the action date that needs a person

	EarlyLeadBusinessDays int                // DebiCheck: before the action date
	EarlyMinimumLead      time.Duration      // DebiCheck: between a charge and its due
	EarlyAnswersAt        calendar.TimeOfDay // DebiCheck: of each day in tracking

	early bool // this is the timetable of DebiCheck
}

// DefaultTimetable is the two-day EFT service as most banks run it.
func DefaultTimetable() Timetable { return TimetableBy(rulebook.Default()) }

// TimetableBy is the two-day EFT service by a book of rules.
func TimetableBy(rules *rulebook.Book) Timetable {
	t := Timetable{
		Rules:          rules,
		LeadGrace:      5 * time.Minute,
		ProvisionalAt:  calendar.TimeOfDay{Hour: 17},
		ReturnsAt:      calendar.TimeOfDay{Hour: 6},
		AlertDays:      5,
		EarlyAnswersAt: calendar.TimeOfDay{Hour: 6},
	}
	eft, at, err := rules.CutOff("eft.cutoff.two_day", rulebook.EFT, rulebook.NoEnd)
	if err != nil {
		panic(err) // the book was read by rulebook.New or ForBank, which take no such value
	}
	early, _, err := rules.CutOff("dc.cutoff", rulebook.DebiCheck, rulebook.NoEnd)
	if err != nil {
		panic(err)
	}
	t.CutOff = at
	return t.WithLead(eft, early)
}

// WithLead is the timetable of a bank that wants EFT and DebiCheck debits so many business days before their date.
// Between a charge and its due lie as many days, of DebiCheck at least as for the two-day service (source: two days).
func (t Timetable) WithLead(eft, debiCheck int) Timetable {
	const day = 24 * time.Hour
	t.LeadBusinessDays, t.EarlyLeadBusinessDays = eft, debiCheck
	t.MinimumLead = time.Duration(eft) * day
	t.EarlyMinimumLead = time.Duration(max(debiCheck, min(eft, sourceLead))) * day
	return t
}

// sourceLead is the lead in days of the source document.
const sourceLead = 2

// For is the timetable of a method. DebiCheck debits run early in the morning, on Saturdays too, and are final at once.
func (t Timetable) For(m bank.Method) Timetable {
	if m == bank.DebiCheck && !t.early {
		t.early, t.LeadBusinessDays, t.ProvisionalAt = true, t.EarlyLeadBusinessDays, t.EarlyAnswersAt
		t.MinimumLead = t.EarlyMinimumLead
	}
	return t
}

// closed tells whether no debit of this timetable runs on a day, and why.
func (t Timetable) closed(cal *calendar.Calendar, d calendar.Date) (string, bool) {
	if t.early {
		return cal.EarlyClosed(d)
	}
	return cal.Closed(d)
}

// TooSoon tells whether due lies less than the minimum lead after now, with the grace.
func (t Timetable) TooSoon(due, now time.Time) bool {
	return due.Before(now.Add(t.MinimumLead - t.LeadGrace))
}

// DueOn is the due instant for a day that a person picks: the cut-off time, so that a day whose submission deadline is
// still open is never too soon.
func (t Timetable) DueOn(day calendar.Date) time.Time { return t.CutOff.On(day) }

// SubmitAt is the submission deadline of an action date.
func (t Timetable) SubmitAt(cal *calendar.Calendar, action calendar.Date) time.Time {
	return t.CutOff.On(cal.BusinessDaysBefore(action, t.LeadBusinessDays))
}

// EarliestActionDate is the first open day whose submission deadline is still ahead. At the very cut-off it has passed.
func (t Timetable) EarliestActionDate(cal *calendar.Calendar, now time.Time) calendar.Date {
	if t.early {
		return t.earliestEarly(cal, now)
	}
	submission := calendar.DateOf(now)
	if !cal.IsBusinessDay(submission) || !now.Before(t.CutOff.On(submission)) {
		submission = cal.AddBusinessDays(submission, 1)
	}
	return cal.AddBusinessDays(submission, t.LeadBusinessDays)
}

func (t Timetable) earliestEarly(cal *calendar.Calendar, now time.Time) calendar.Date {
	day := calendar.DateOf(now).AddDays(1)
	for !cal.IsEarlyDay(day) || !t.SubmitAt(cal, day).After(now) {
		day = day.AddDays(1)
	}
	return day
}

// EarliestDue is the first open day that a person can pick: its submission deadline and the minimum lead are both kept.
func (t Timetable) EarliestDue(cal *calendar.Calendar, now time.Time) calendar.Date {
	day := t.EarliestActionDate(cal, now)
	for _, shut := t.closed(cal, day); shut || t.TooSoon(t.DueOn(day), now); _, shut = t.closed(cal, day) {
		day = day.AddDays(1)
	}
	return day
}

// ActionDateFor moves a due day off closed days.
func (t Timetable) ActionDateFor(cal *calendar.Calendar, due calendar.Date, shift calendar.Shift) calendar.Date {
	if t.early {
		return cal.ShiftEarly(due, shift)
	}
	return cal.Shift(due, shift)
}

// ExecuteAt is 00:00 SAST of the day of due, or of the action date where the shift put that on an earlier day.
func (t Timetable) ExecuteAt(due time.Time, action calendar.Date) time.Time {
	day := calendar.DateOf(due)
	if action.Before(day) {
		day = action
	}
	return day.At(0, 0)
}

// ProvisionalAtFor is when the bank reports a provisional success.
func (t Timetable) ProvisionalAtFor(action calendar.Date) time.Time {
	return t.ProvisionalAt.On(action)
}

// ReturnAt is when returns of the n-th business day after the action date arrive.
func (t Timetable) ReturnAt(cal *calendar.Calendar, action calendar.Date, n int) time.Time {
	return t.ReturnsAt.On(cal.AddBusinessDays(action, n))
}

// FinalAt is when no return can come any more: the morning after the last day of the return window.
func (t Timetable) FinalAt(cal *calendar.Calendar, action calendar.Date) time.Time {
	return t.ReturnsAt.On(cal.AddBusinessDays(action, t.ReturnDays(action)).AddDays(1))
}

// AlertAt is when a collection without any answer needs a person.
func (t Timetable) AlertAt(cal *calendar.Calendar, action calendar.Date) time.Time {
	return t.ReturnAt(cal, action, t.AlertDays)
}
