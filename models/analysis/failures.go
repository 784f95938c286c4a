package analysis

import (
	"cmp"
	"slices"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// Reason is why debits failed or were disputed, by the bank's code.
type Reason struct {
	Code   string
	All    purchase.Tally
	Months map[calendar.Date]purchase.Tally // by the first of the month
}

// Ending is how it went on with a purchase whose debit had failed.
type Ending string

// The endings, in the order in which they are shown.
const (
	AgainByPlan Ending = "again_by_plan" // a plan had it debited again, and that was paid
	Again       Ending = "again"         // a person or a program had it debited again, and that was paid
	ByHand      Ending = "by_hand"       // paid without a debit
	WrittenOff  Ending = "written_off"
	Withdrawn   Ending = "withdrawn" // cancelled, credited or paid back
	UnderWay    Ending = "under_way" // another debit is planned or at the bank
	StillOwed   Ending = "still_owed"
)

// EndingsInOrder lists them all.
var EndingsInOrder = []Ending{AgainByPlan, Again, ByHand, WrittenOff, Withdrawn, UnderWay, StillOwed}

// Cohort is how the failures of one month ended. A purchase counts once, in the month in which it failed first.
type Cohort struct {
	Month calendar.Date // its first day
	All   purchase.Tally
	By    map[Ending]purchase.Tally
}

func plus(a, b purchase.Tally) purchase.Tally {
	return purchase.Tally{N: a.N + b.N, Cents: a.Cents + b.Cents}
}

// reasonsOf gathers counts by code and month, those with the most debits first.
func reasonsOf(rows []reasonRow) (out []Reason) {
	at := map[string]int{}
	for _, r := range rows {
		i, known := at[r.Code]
		if !known {
			i, at[r.Code] = len(out), len(out)
			out = append(out, Reason{Code: r.Code, Months: map[calendar.Date]purchase.Tally{}})
		}
		out[i].All, out[i].Months[r.Month] = plus(out[i].All, r.Tally), r.Tally
	}
	slices.SortStableFunc(out, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.All.N, a.All.N), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// cohortsOf gathers counts by month and ending; rows come by month.
func cohortsOf(rows []endingRow) (out []Cohort) {
	for _, r := range rows {
		if len(out) == 0 || out[len(out)-1].Month != r.Month {
			out = append(out, Cohort{Month: r.Month, By: map[Ending]purchase.Tally{}})
		}
		c := &out[len(out)-1]
		c.All, c.By[r.Ending] = plus(c.All, r.Tally), plus(c.By[r.Ending], r.Tally)
	}
	return out
}
