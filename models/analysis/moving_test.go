package analysis

import (
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
)

func TestDebitsThatMoveAreJudgedByTheDayOfTheMonth(t *testing.T) {
	today := day("2026-11-27")
	var sums []sum
	for _, past := range []string{"2026-05", "2026-06", "2026-07", "2026-08", "2026-09", "2026-10"} {
		sums = append(sums, of(past+"-01", collection.Final, 6), of(past+"-01", collection.Unpaid, 4),
			of(past+"-15", collection.Final, 4), of(past+"-26", collection.Final, 9), of(past+"-26", collection.Unpaid, 1))
	}
	sums = append(sums, of("2026-12-01", collection.Scheduled, 40))
	moving := func(to string) Moving {
		m := Moving{From: day("2026-12-01"), To: day(to)}
		m.weigh(sums, today, nil)
		return m
	}
	m := moving("2026-12-26")
	if m.Planned != (purchase.Tally{N: 40, Cents: 4000}) || m.Stay.Answered != 60 || m.Stay.Paid != 36 ||
		m.Move.Answered != 60 || m.Move.Paid != 54 {
		t.Fatalf("%+v", m)
	}
	if !m.Stay.Known || !m.Move.Known || !m.Differs() || m.Move.Band.Expected <= m.Stay.Band.Expected {
		t.Errorf("from 60 to 90 of 100: %+v", m)
	}
	if b := m.Move.Band; b.Low >= b.Expected || b.Expected >= b.High || b.High > 4000 {
		t.Errorf("band %+v", b)
	}
	if m := moving("2026-12-15"); m.Move.Known || m.Differs() || m.Move.Answered != 24 {
		t.Errorf("24 cases are too few: %+v", m)
	}
	debicheck := of("2026-10-15", collection.Final, 40)
	debicheck.Method = bank.DebiCheck
	sums = append(sums, debicheck)
	if m := moving("2026-12-15"); m.Move.Known || m.Move.Answered != 24 {
		t.Errorf("debits by another method do not help: %+v", m)
	}
	if m := moving("2026-12-31"); m.Move.Known || m.Move.Answered != 0 {
		t.Errorf("without a case: %+v", m)
	}
}
