package mandate

import (
	"cmp"
	"fmt"

	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// authenticated is what the payer confirms at the own bank: the particulars of a
// DebiCheck mandate (industry: mandate data elements).
func authenticated(m Mandate, b merchant.Brand, t Start) []string {
	say := func(cents int64) string { return money.Format(cents, t.Currency) }
	clauses := []string{
		fmt.Sprintf("I, %s, authorise %s to debit %s by DebiCheck debit order. My bank asks me to confirm this mandate, and debits only as I confirmed it there.",
			holder(m), collector(b), account(m)),
		first(m, t),
	}
	clauses = append(clauses, later(m, b, t))
	if m.Terms.DelayedOnFailure {
		clauses = append(clauses, "If I do not answer my bank in time, it asks me once more. If I do not answer then either, the mandate is registered all the same, and I may dispute each debit under it.")
	}
	return append(clauses,
		amounts(*m.Terms, say),
		adjustments(*m.Terms, say),
		dates(*m.Terms, b.DebiCheckShift),
		fmt.Sprintf("When there is not enough money in my account, my bank may watch it for up to %d days and debit it when money arrives.",
			cmp.Or(t.TrackDays, DefaultLimits().TrackingDays)),
	)
}

// amounts names the value type, the agreed amount and the maximum.
func amounts(t Terms, say func(int64) string) string {
	price, most := say(t.PriceCents), say(t.MaxAmountCents)
	switch t.ValueType {
	case Fixed:
		return fmt.Sprintf("The amount is fixed (FIXED): each debit is %s, and never above the maximum of %s.", price, most)
	case UsageBased:
		return fmt.Sprintf("The amount follows what I use (USAGEBASED): it is normally %s, and never above the maximum of %s.", price, most)
	case Variable:
	}
	return fmt.Sprintf("The amount may vary (VARIABLE): it is normally %s, and never above the maximum of %s.", price, most)
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

// dates says where a closed payment day moves, and whether a debit may run on another.
func dates(t Terms, shift calendar.Shift) string {
	to := "next day on"
	if shift == calendar.Previous {
		to = "day before, on"
	}
	moved := "A payment day that is a Sunday or a public holiday moves to the " + to + " which DebiCheck debits run."
	if t.AllowDateAdjustment {
		return moved + " A debit may also run on another day than the one agreed; I may dispute such a debit."
	}
	return moved + " No debit may run on any other day."
}
