package collection

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Timetable holds the times and limits of debit orders. They are settings: data that a merchant's bank decides, not
// code. Times of day are SAST, days are business days unless said otherwise.
type Timetable struct {
	LeadBusinessDays int                `json:"lead_business_days"` // between submission and action date
	CutOff           calendar.TimeOfDay `json:"cut_off"`            // on the submission day
	MinimumLead      time.Duration      `json:"minimum_lead"`       // between a charge and its due (source: two days)
	LeadGrace        time.Duration      `json:"lead_grace"`         // so that "exactly two days" passes
	ProvisionalAt    calendar.TimeOfDay `json:"provisional_at"`     // on the action date
	ReturnsAt        calendar.TimeOfDay `json:"returns_at"`         // on the days that follow
	ReturnDays       int                `json:"return_days"`        // the return window after the action date
	AlertDays        int                `json:"alert_days"`         // silence after the action date that needs a person
	DisputeDays      int                `json:"dispute_days"`       // calendar days in which a dispute is refunded at once
	ProofDays        int                `json:"proof_days"`         // calendar days to prove the mandate after a dispute
	SoftLimit        int                `json:"soft_limit"`         // soft unpaids in a row that block an EFT token

	EarlyLeadBusinessDays int                `json:"early_lead_business_days"` // DebiCheck: before the action date
	EarlyAnswersAt        calendar.TimeOfDay `json:"early_answers_at"`         // DebiCheck: of each day in tracking

	early bool // this is the timetable of DebiCheck
}

// DefaultTimetable is the two-day EFT service as most banks run it.
func DefaultTimetable() Timetable {
	return Timetable{
		LeadBusinessDays: 2,
		CutOff:           calendar.TimeOfDay{Hour: 12},
		MinimumLead:      48 * time.Hour,
		LeadGrace:        5 * time.Minute,
		ProvisionalAt:    calendar.TimeOfDay{Hour: 17},
		ReturnsAt:        calendar.TimeOfDay{Hour: 6},
		ReturnDays:       4,
		AlertDays:        5,
		DisputeDays:      40,
		ProofDays:        30,
		SoftLimit:        2,

		EarlyLeadBusinessDays: 1,
		EarlyAnswersAt:        calendar.TimeOfDay{Hour: 6},
	}
}

// noLimit: how often a DebiCheck debit may stay unpaid is the client's bank's to say (reference: debit orders 2.5).
const noLimit = 1 << 30

// For is the timetable of a method. DebiCheck debits run early in the morning, on Saturdays too, and are final at once.
func (t Timetable) For(m bank.Method) Timetable {
	if m == bank.DebiCheck && !t.early {
		t.early, t.LeadBusinessDays, t.ProvisionalAt, t.SoftLimit = true, t.EarlyLeadBusinessDays, t.EarlyAnswersAt, noLimit
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

// leadWords is how long before the debit a day must be picked.
func (t Timetable) leadWords() string {
	if t.early {
		return "two days"
	}
	return "two business days"
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
	return t.ReturnsAt.On(cal.AddBusinessDays(action, t.ReturnDays).AddDays(1))
}

// AlertAt is when a collection without any answer needs a person.
func (t Timetable) AlertAt(cal *calendar.Calendar, action calendar.Date) time.Time {
	return t.ReturnAt(cal, action, t.AlertDays)
}

// DisputeDeadline is the last day on which a dispute is refunded without questions.
func (t Timetable) DisputeDeadline(action calendar.Date) calendar.Date {
	return action.AddDays(t.DisputeDays)
}

// ProofDeadline is the last day to prove the mandate after a dispute outside the window.
func (t Timetable) ProofDeadline(disputed calendar.Date) calendar.Date {
	return disputed.AddDays(t.ProofDays)
}
