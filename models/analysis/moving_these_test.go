package analysis

import (
	"testing"

	"debitdesk/models/collection"
)

// year is a year of debits: each month some on the 1st and some on the 26th, of which so many were paid.
func year(first, firstPaid, later, laterPaid int64) (out []sum) {
	for month := day("2025-11-01"); month.Before(day("2026-11-01")); month = month.LastDayOfMonth().AddDays(1) {
		out = append(out, of(month.String(), collection.Final, firstPaid),
			of(month.String(), collection.Unpaid, first-firstPaid),
			of(month.AddDays(25).String(), collection.Final, laterPaid),
			of(month.AddDays(25).String(), collection.Unpaid, later-laterPaid))
	}
	return out
}

func side(debits []PlannedDebit, sums []sum) Side {
	return sideOf(debits, sums, day("2025-11-01"), day("2026-10-31"))
}

func forty(on string) (out []PlannedDebit) {
	for range 40 {
		out = append(out, PlannedDebit{On: day(on), Cents: 50_000})
	}
	return out
}

func TestADayIsJudgedByItsOwnDayOfTheMonth(t *testing.T) {
	sums := year(100, 60, 100, 95)
	m := MovingThese{Stay: side(forty("2026-12-01"), sums), Move: side(forty("2026-12-26"), sums)}
	if d := m.Stay.Days; len(d) != 1 || d[0].Paid != 720 || d[0].Answered != 1200 || d[0].N != 40 {
		t.Fatalf("%+v", d)
	}
	if p := m.Move.Days[0]; p.Paid != 1140 || p.Answered != 1200 {
		t.Errorf("%+v", p)
	}
	if !m.Differs() || m.Move.Band.Low <= m.Stay.Band.High || m.Move.Cents != 2_000_000 {
		t.Errorf("planned %+v, moved %+v", m.Stay.Band, m.Move.Band)
	}
	// 720 of 1 200 are 60 %: of 40 debits of R 500 that is R 12 000, and a range around it.
	if b := m.Stay.Band; b.Expected < 1_195_000 || b.Expected > 1_205_000 || b.Low >= b.Expected || b.High <= b.Expected {
		t.Errorf("%+v", b)
	}
	if even := year(100, 90, 100, 91); (MovingThese{Stay: side(forty("2026-12-01"), even),
		Move: side(forty("2026-12-26"), even)}).Differs() {
		t.Error("what chance explains is told as a difference")
	}
}

func TestADayWithTooFewCasesHasNoRange(t *testing.T) {
	sums := year(100, 90, 2, 2) // 24 cases on the 26th
	for _, debits := range [][]PlannedDebit{forty("2026-12-26"), forty("2026-12-13"), append(forty("2026-12-01"),
		PlannedDebit{On: day("2026-12-26"), Cents: 100}), nil} {
		if s := side(debits, sums); s.Known || s.Band.High != 0 {
			t.Errorf("%d debits: %+v", len(debits), s)
		}
	}
	if s := side(append(forty("2026-12-01"), PlannedDebit{On: day("2026-12-26"), Cents: 100}), sums); s.N != 41 ||
		s.Cents != 2_000_100 || s.Days[1].Answered != 24 || !s.Days[0].Enough() || s.Days[1].Enough() {
		t.Errorf("%+v", s)
	}
}
