package calendar_test

import (
	"testing"

	"debitdesk/models/calendar"
)

func day(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestClosedDaysAreNamed(t *testing.T) {
	c := calendar.New()
	for text, want := range map[string]string{
		"2026-01-01": "New Year's Day",
		"2026-03-21": "Human Rights Day",
		"2026-03-23": "", // a Saturday holiday does not move
		"2026-04-03": "Good Friday",
		"2026-04-06": "Family Day",
		"2026-04-27": "Freedom Day",
		"2026-05-01": "Workers' Day",
		"2026-06-16": "Youth Day",
		"2026-08-09": "National Women's Day",
		"2026-08-10": "National Women's Day (observed)",
		"2026-08-11": "",
		"2026-09-24": "Heritage Day",
		"2026-12-16": "Day of Reconciliation",
		"2026-12-25": "Christmas Day",
		"2026-12-26": "Day of Goodwill",
		"2026-12-28": "",
		"2027-03-22": "Human Rights Day (observed)",
		"2027-12-26": "Day of Goodwill",
		"2027-12-27": "Day of Goodwill (observed)",
		"2024-05-29": "Election day",
		"2021-11-01": "Election day",
		"2011-12-27": "Public holiday by proclamation",
		"2016-12-27": "Public holiday by proclamation",
		"2022-12-26": "Day of Goodwill",
		"2033-12-25": "Christmas Day",
		"2033-12-26": "Day of Goodwill",
		"2033-12-27": "", // no proclamation yet: the Act gives the Monday only
		"2026-11-21": "Saturday",
		"2026-11-22": "Sunday",
		"2026-11-23": "",
		"2112-04-15": "Good Friday", // beyond the years kept ready
	} {
		got, closed := c.Closed(day(t, text))
		if got != want || closed != (want != "") {
			t.Errorf("%s: got %q %v, want %q", text, got, closed, want)
		}
		if c.IsBusinessDay(day(t, text)) != (want == "") {
			t.Errorf("%s: business day and closed disagree", text)
		}
	}
}

func TestChangesAddAndRemoveClosedDays(t *testing.T) {
	added, removed := day(t, "2026-11-11"), day(t, "2026-09-24")
	c := calendar.New(calendar.Change{Day: added, Name: "Local election"}, calendar.Change{Day: removed, Open: true})
	if reason, closed := c.Closed(added); !closed || reason != "Local election" {
		t.Errorf("added day: %q %v", reason, closed)
	}
	if _, closed := c.Closed(removed); closed {
		t.Error("removed day is still closed")
	}
	if !calendar.New().IsBusinessDay(added) {
		t.Error("one calendar's change reached another")
	}
}

func TestClosedDaysShift(t *testing.T) {
	c := calendar.New()
	for _, row := range []struct{ from, previous, next string }{
		{"2026-04-03", "2026-04-02", "2026-04-07"},
		{"2026-04-05", "2026-04-02", "2026-04-07"},
		{"2026-04-06", "2026-04-02", "2026-04-07"},
		{"2026-04-07", "2026-04-07", "2026-04-07"},
		{"2027-01-01", "2026-12-31", "2027-01-04"},
		{"2026-12-26", "2026-12-24", "2026-12-28"},
	} {
		if got := c.Shift(day(t, row.from), calendar.Previous).String(); got != row.previous {
			t.Errorf("%s previous: %s, want %s", row.from, got, row.previous)
		}
		if got := c.Shift(day(t, row.from), calendar.Next).String(); got != row.next {
			t.Errorf("%s next: %s, want %s", row.from, got, row.next)
		}
	}
}

func TestBusinessDaysAreCountedAcrossEaster(t *testing.T) {
	c := calendar.New()
	for _, row := range []struct {
		from string
		n    int
		want string
	}{
		{"2026-04-01", 1, "2026-04-02"},
		{"2026-04-01", 2, "2026-04-07"},
		{"2026-04-02", 2, "2026-04-08"},
		{"2026-04-04", 1, "2026-04-07"},
		{"2026-04-02", 0, "2026-04-02"},
	} {
		if got := c.AddBusinessDays(day(t, row.from), row.n).String(); got != row.want {
			t.Errorf("%d after %s: %s, want %s", row.n, row.from, got, row.want)
		}
	}
	if got := c.BusinessDaysBefore(day(t, "2026-04-08"), 2).String(); got != "2026-04-02" {
		t.Errorf("two before 8 April: %s", got)
	}
	if got := c.BusinessDaysBefore(day(t, "2026-04-06"), 1).String(); got != "2026-04-02" {
		t.Errorf("one before Family Day: %s", got)
	}
}
