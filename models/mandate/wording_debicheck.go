package mandate

import (
	"fmt"

	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// authenticated is what the client confirms at their own bank: the particulars of a
// DebiCheck mandate (industry: mandate data elements).
func authenticated(m Mandate, b merchant.Brand, t Start) []string {
	say := func(cents int64) string { return money.Format(cents, t.Currency) }
	clauses := []string{
		fmt.Sprintf(
			"I, %s, authorise %s to debit %s by DebiCheck debit order. My bank asks me to confirm this mandate, "+
				"and debits only as I confirmed it there.",
			holder(m),
			collector(b),
			account(m),
		),
		first(m, t),
	}
	clauses = append(clauses, later(m, b, t))
	if m.Terms.DelayedOnFailure {
		clauses = append(
			clauses,
			"If I do not answer my bank in time, it asks me once more. If I do not answer then either, "+
				"the mandate is registered all the same, and I may dispute each debit under it.",
		)
	}
	return append(clauses,
		amounts(*m.Terms, say),
		adjustments(*m.Terms, say),
		dates(m, b.DebiCheckShift, t),
		tracking(t.TrackDays),
	)
}

// tracking says how long the bank waits for money.
func tracking(days *int) string {
	n := DefaultLimits().TrackingDays
	if days != nil {
		n = *days
	}
	if n == 0 {
		return "When there is not enough money in my account, my bank does not wait for money: the debit fails at once."
	}
	return fmt.Sprintf("When there is not enough money in my account, my bank may watch it for up to %s and "+
		"debit it when money arrives.", plural.Of(n, "day"))
}

// amounts names the value type, the agreed amount and the maximum.
func amounts(t Terms, say func(int64) string) string {
	price, most := say(t.PriceCents), say(t.MaxAmountCents)
	switch t.ValueType {
	case Fixed:
		return fmt.Sprintf("The amount is fixed (FIXED): each debit is %s, and never above the maximum of %s.", price, most)
	case UsageBased:
		return fmt.Sprintf(
			"The amount follows what I use (USAGEBASED): it is normally %s, and never above the maximum of %s.", price, most)
	case Variable:
	}
	return fmt.Sprintf("The amount may vary (VARIABLE): it is normally %s, and never above the maximum of %s.", price,
		most)
}

// adjustments says how amount and maximum change while the mandate lasts.
func adjustments(t Terms, say func(int64) string) string {
	e := explaining{t: t, say: say}
	length, change := t.AdjustmentCategory.months(), e.change()
	switch {
	case change != "" && t.AdjustmentCategory == Repo:
		return "The amount and the maximum may " + change + " when the repo rate changes."
	case change != "" && length > 0:
		return fmt.Sprintf("Every %d months the amount and the maximum %s.", length, change)
	}
	return "The amount and the maximum are not adjusted."
}

// onePerPeriod is how many debits the rhythm has.
func onePerPeriod(m Mandate) string {
	if m.Terms == nil {
		return ""
	}
	period := explaining{t: *m.Terms, m: m}.periodWord()
	if period == "" {
		return ""
	}
	return " Each " + period + " has one debit; I may dispute a second one."
}

// dates says where a closed payment day moves, and whether a debit may run on another. Where it may not, only
// the next day is left, whatever the merchant does elsewhere: the client's bank takes no debit on the day
// before. The first debit has a date of its own, which is confirmed with the mandate.
func dates(m Mandate, shift calendar.Shift, t Start) string {
	to := "next day on"
	if shift == calendar.Previous && m.Terms.AllowDateAdjustment {
		to = "day before, on"
	}
	moved := "A payment day that is a Sunday or a public holiday moves to the " + to + " which DebiCheck debits run."
	switch {
	case m.Terms.AllowDateAdjustment:
		return moved + " A debit may also run on another day than the one agreed; I may dispute such a debit."
	case !m.AllowsOneDebit() && !t.FirstDebit.IsZero() && !m.Deducts(t.FirstDebit):
		return moved + " Apart from the first debit, which runs on the date named above, no debit may run on any other day."
	}
	return moved + " No debit may run on any other day."
}
