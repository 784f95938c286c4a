package analysis

import (
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
)

func TestAMonthAddsUpByMethodAndTellsWhatMovedElsewhere(t *testing.T) {
	debicheck := of("2026-10-15", collection.Successful, 32)
	debicheck.Method = bank.DebiCheck
	sums := []sum{of("2026-10-01", collection.Final, 1), of("2026-10-02", collection.Provisional, 2),
		of("2026-10-02", collection.Unpaid, 4), of("2026-10-03", collection.DisputeWon, 8),
		of("2026-10-04", collection.Cancelled, 16), debicheck, of("2026-10-31", collection.Submitted, 64)}
	var m MonthEnd
	m.take(sums)
	if len(m.Methods) != 2 || m.Methods[0].Withdrawn.N != 16 || m.Methods[0].Answered().N != 15 ||
		m.Methods[1].Collected().N != 32 || m.All.Open.N != 64 {
		t.Errorf("%+v", m)
	}
	// Collected for good and for now, won back, and by DebiCheck; the failed and the withdrawn ones brought nothing.
	if got := m.All.Standing(); got != (purchase.Tally{N: 43, Cents: 4300}) {
		t.Errorf("standing %+v", got)
	}
	m.Ledger = []LedgerKind{{"collected", purchase.Tally{N: 40, Cents: 5000}},
		{"paid_by_hand", purchase.Tally{N: 1, Cents: 70}}, {"returned", purchase.Tally{N: 3, Cents: -500}}}
	debits, all := m.Moved()
	if debits.Cents != 4500 || all.Cents != 4570 || m.ElsewhereCents() != 200 {
		t.Errorf("debits %+v, all %+v, elsewhere %d", debits, all, m.ElsewhereCents())
	}
}

func TestADebitCountsAsDisputableUntilTheDayOfItsRule(t *testing.T) {
	rules := rulebook.Default()
	first, last := day("2026-10-01"), day("2026-10-31")
	sums := []sum{of(first.String(), collection.Final, 1), of(last.String(), collection.Final, 2),
		of(last.String(), collection.Unpaid, 4)}
	until := func(d string) (out MonthEnd) {
		out.disputable(sums, rules, day(d))
		return out
	}
	end := rules.Disputes(rulebook.EFT, first, last).Until(first)
	if m := until(end.String()); m.Disputable.N != 3 || m.Disputable.From != first {
		t.Errorf("on the last day of the first: %+v", m.Disputable)
	}
	if m := until(end.AddDays(1).String()); m.Disputable.N != 2 || m.Disputable.From != last {
		t.Errorf("the day after: %+v", m.Disputable)
	}
	if m := until(rules.Disputes(rulebook.EFT, last, last).Until(last).AddDays(1).String()); m.Disputable.N != 0 {
		t.Errorf("after all: %+v", m.Disputable)
	}
}
