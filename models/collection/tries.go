package collection

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/estimate"
)

// mostTries is how many of a client's newest debits are looked at: who is paid by another employer has another pay day.
const mostTries = 24

// PayDayBy is the pay day of a client by what was known of its debits at a moment; false where it cannot be said.
func PayDayBy(known []Known, now time.Time, cal *calendar.Calendar) (estimate.PayDay, bool) {
	var tries []estimate.Try
	for _, k := range known {
		if !k.At.After(now) && len(tries) < mostTries {
			tries = append(tries, k.Try)
		}
	}
	return estimate.PayDayOf(tries, cal)
}

// tryOf is what a debit says about a pay day; false where it says nothing, as one does that the client stopped, or that
// may still be returned.
func tryOf(on calendar.Date, state State, code string) (estimate.Try, bool) {
	switch {
	case state == Provisional:
		return estimate.Try{}, false
	case state.Collected(), state == Disputed, state == DisputeLost:
		return estimate.Try{On: on, Paid: true}, true // there was money, whatever the client said of it later
	case state == Unpaid && bank.CodeOf(code).Class == bank.Soft:
		return estimate.Try{On: on}, true
	}
	return estimate.Try{}, false
}
