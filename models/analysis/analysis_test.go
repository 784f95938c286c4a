package analysis

import (
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

func day(text string) calendar.Date {
	d, err := calendar.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

func TestAPeriodIsComparedWithOneOfItsKind(t *testing.T) {
	for _, c := range []struct{ from, to, before, beforeTo, year, yearTo string }{
		{"2026-11-01", "2026-11-27", "2026-10-05", "2026-10-31", "2025-11-01", "2025-11-27"},
		{"2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28", "2025-03-01", "2025-03-31"}, // whole months
		{"2026-01-01", "2026-03-31", "2025-10-01", "2025-12-31", "2025-01-01", "2025-03-31"},
		{"2029-02-01", "2029-02-28", "2029-01-01", "2029-01-31", "2028-02-01", "2028-02-29"}, // of a leap year
		{"2028-02-29", "2028-02-29", "2028-02-28", "2028-02-28", "2027-02-28", "2027-02-28"},
	} {
		q := Question{From: day(c.from), To: day(c.to), Method: bank.EFT}
		e, y := q.Earlier(), q.YearBefore()
		if e.From != day(c.before) || e.To != day(c.beforeTo) || e.Method != bank.EFT {
			t.Errorf("%s to %s: before it %s to %s", c.from, c.to, e.From, e.To)
		}
		if y.From != day(c.year) || y.To != day(c.yearTo) {
			t.Errorf("%s to %s: a year earlier %s to %s", c.from, c.to, y.From, y.To)
		}
	}
}

func TestAPeriodThatEndsBeforeItBeginsOrIsTooLongIsRefused(t *testing.T) {
	for q, field := range map[Question]string{{From: day("2026-11-02"), To: day("2026-11-01")}: "to",
		{From: day("2020-01-01"), To: day("2026-11-01")}: "from", {From: day("0001-01-01"), To: day("0001-01-01")}: "from"} {
		f, ok := fault.From(q.check())
		if !ok || len(f.Fields) != 1 || f.Fields[0].Path != field {
			t.Errorf("%s to %s: %v", q.From, q.To, q.check())
		}
	}
	if err := (Question{From: day("2026-11-01"), To: day("2026-11-01")}).check(); err != nil {
		t.Error(err)
	}
}

func of(on string, state collection.State, n int64) sum {
	return sum{Day: day(on), State: state, Method: bank.EFT, N: n, Cents: 100 * n}
}

func TestWeeksAreCutAtTheEndsOfThePeriodAndHoldEveryDebit(t *testing.T) {
	p := Picture{Of: Question{From: day("2026-11-04"), To: day("2026-11-17")}}
	p.spans([]sum{of("2026-11-04", collection.Final, 1), of("2026-11-08", collection.Unpaid, 2),
		of("2026-11-09", collection.Disputed, 4), of("2026-11-17", collection.Provisional, 8),
		of("2026-11-17", collection.Submitted, 16)})
	if len(p.Spans) != 3 || p.Spans[0].To != day("2026-11-08") || p.Spans[1].To != day("2026-11-15") ||
		p.Spans[2].From != day("2026-11-16") || p.Spans[2].To != day("2026-11-17") {
		t.Fatalf("%+v", p.Spans)
	}
	first, second, third := p.Spans[0], p.Spans[1], p.Spans[2]
	if first.Final.N != 1 || first.Unpaid.N != 2 || second.Disputed.N != 4 || third.Provisional.Cents != 800 ||
		third.Open.N != 16 || third.Answered().N != 8 || third.Collected().N != 8 {
		t.Errorf("%+v", p.Spans)
	}
	if len(p.Months) != 1 || p.Months[0].Answered().N != 15 {
		t.Errorf("%+v", p.Months)
	}
}

func TestAGroupHasChangedWhenChanceDoesNotExplainIt(t *testing.T) {
	group := func(now, was, n int64) Group {
		var g Group
		g.Final.N, g.Unpaid.N, g.Was.Final.N, g.Was.Unpaid.N = now, n-now, was, n-was
		return g
	}
	if g := group(90, 70, 100); !g.Changed() {
		t.Error("from 70 to 90 of 100 is no chance")
	}
	if g := group(84, 80, 100); g.Changed() {
		t.Error("from 80 to 84 of 100 may be chance")
	}
	if g := group(20, 2, 25); g.Changed() {
		t.Errorf("below %d cases nothing is said", estimate.Enough)
	}
	groups := grouped([]sum{of("2026-11-08", collection.Final, 1), of("2026-11-09", collection.Final, 1)}, nil,
		func(s sum) Group { return Group{Weekday: s.Day.Weekday()} })
	if groups[0].Weekday != time.Monday || groups[1].Weekday != time.Sunday {
		t.Errorf("a week begins on Monday: %+v", groups)
	}
}

func TestWithoutAHistoryNothingIsForetold(t *testing.T) {
	today := day("2026-11-27")
	var sums []sum
	for n := range 20 {
		sums = append(sums, of(today.AddDays(-60+n).String(), collection.Final, 1))
	}
	kinds := kindsOf(sums, today.AddDays(-190), today.AddDays(-11), nil)
	planned := map[bank.Method]purchase.Tally{bank.EFT: {N: 3, Cents: 300}}
	if _, known := partsOf(planned, kinds); known {
		t.Error("twenty debits are too few")
	}
	for n := range 20 {
		s := of(today.AddDays(-40+n).String(), collection.Final, 1)
		s.Method = bank.DebiCheck
		sums = append(sums, s)
	}
	kinds = kindsOf(sums, today.AddDays(-190), today.AddDays(-11), nil)
	parts, known := partsOf(planned, kinds)
	if !known || parts[0].History.Answered != 40 {
		t.Errorf("with too few of its own, a method is judged by all: %v %+v", known, parts)
	}
}

func TestTheRecentPastIsTriedDayByDayWithoutLookingAhead(t *testing.T) {
	last := day("2026-11-16")
	var sums []sum
	for n := 200; n > 40; n-- { // a long steady past
		sums = append(sums, of(last.AddDays(-n).String(), collection.Final, 9),
			of(last.AddDays(-n).String(), collection.Unpaid, 1))
	}
	sums = append(sums, of(last.AddDays(-20).String(), collection.Final, 9),
		of(last.AddDays(-20).String(), collection.Unpaid, 1),
		of(last.AddDays(-10).String(), collection.Unpaid, 10), // nothing came in
		of(last.AddDays(-5).String(), collection.Submitted, 10))
	if held, tested := tried(sums, last, nil); held != 20 || tested != 21 {
		t.Errorf("held on %d of %d days", held, tested)
	}
}
