package mandate

import (
	"fmt"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// LastDay stands for the last day of the month as a deduction day.
const LastDay = 99

// Debit is one debit that is to run under a mandate.
type Debit struct {
	AmountCents int64
	Currency    string
	Due         calendar.Date // the SAST day of the purchase's due
	// Runs gives the action date of a due day, as the calendar, the merchant's shift and the cut-offs move it. Left out,
	// a debit runs on the day that it is due.
	Runs func(due calendar.Date) calendar.Date
	// Others are the debits under this mandate that run or have run and did not fail.
	Others []Day
}

// Day is when one debit runs.
type Day struct{ Due, Action calendar.Date }

func (d Debit) runs(due calendar.Date) calendar.Date {
	if d.Runs == nil {
		return due
	}
	return d.Runs(due)
}

// The fields at which Judge notes what speaks against a debit.
const (
	AtAmount = "amount"
	AtDue    = "due"
)

const refused = "purchase_charge_error"

// Judge tells why a debit under this mandate may be disputed, and everything that speaks against it, at the fields
// amount, due and __all__, each with the limit and what helps (API contract 3.8 and 12.30). The terms are held against
// the day on which the debit runs, not against the day on which it is due. An EFT mandate has no terms to judge by.
func (m Mandate) Judge(d Debit, cal *calendar.Calendar) (because []string, against fault.Problems) {
	if m.Kind != DebiCheck {
		return nil, nil
	}
	if m.Terms == nil {
		against.Add(fault.All, refused, "The terms of this mandate are not on record. Set up a new mandate.")
		return nil, against
	}
	j := judgement{m: m, d: d, cal: cal, action: d.runs(d.Due)}
	if m.Fallback {
		j.because = append(j.because, BecauseFallback)
	}
	j.currency()
	j.amount()
	j.date()
	if m.SecondInPeriod(Day{d.Due, j.action}, d.Others, cal) {
		j.because = append(j.because, BecauseSecondInPeriod)
	}
	if len(j.against) > 0 {
		return nil, j.against
	}
	return j.because, nil
}

// judgement collects what speaks against a debit, and what makes it disputable.
type judgement struct {
	m       Mandate
	d       Debit
	cal     *calendar.Calendar
	action  calendar.Date
	because []string
	against fault.Problems
}

func (j *judgement) currency() {
	if j.d.Currency != money.ZAR {
		j.against.Add(fault.All, refused, "This mandate is in ZAR and the debit in %s. Make the purchase in ZAR.",
			short(j.d.Currency))
	}
}

func (j *judgement) amount() {
	if wrong := j.m.AgainstAmount(j.d.AmountCents, j.action); wrong != "" {
		j.against.Add(AtAmount, refused, "%s", wrong)
		return
	}
	if price, _ := j.m.Terms.On(j.m.accepted(), j.action); j.d.AmountCents != price {
		j.because = append(j.because, BecauseAmountDiffers)
	}
}

// AgainstAmount says why a debit of an amount on a day is not allowed, with the limit and what helps; empty when it is.
// A mandate without terms on record, such as one for EFT, has nothing against it here.
func (m Mandate) AgainstAmount(cents int64, action calendar.Date) string {
	if m.Terms == nil {
		return ""
	}
	price, most := m.Terms.On(m.accepted(), action)
	say := func(cents int64) string { return money.Format(cents, money.ZAR) }
	switch {
	case cents > most:
		return fmt.Sprintf("%s is above the maximum of one debit under this mandate, %s. Lower the amount, "+
			"or set up a new mandate with a higher maximum.", say(cents), say(most))
	case cents != price && m.Terms.ValueType == Fixed:
		return fmt.Sprintf("This mandate is FIXED: every debit must be exactly %s, and this one is %s. "+
			"Change the amount, or set up a new mandate.", say(price), say(cents))
	}
	return ""
}

func (m Mandate) accepted() calendar.Date {
	if m.AcceptedAt.IsZero() {
		return calendar.Date{}
	}
	return calendar.DateOf(m.AcceptedAt)
}

func (j *judgement) date() {
	switch {
	case j.m.Agreed(j.action, j.cal):
	case j.m.Terms.AllowDateAdjustment:
		j.because = append(j.because, BecauseDateDiffers)
	default:
		would := ""
		if j.action != j.d.Due {
			would = " and would run on " + say(j.action)
		}
		j.against.Add(
			AtDue,
			refused,
			"This mandate allows debits %s only, or on the next processing day when that day is closed, "+
				"and this one is due on %s%s. "+
				"Move the due date to %s, or set up a new mandate with allow_date_adjustment.",
			j.m.Days(),
			say(j.d.Due),
			would,
			say(j.m.NextDue(j.d.Due, j.d.Runs, j.cal)),
		)
	}
}

func say(d calendar.Date) string { return d.Format("2 January 2006") }
