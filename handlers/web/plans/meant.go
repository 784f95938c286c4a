package plans

import (
	"fmt"

	"debitdesk/handlers/web/words"
	"debitdesk/models/money"
	"debitdesk/models/plan"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/pages"
)

// meant shows what the debits of a rehearsed plan would have meant: for clients, and for the limits of the clearing
// rules. What it says about money that might have come in are the business's own past debits.
func meant(v *pages.PastPlanView, r plan.Rehearsal, fact func(label, value string)) {
	if b := r.Bounces; b.Debits > 0 {
		fact("Debits of the plan that failed at the bank", plural.Number(b.Failed))
		fact("Debits of the plan whose answer is not known", plural.Number(b.Open))
		least, most := b.Fees()
		fact("What clients would have paid to their banks for failed debits", words.Sum(least, money.ZAR)+" to "+
			words.Sum(most, money.ZAR))
		v.Note = fmt.Sprintf("A client’s bank charges about %s to %s for a debit that fails. The lower sum counts the "+
			"debits that did fail, the upper one also those whose answer is not known.", words.Sum(plan.LowestFee, money.ZAR),
			words.Sum(plan.HighestFee, money.ZAR))
	}
	for _, m := range r.Months {
		v.Months = append(v.Months, monthRow(m))
	}
	for _, a := range r.After {
		row := pages.AfterRow{Reason: a.Cause.Label(), Method: words.Method(a.Method), Days: daysOf(a.Distance),
			Paid: plural.Number(a.Paid) + " of " + plural.Number(a.N), Share: words.Share(report.Ratio(a.Paid, a.N)),
			Range: "Not enough cases"}
		if in, ok := a.Interval(); ok {
			row.Range = words.Range(in)
		}
		v.After = append(v.After, row)
	}
}

func monthRow(m plan.Month) pages.PastMonthRow {
	best, worst := m.With()
	row := pages.PastMonthRow{Month: m.First.Format("January 2006"), More: plural.Number(m.More),
		Failed:       share(m.Was, m.Was.Unpaid),
		FailedWith:   share(best, best.Unpaid) + " to " + share(worst, worst.Unpaid),
		Disputed:     share(m.Was, m.Was.Disputed),
		DisputedWith: share(best, best.Disputed)}
	row.Note = fmt.Sprintf("The limits are %s failed and %s disputed. ", words.Percent(m.Limits.Unpaid),
		words.Percent(m.Limits.Dispute))
	switch was, low, high := m.Above(); {
	case was && low:
		row.Note += "The month was above the limit of failed debits, with the plan or without it."
	case was:
		row.Note += "The month was above the limit of failed debits. With the plan it could have stayed within it."
	case high:
		row.Note += "With the plan the month could have passed the limit of failed debits."
	default:
		row.Note += "With the plan the month stays within the limit of failed debits."
	}
	if spare := m.Spare(); spare < 0 {
		row.Note += " It is above the limit of disputed debits."
	} else {
		row.Note += " It bears " + plural.Of(spare, "more disputed debit") + "."
	}
	return row
}

func share(o report.Outcome, part int64) string {
	is, _ := o.PerTenThousand(part)
	return words.Share(is)
}

func daysOf(d plan.Distance) string {
	if d.To == 0 {
		return plural.Number(d.From) + " and more"
	}
	return plural.Number(d.From) + " to " + plural.Number(d.To)
}
