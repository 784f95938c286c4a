package kit

import (
	"slices"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/views/components"
)

// period is some days by where today lies in them, so that a saved view stays what it says.
type period struct {
	value, words string
	days         func(today calendar.Date) (from, to calendar.Date) // both included; zero: open
}

var periods = []period{
	{"today", "today", func(today calendar.Date) (from, to calendar.Date) { return today, today }},
	{"yesterday", "yesterday", func(today calendar.Date) (from, to calendar.Date) {
		return today.AddDays(-1), today.AddDays(-1)
	}},
	{"tomorrow", "tomorrow", func(today calendar.Date) (from, to calendar.Date) {
		return today.AddDays(1), today.AddDays(1)
	}},
	{"next-7-days", "in the next 7 days", func(today calendar.Date) (from, to calendar.Date) { return today, today.AddDays(7) }},
	{"next-30-days", "in the next 30 days", func(today calendar.Date) (from, to calendar.Date) {
		return today, today.AddDays(30)
	}},
	{"last-7-days", "in the last 7 days", func(today calendar.Date) (from, to calendar.Date) { return today.AddDays(-7), today }},
	{"this-month", "this month", func(today calendar.Date) (from, to calendar.Date) {
		return calendar.On(today.Year, today.Month, 1), today.LastDayOfMonth()
	}},
	{"next-month", "next month", func(today calendar.Date) (from, to calendar.Date) {
		return calendar.On(today.Year, today.Month+1, 1), calendar.On(today.Year, today.Month+2, 0)
	}},
	{"last-month", "last month", func(today calendar.Date) (from, to calendar.Date) {
		return calendar.On(today.Year, today.Month-1, 1), calendar.On(today.Year, today.Month, 0)
	}},
	{"over-30-days-ago", "more than 30 days ago", func(today calendar.Date) (from, to calendar.Date) {
		return from, today.AddDays(-31)
	}},
}

// PeriodFilter is by days that are named by where today lies in them. It stands beside a filter of exact dates, which
// narrows it further.
func PeriodFilter[F any](key, label string, from, to func(*F) *time.Time) Filter[F] {
	s := components.Select{Label: label, Blank: "Any day", Quiet: true}
	for _, p := range periods {
		s.Options = append(s.Options, components.Option{Value: p.value, Text: label + " " + p.words})
	}
	find := func(text string) int {
		return slices.IndexFunc(periods, func(p period) bool { return p.value == text })
	}
	return Filter[F]{Key: key, Input: ChooseFrom(key, s),
		Read: func(l *Listing, f *F) {
			text := l.Query.Get(key)
			n := find(text)
			switch {
			case text == "":
				return
			case n < 0:
				l.Unknown(key, "a period that we know")
				return
			}
			first, last := periods[n].days(calendar.DateOf(l.now))
			if !first.IsZero() {
				*from(f) = first.At(0, 0)
			}
			if !last.IsZero() {
				*to(f) = last.AddDays(1).At(0, 0).Add(-time.Microsecond)
			}
		},
		Chip: func(_ *Listing, text string) string { return label + " " + periods[find(text)].words }}
}
