package main

import (
	"io"
	"log/slog"
	"strings"
	"testing"

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
	for _, one := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"list"}, exitOK, "no day was added"},
		{[]string{"add", "2027-01-11", "Election day", "--check"}, exitOK, "nothing was changed"},
		{[]string{"list"}, exitOK, "no day was added"},
		{[]string{"add", "2027-01-11", "Election day"}, exitOK, "2027-01-11 Election day: added"},
		{[]string{"add", "2026-12-25", "Work on", "--open"}, exitOK, "added"},
		{[]string{"add", "2027-02-30", "Nothing"}, exitUsage, "is not a date"},
		{[]string{"add", "2027-01-12", " "}, exitFailed, "needs a name"},
		{[]string{"add", "2027-01-12", strings.Repeat("n", 81)}, exitFailed, "at most 80"},
		{[]string{"list"}, exitOK, "2026-12-25  open    Work on\n2027-01-11  closed  Election day\n"},
		{[]string{"remove", "2027-01-12"}, exitFailed, "No day was proclaimed"},
		{[]string{"remove", "2026-12-25", "--check"}, exitOK, "no return after"},
		{[]string{"remove", "2026-12-25"}, exitOK, "removed"},
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
	if name, closed := days.Closed(calendar.On(2027, 1, 11)); !closed || name != "Election day" {
		t.Error("a program that starts does not know the day")
	}
	if _, closed := days.Closed(calendar.On(2026, 12, 25)); !closed {
		t.Error("what was taken back still opens the day")
	}
	var entries int
	if err := a.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_entries WHERE action LIKE 'calendar.%'`).Scan(
		&entries); err != nil || entries != 6 {
		t.Errorf("%d entries for three changes and two merchants: %v", entries, err)
	}
}
