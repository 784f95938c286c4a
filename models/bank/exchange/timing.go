package exchange

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// soonEvery is how often requests, cancellations and recalls leave: a payer's time to answer runs, so they do not wait
// for a cut, and yet not every one of them makes a message of its own (ours).
const soonEvery = 15 * time.Minute

func (r Rules) soon(now time.Time) time.Time {
	every := r.SoonEvery
	if every <= 0 {
		every = soonEvery
	}
	return now.Truncate(every).Add(every)
}

// NextCut is the next moment at which messages leave, now included.
func (r Rules) NextCut(cal *calendar.Calendar, now time.Time) time.Time {
	for day := calendar.DateOf(now); ; day = day.AddDays(1) {
		if !cal.IsBusinessDay(day) {
			continue
		}
		for _, c := range r.Cuts {
			if at := c.On(day); !at.Before(now) {
				return at
			}
		}
	}
}

// DeadlineFor is the last moment at which a debit of that day can reach the bank.
func (r Rules) DeadlineFor(cal *calendar.Calendar, m bank.Method, action calendar.Date) time.Time {
	return r.Deadline.On(cal.BusinessDaysBefore(action, r.LeadDays[m]))
}

// cutFor is when a debit leaves: at the next cut, or at once when that would be too late. inTime is false when the
// deadline has passed already.
func (r Rules) cutFor(cal *calendar.Calendar, m bank.Method, action calendar.Date,
	now time.Time) (at time.Time, inTime bool) {
	deadline := r.DeadlineFor(cal, m, action)
	at = r.NextCut(cal, now)
	switch {
	case now.After(deadline):
		return at, false
	case at.After(deadline):
		return now, true
	default:
		return at, true
	}
}
