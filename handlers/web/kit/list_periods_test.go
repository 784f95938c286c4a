package kit

import (
	"net/url"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

func TestPeriodsLieWhereTheyAreSaidToLie(t *testing.T) {
	now := time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC) // the first of January in South Africa
	for value, want := range map[string]string{
		"today": "2027-01-01 2027-01-01", "yesterday": "2026-12-31 2026-12-31", "tomorrow": "2027-01-02 2027-01-02",
		"next-7-days": "2027-01-01 2027-01-07", "next-30-days": "2027-01-01 2027-01-30",
		"last-7-days": "2026-12-26 2027-01-01",
		"this-month":  "2027-01-01 2027-01-31", "next-month": "2027-02-01 2027-02-28", "last-month": "2026-12-01 2026-12-31",
		"over-30-days-ago": "0001-01-01 2026-12-01",
	} {
		var f struct{ from, to time.Time }
		filter := PeriodFilter("due", "Due", func(f *struct{ from, to time.Time }) *time.Time { return &f.from },
			func(f *struct{ from, to time.Time }) *time.Time { return &f.to })
		l := &Listing{path: "/purchases", Query: url.Values{"due": {value}}, now: now}
		filter.Read(l, &f)
		got := calendar.DateOf(f.from).String() + " " + calendar.DateOf(f.to).String()
		if f.from.IsZero() {
			got = "0001-01-01 " + calendar.DateOf(f.to).String()
		}
		if got != want || len(l.notices) > 0 {
			t.Errorf("%s is %s, want %s %v", value, got, want, l.notices)
		}
		if days := map[string]int{"next-7-days": 7, "next-30-days": 30, "last-7-days": 7}[value]; days > 0 &&
			calendar.DateOf(f.to).DaysSince(calendar.DateOf(f.from))+1 != days {
			t.Errorf("%s is not %d days", value, days)
		}
		if filter.Chip(l, value)[:4] != "Due " {
			t.Errorf("%s reads %q", value, filter.Chip(l, value))
		}
	}
	var f struct{ from, to time.Time }
	l := &Listing{path: "/purchases", Query: url.Values{"due": {"whenever"}}, now: now}
	PeriodFilter("due", "Due", func(f *struct{ from, to time.Time }) *time.Time { return &f.from },
		func(f *struct{ from, to time.Time }) *time.Time { return &f.to }).Read(l, &f)
	if len(l.notices) != 1 || l.Query.Has("due") || !f.from.IsZero() {
		t.Errorf("an unknown period: %v %v", l.notices, f)
	}
}
