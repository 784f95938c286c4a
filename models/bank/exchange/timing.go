package exchange

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// soonEvery is how often requests, cancellations and recalls leave: a payer's time to answer runs, so they do not wait
// for a cut, and yet not every one of them makes a message of its own (ours).
const soonEvery = 15 * time.Minute

func (r Rules) soon(now time.Time) time.Time { return now.Truncate(r.every()).Add(r.every()) }

func (r Rules) every() time.Duration {
	if r.SoonEvery <= 0 {
		return soonEvery
	}
	return r.SoonEvery
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

// handOver is how long before the deadline debits are handed over at the latest, so that their message still leaves
// before it (ours).
const handOver = 10 * time.Minute

// LastCut is when the debits of a day have to be handed over: at the last cut, and a little before the deadline.
func (r Rules) LastCut() calendar.TimeOfDay {
	day := calendar.On(2000, time.January, 1)
	last := r.Deadline.On(day).Add(-handOver)
	latest := day.At(0, 0)
	for _, c := range r.Cuts {
		if at := c.On(day); at.After(latest) {
			latest = at
		}
	}
	if latest.Before(last) {
		last = latest
	}
	local := last.Sub(day.At(0, 0))
	return calendar.TimeOfDay{Hour: int(local.Hours()), Minute: int(local.Minutes()) % 60}
}
