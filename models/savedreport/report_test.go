package savedreport

import (
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

func day(text string) calendar.Date {
	d, err := calendar.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

func TestAPeriodMovesOnWithTheCalendar(t *testing.T) {
	for _, c := range []struct {
		period                              Period
		than                                Than
		today, from, to, before, beforeLast string
	}{
		{LastMonth, Before, "2026-12-01", "2026-11-01", "2026-11-30", "2026-10-01", "2026-10-31"},
		{LastMonth, Year, "2028-03-31", "2028-02-01", "2028-02-29", "2027-02-01", "2027-02-28"},
		{LastMonth, Before, "2027-01-04", "2026-12-01", "2026-12-31", "2026-11-01", "2026-11-30"},
		{LastQuarter, Before, "2026-12-01", "2026-09-01", "2026-11-30", "2026-06-01", "2026-08-31"},
		{LastYear, Year, "2026-12-31", "2025-12-01", "2026-11-30", "2024-12-01", "2025-11-30"},
		{SoFar, Nothing, "2026-11-27", "2026-09-01", "2026-11-27", "", ""},
	} {
		q, before := Report{Period: c.period, Than: c.than}.Asks(day(c.today))
		if q.From != day(c.from) || q.To != day(c.to) {
			t.Errorf("%s on %s: %s to %s", c.period, c.today, q.From, q.To)
		}
		if c.before == "" {
			if !before.From.IsZero() {
				t.Errorf("%s on %s is compared with %s", c.period, c.today, before.From)
			}
		} else if before.From != day(c.before) || before.To != day(c.beforeLast) {
			t.Errorf("%s on %s: before it %s to %s", c.period, c.today, before.From, before.To)
		}
	}
}

func TestReportsAreMailedOnTheFirstBusinessDay(t *testing.T) {
	c := calendar.New()
	for today, want := range map[string]string{"2026-12-31": "2026-12-01", "2026-11-01": "2026-11-02", // a Sunday
		"2027-01-15": "2027-01-04"} { // New Year, and a weekend
		if got := mailDay(c, day(today)); got != day(want) {
			t.Errorf("in the month of %s: %s, want %s", today, got, want)
		}
	}
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	r := Report{Name: " \t ", Period: "week", Than: "x", Method: "card"}
	f, known := fault.From(r.tidy())
	if !known || len(f.Fields) != 4 {
		t.Errorf("%v", f)
	}
	r = Report{Name: " How  it\nwent ", Period: LastMonth, Than: Before}
	if err := r.tidy(); err != nil || r.Name != "How it went" {
		t.Errorf("%q: %v", r.Name, err)
	}
}
