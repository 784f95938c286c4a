package main

import (
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

func TestHolidaysAreAddedListedAndTakenBack(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	env["DEBITDESK_DATA"] = t.TempDir()
	if got := typed(t, env, "", "migrate", "up"); got.code != exitOK {
		t.Fatal(got.err)
	}
	for _, slug := range []string{"gym", "school"} {
		if got := typed(t, env, "", "merchant", "create", slug, "--name", slug); got.code != exitOK {
			t.Fatal(got.err)
		}
	}
	year := calendar.DateOf(time.Now()).Year + 1 // what was is not changed
	monday := calendar.On(year, 1, 11)
	for monday.Weekday() != time.Monday {
		monday = monday.AddDays(1)
	}
	election, tuesday, christmas := monday.String(), monday.AddDays(1).String(), calendar.On(year, 12, 25)
	for _, one := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"list"}, exitOK, "no day was added"},
		{[]string{"add", election, "Election day", "--check"}, exitOK, "nothing was changed"},
		{[]string{"list"}, exitOK, "no day was added"},
		{[]string{"add", election, "Election day"}, exitOK, election + " Election day: added"},
		{[]string{"add", christmas.String(), "Work on", "--open"}, exitOK, "added"},
		{[]string{"add", strconv.Itoa(year) + "-02-30", "Nothing"}, exitUsage, "is not a date"},
		{[]string{"add", tuesday, " "}, exitFailed, "needs a name"},
		{[]string{"add", tuesday, strings.Repeat("n", 81)}, exitFailed, "at most 80"},
		{[]string{"list"}, exitOK, election + "  closed  Election day\n" + christmas.String() + "  open    Work on\n"},
		{[]string{"remove", tuesday}, exitFailed, "No day was proclaimed"},
		{[]string{"remove", christmas.String(), "--check"}, exitOK, "no return after"},
		{[]string{"remove", christmas.String()}, exitOK, "removed"},
	} {
		got := typed(t, env, "", append([]string{"holiday"}, one.args...)...)
		if got.code != one.code || !strings.Contains(got.out+got.err, one.says) {
			t.Errorf("holiday %v: %d %s%s", one.args, got.code, got.out, got.err)
		}
	}
	c, err := ReadConfig(env)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), c, opening{log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	days := a.Services.Purchases.Calendar
	if name, closed := days.Closed(monday); !closed || name != "Election day" {
		t.Error("a program that starts does not know the day")
	}
	if _, closed := days.Closed(christmas); !closed {
		t.Error("what was taken back still opens the day")
	}
	var entries int
	if err := a.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_entries WHERE action LIKE 'calendar.%'`).Scan(
		&entries); err != nil || entries != 6 {
		t.Errorf("%d entries for three changes and two merchants: %v", entries, err)
	}
}
