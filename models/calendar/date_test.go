package calendar_test

import (
	"encoding/json"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

func TestTheDayOfAnInstantIsTakenInSAST(t *testing.T) {
	for instant, want := range map[string]string{
		"2026-11-22T21:59:59Z":      "2026-11-22",
		"2026-11-22T22:00:00Z":      "2026-11-23",
		"2026-12-31T23:30:00-05:00": "2027-01-01",
	} {
		at, err := time.Parse(time.RFC3339, instant)
		if err != nil {
			t.Fatal(err)
		}
		if got := calendar.DateOf(at).String(); got != want {
			t.Errorf("%s: %s, want %s", instant, got, want)
		}
	}
	if got := day(t, "2026-11-23").At(12, 0).UTC().Format(time.RFC3339); got != "2026-11-23T10:00:00Z" {
		t.Errorf("noon in SAST is ten in UTC, got %s", got)
	}
}

func TestOnlyRealDatesAreRead(t *testing.T) {
	for _, text := range []string{"", "2026-02-29", "2026-13-01", "2026-1-1", "01/02/2026", "2026-01-01T00:00:00Z"} {
		if d, err := calendar.ParseDate(text); err == nil {
			t.Errorf("%q was read as %s", text, d)
		}
	}
	if day(t, "2028-02-29").AddDays(1).String() != "2028-03-01" {
		t.Error("the day after 29 February")
	}
}

func TestMonthsKeepTheirAnchorDay(t *testing.T) {
	start := day(t, "2026-01-30")
	for n, want := range []string{"2026-01-30", "2026-02-28", "2026-03-30", "2026-04-30"} {
		if got := start.AddMonths(n, 30).String(); got != want {
			t.Errorf("%d months: %s, want %s", n, got, want)
		}
	}
	if got := day(t, "2026-02-28").AddMonths(1, 30).String(); got != "2026-03-30" {
		t.Errorf("a clipped month returns to the anchor: %s", got)
	}
	for n, want := range map[int]string{0: "2028-01-31", 1: "2028-02-29", -1: "2027-12-31", 12: "2029-01-31"} {
		if got := day(t, "2028-01-31").AddMonths(n, 99).String(); got != want {
			t.Errorf("last day %d months on: %s, want %s", n, got, want)
		}
	}
	if got := day(t, "2027-02-03").LastDayOfMonth().String(); got != "2027-02-28" {
		t.Errorf("last day of February: %s", got)
	}
}

func TestDatesAreOrderedAndCounted(t *testing.T) {
	a, b := day(t, "2026-12-31"), day(t, "2027-01-01")
	if !a.Before(b) || !b.After(a) || a.Before(a) || a.After(a) {
		t.Error("order")
	}
	if b.DaysSince(a) != 1 || a.DaysSince(b) != -1 {
		t.Error("days between")
	}
}

func TestDatesTravelThroughJSONAndTheDatabase(t *testing.T) {
	type box struct {
		A calendar.Date `json:"a"`
	}
	text, err := json.Marshal(box{day(t, "2026-04-07")})
	if err != nil || string(text) != `{"a":"2026-04-07"}` {
		t.Fatalf("%s %v", text, err)
	}
	var back box
	if err := json.Unmarshal(text, &back); err != nil || back.A != day(t, "2026-04-07") {
		t.Errorf("back from JSON: %v %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"a":"2026-02-30"}`), &back); err == nil {
		t.Error("a day that does not exist was read")
	}
	value, err := back.A.Value()
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []any{value, "2026-04-07", []byte("2026-04-07"), time.Date(2026, 4, 7, 0, 0, 0, 0, time.UTC)} {
		var d calendar.Date
		if err := d.Scan(from); err != nil || d != back.A {
			t.Errorf("scan of %v: %v %v", from, d, err)
		}
	}
	var none calendar.Date
	if err := none.Scan(nil); err != nil || !none.IsZero() || none.String() != "" {
		t.Errorf("NULL: %v %v", none, err)
	}
	if v, err := none.Value(); v != nil || err != nil {
		t.Errorf("no date is NULL: %v %v", v, err)
	}
	if none.Scan(7) == nil {
		t.Error("a number was taken for a date")
	}
}

func TestTimesOfDayAreReadStrictly(t *testing.T) {
	for _, text := range []string{"24:00", "9:00", "12:60", "", "12:00:00"} {
		if c, err := calendar.ParseTimeOfDay(text); err == nil {
			t.Errorf("%q was read as %s", text, c)
		}
	}
	c, err := calendar.ParseTimeOfDay("03:30")
	if err != nil || c.String() != "03:30" || !c.On(day(t, "2026-01-01")).Equal(day(t, "2026-01-01").At(3, 30)) {
		t.Errorf("03:30: %v %v", c, err)
	}
}

func TestAWeekBeginsOnMonday(t *testing.T) {
	for n := range 14 { // from Monday 23 November 2026 on
		if got := calendar.On(2026, time.November, 23+n).ISOWeekday(); got != n%7+1 {
			t.Errorf("day %d of the week is %d", n%7+1, got)
		}
	}
}

func TestDaysAreCutIntoWholeMonthsAndTheRest(t *testing.T) {
	for _, c := range []struct{ from, to, first, end string }{
		{"2026-10-01", "2026-12-31", "2026-10-01", "2027-01-01"},
		{"2026-10-02", "2026-12-30", "2026-11-01", "2026-12-01"},
		{"2026-10-15", "2026-11-14", "2026-11-01", "2026-11-01"}, // no whole month
		{"2026-11-02", "2026-11-30", "2026-12-01", "2026-12-01"},
		{"2026-11-10", "2026-11-20", "2026-11-21", "2026-11-21"},
		{"2026-11-01", "2026-11-30", "2026-11-01", "2026-12-01"},
	} {
		first, end := calendar.WholeMonths(day(t, c.from), day(t, c.to))
		if first != day(t, c.first) || end != day(t, c.end) {
			t.Errorf("%s to %s: whole months from %s until %s", c.from, c.to, first, end)
		}
	}
}
