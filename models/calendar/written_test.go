package calendar_test

import (
	"errors"
	"testing"

	"debitdesk/models/calendar"
)

func TestDatesAreReadAsPeopleWriteThem(t *testing.T) {
	first := calendar.On(2026, 12, 1)
	for text, order := range map[string]calendar.Order{
		"2026-12-01": "", "2026/12/1": "", "2026.12.01": "", "20261201": "", "2026-12-01 00:00:00": "",
		"2026-12-01T00:00:00Z": "",
		"1 Dec 2026":           "", "01-Dec-26": "", "1 Desember 2026": "", "Dec 1, 2026": "", "December 1st 2026": "",
		"Tue, 1 Dec 2026":    "",
		"Dinsdag 1 Des 2026": "", "2026-Dec-01": "", " 1\u00a0Dec\u00a02026 ": "", "46357": "", "46357.5": "",
		"01/12/2026": calendar.DayFirst, "1.12.26": calendar.DayFirst, "12/01/2026": calendar.MonthFirst,
		"12/1/26 8:00 AM": calendar.MonthFirst,
		"26/12/01":        calendar.YearFirst, "2026-12-1": calendar.DayFirst,
	} {
		if got, err := calendar.ParseWritten(text, order); err != nil || got != first {
			t.Errorf("%q %q: %v, %v", text, order, got, err)
		}
	}
}

func TestUnclearDatesAreRefused(t *testing.T) {
	for _, c := range []struct {
		text  string
		order calendar.Order
		want  error
	}{
		{"01/12/2026", "", calendar.ErrOrder},
		{"03/04/25", "", calendar.ErrOrder},
		{"25/12/2026", "", nil},
		{"12/25/2026", "", nil},
		{"12/12/2026", "", nil},
		{"12/25/2026", calendar.DayFirst, calendar.ErrNotOrder},
		{"25/12/2026", calendar.MonthFirst, calendar.ErrNotOrder},
		{"25/12/2026", calendar.YearFirst, calendar.ErrNotOrder},
		{"31/02/2026", calendar.DayFirst, calendar.ErrNoSuch},
		{"2026-02-30", "", calendar.ErrNoSuch},
		{"2026-13-01", "", calendar.ErrNoSuch},
		{"32/13/2026", "", calendar.ErrNoSuch},
		{"1 Foo 2026", "", calendar.ErrNoDate},
		{"next week", "", calendar.ErrNoDate},
		{"12:30", "", calendar.ErrNoDate},
		{"123", "", calendar.ErrNoDate},
		{"", "", calendar.ErrNoDate},
	} {
		if got, err := calendar.ParseWritten(c.text, c.order); !errors.Is(err, c.want) {
			t.Errorf("%q %q: %v, %v, want %v", c.text, c.order, got, err, c.want)
		}
	}
}

func TestADateShowsItsOrder(t *testing.T) {
	for text, want := range map[string]calendar.Order{
		"2026-12-01": calendar.YearFirst, "25/12/2026": calendar.DayFirst, "12/25/2026": calendar.MonthFirst,
		"25.12.99": calendar.DayFirst, "06/31/2026": "", "31/06/2026": "", "02/29/2028": calendar.MonthFirst,
		"01/12/2026": "", "25/12/26": "", "1 Dec 2026": "", "": "",
	} {
		if got := calendar.OrderIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
