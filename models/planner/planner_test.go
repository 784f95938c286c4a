package planner

import (
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

func on(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// planning is a service whose clock stands at 09:00 of a day.
func planning(t *testing.T, today string) *Service {
	t.Helper()
	now := on(t, today).At(9, 0)
	return &Service{Now: func() time.Time { return now }, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable()}
}

func sum(day calendar.Date, state collection.State, method bank.Method, n, cents int64) daySum {
	return daySum{Day: day, State: state, Method: method, Tally: purchase.Tally{N: n, Cents: cents}}
}

func TestADaySaysHowItsDebitsWentAndLeavesOutWhatWasWithdrawn(t *testing.T) {
	s, day := planning(t, "2026-11-24"), on(t, "2026-11-24")
	d := s.day(day, []daySum{sum(day, collection.Submitted, bank.EFT, 3, 300), sum(day, collection.Final, bank.EFT, 2, 50),
		sum(day, collection.Unpaid, bank.DebiCheck, 1, 20), sum(day, collection.Cancelled, bank.EFT, 9, 900),
		sum(day.AddDays(1), collection.Submitted, bank.EFT, 7, 700)}, nil)
	if d.Debits.All != (purchase.Tally{N: 6, Cents: 370}) || d.Debits.Open != (purchase.Tally{N: 3, Cents: 300}) ||
		d.Debits.Collected != (purchase.Tally{N: 2, Cents: 50}) || d.Debits.Failed != (purchase.Tally{N: 1, Cents: 20}) {
		t.Errorf("%+v", d.Debits)
	}
	if len(d.Answers) != 1 || !d.Answers[0].At.Equal(day.At(17, 0)) || d.Answers[0].Debits.N != 3 {
		t.Errorf("answers %+v", d.Answers)
	}
}

func TestReturnsAndSilenceFollowTheReturnWindow(t *testing.T) {
	s := planning(t, "2026-11-24")
	day := on(t, "2026-11-20") // a Friday: four business days later is Thursday the 26th, the morning after it the 27th
	sums := []daySum{sum(day, collection.Provisional, bank.EFT, 2, 200), sum(day, collection.Submitted, bank.EFT, 1, 100),
		sum(day, collection.Successful, bank.DebiCheck, 5, 500)}
	var days []Day
	for n := range 5 {
		days = append(days, s.day(on(t, "2026-11-24").AddDays(n), sums, nil))
	}
	s.finals(days, sums)
	for i, want := range []int64{3, 3, 3, 0, 0} { // Tuesday to Thursday; on Friday the window has closed
		if got := days[i].Returns.Debits.N; got != want {
			t.Errorf("%s: %d returns can come, want %d", days[i].Date, got, want)
		}
	}
	last := days[3]
	if len(last.Finals) != 1 || last.Finals[0].Debits != (purchase.Tally{N: 3, Cents: 300}) || last.Finals[0].Of != day ||
		!last.Finals[0].At.Equal(on(t, "2026-11-27").At(6, 0)) {
		t.Errorf("final on the 27th: %+v", last.Finals)
	}
	for _, d := range days {
		if d.Date != last.Date && len(d.Finals) > 0 {
			t.Errorf("final on %s: %+v", d.Date, d.Finals)
		}
	}
}

func TestACutOffStandsOnOpenDaysAheadAndCountsWhatWaitsForIt(t *testing.T) {
	s, day := planning(t, "2026-12-15"), on(t, "2026-12-15")
	leaving := map[time.Time]purchase.Tally{day.At(12, 0).UTC(): {N: 4, Cents: 40}}
	if d := s.day(day, nil, leaving); len(d.CutOffs) != 1 || d.CutOffs[0].Debits.N != 4 {
		t.Errorf("%+v", d.CutOffs)
	}
	if d := s.day(day.AddDays(1), nil, leaving); len(d.CutOffs) != 0 || d.Holiday == "" { // Day of Reconciliation
		t.Errorf("%+v", d)
	}
}

func TestAHolidayMovesDebitDatesCutOffsAndTheEndOfReturnWindows(t *testing.T) {
	s := planning(t, "2026-11-24")
	day := on(t, "2026-12-10") // a Thursday
	after := s.Calendar.With(calendar.Change{Day: day, Name: "Election day"})
	brands := []merchant.Brand{{BrandInput: merchant.BrandInput{Name: "Kloof", Shift: calendar.Previous,
		DebiCheckShift: calendar.Next}}}
	moves := s.moves(brands, day.AddDays(-reach), day.AddDays(reach), s.Calendar, after)
	found := map[string]Move{}
	for _, m := range moves {
		found[m.Due.String()+" "+string(m.Method)] = m
	}
	if m := found["2026-12-10 eft"]; m.Is.ActionDate != on(t, "2026-12-09") || m.Was.ActionDate != day {
		t.Errorf("due on the day itself: %+v", m)
	}
	if m := found["2026-12-10 debicheck"]; m.Is.ActionDate != on(t, "2026-12-11") {
		t.Errorf("DebiCheck due on the day itself: %+v", m)
	}
	if m := found["2026-12-11 eft"]; m.Is.ActionDate != m.Was.ActionDate ||
		!m.Is.SubmitAt.Equal(on(t, "2026-12-08").At(12, 0)) {
		t.Errorf("the day after: %+v", m)
	}
	if m := found["2026-12-07 eft"]; !m.Was.FinalAt.Equal(on(t, "2026-12-12").At(6, 0)) ||
		!m.Is.FinalAt.Equal(on(t, "2026-12-15").At(6, 0)) {
		t.Errorf("three days before: %+v", m)
	}
	if _, moved := found["2026-12-03 eft"]; moved {
		t.Error("a debit whose window has closed before the day moves")
	}
	if name, _ := s.Calendar.Holiday(day); name != "" {
		t.Error("looking changed the calendar")
	}
}
