package mandate

import (
	"fmt"
	"strings"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// LastDay stands for the last day of the month as a deduction day.
const LastDay = 99

// Debit is one debit that is to run under a mandate. Due is the SAST day of the purchase's due.
type Debit struct {
	AmountCents int64
	Currency    string
	Due         calendar.Date
}

// Judge tells why a debit under this mandate may be disputed, or refuses it: Conflict purchase_charge_error, with every
// reason, the limit and what helps (API contract 3.8). An EFT mandate has no terms to judge by.
func (m Mandate) Judge(d Debit, cal *calendar.Calendar) (because []string, err error) {
	if m.Kind != DebiCheck {
		return nil, nil
	}
	if m.Terms == nil {
		return nil, refusal("The terms of this mandate are not on record. Set up a new mandate.")
	}
	j := judgement{m: m, d: d, cal: cal}
	if m.Fallback {
		j.because = append(j.because, BecauseFallback)
	}
	j.currency()
	j.amount()
	j.date()
	if len(j.against) > 0 {
		return nil, refusal(strings.Join(j.against, " "))
	}
	return j.because, nil
}

func refusal(message string) *fault.Fault {
	return fault.New(fault.Conflict, "purchase_charge_error", "%s", message)
}

// judgement collects what speaks against a debit, and what makes it disputable.
type judgement struct {
	m       Mandate
	d       Debit
	cal     *calendar.Calendar
	because []string
	against []string
}

func (j *judgement) refuse(format string, args ...any) {
	j.against = append(j.against, fmt.Sprintf(format, args...))
}

func (j *judgement) currency() {
	if j.d.Currency != money.ZAR {
		j.refuse("This mandate is in ZAR and the debit in %s. Make the purchase in ZAR.", short(j.d.Currency))
	}
}

func (j *judgement) amount() {
	price, most := j.m.Terms.On(j.accepted(), j.d.Due)
	amount := j.d.AmountCents
	say := func(cents int64) string { return money.Format(cents, money.ZAR) }
	switch {
	case amount > most:
		j.refuse("%s is above the maximum of this mandate, %s. Lower the amount, or set up a new mandate with a higher maximum.", say(amount), say(most))
	case amount == price:
	case j.m.Terms.ValueType == Fixed:
		j.refuse("This mandate is FIXED: every debit must be exactly %s, and this one is %s. Change the amount, or set up a new mandate.", say(price), say(amount))
	default:
		j.because = append(j.because, BecauseAmountDiffers)
	}
}

func (j *judgement) accepted() calendar.Date {
	if j.m.AcceptedAt.IsZero() {
		return calendar.Date{}
	}
	return calendar.DateOf(j.m.AcceptedAt)
}

func (j *judgement) date() {
	switch {
	case j.onTheDay():
	case j.m.Terms.AllowDateAdjustment:
		j.because = append(j.because, BecauseDateDiffers)
	default:
		j.refuse("This mandate allows debits %s only, or on the next processing day when that day is closed, and this one is due on %s. "+
			"Move the due date to %s, or set up a new mandate with allow_date_adjustment.", j.m.dayWords(), say(j.d.Due), say(j.m.NextDay(j.d.Due)))
	}
}

func say(d calendar.Date) string { return d.Format("2 January 2006") }

// onTheDay tells whether due is a deduction day, or the first processing day after one that is closed (industry: date
// adjustment rule).
func (j *judgement) onTheDay() bool {
	if j.m.deducts(j.d.Due) {
		return true
	}
	if !j.cal.IsEarlyDay(j.d.Due) {
		return false
	}
	const longest = 14 // closed days in a row; there are never so many
	day := j.d.Due.AddDays(-1)
	for range longest {
		if j.cal.IsEarlyDay(day) {
			return false
		}
		if j.m.deducts(day) {
			return true
		}
		day = day.AddDays(-1)
	}
	return false
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

// deducts tells whether a day is a deduction day; any day is, where none is named. A month that is too short for the day
// ends on it.
func (m Mandate) deducts(d calendar.Date) bool {
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
	for !m.deducts(d) {
		d = d.AddDays(1)
	}
	return d
}

// dayWords says on which day debits run: "on the 25th", "on Fridays", "on any day".
func (m Mandate) dayWords() string {
	switch {
	case !m.hasDay():
		return "on any day"
	case m.PeriodUnits == "weeks":
		return "on " + time.Weekday(m.DeductionDay%7).String() + "s"
	case m.DeductionDay == LastDay:
		return "on the last day of the month"
	}
	return "on the " + ordinal(m.DeductionDay)
}
