package sms

import (
	"time"

	"debitdesk/models/calendar"
)

// Hours are when messages go out that the client has not just asked for.
type Hours struct {
	// Wide lets them out from 07:00 to 21:00 on working days, as a business may choose for messages about its contracts.
	Wide bool
}

// on are the hours of a day; none on Sundays and public holidays (source: follow-up, section 14).
func (h Hours) on(day calendar.Date, cal *calendar.Calendar) (opens, closes int) {
	if _, holiday := cal.Holiday(day); holiday {
		return 0, 0
	}
	switch day.Weekday() {
	case time.Sunday:
		return 0, 0
	case time.Saturday:
		return 9, 13
	case time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday:
	}
	if h.Wide {
		return 7, 21
	}
	return 8, 20
}

// NextAllowed is the first moment from now on at which a message may go out.
func (h Hours) NextAllowed(now time.Time, cal *calendar.Calendar) time.Time {
	for day := calendar.DateOf(now); ; day = day.AddDays(1) {
		opens, closes := h.on(day, cal)
		if opens == closes || !now.Before(day.At(closes, 0)) {
			continue
		}
		if first := day.At(opens, 0); now.Before(first) {
			return first
		}
		return now
	}
}
