package kit

import (
	"slices"
	"strconv"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/plural"
	"debitdesk/views/components"
)

// period is some days by where today lies in them, so that a saved view stays what it says. Today counts as one
// of the last or next days.
type period struct {
	value, words string
	ahead        bool                                               // days that lie ahead
	days         func(today calendar.Date) (from, to calendar.Date) // both included; zero: open
}

var periods = []period{
	{"today", "today", false, func(today calendar.Date) (from, to calendar.Date) { return today, today }},
	{"yesterday", "yesterday", false, func(today calendar.Date) (from, to calendar.Date) {
		return today.AddDays(-1), today.AddDays(-1)
	}},
	{"tomorrow", "tomorrow", true, func(today calendar.Date) (from, to calendar.Date) {
		return today.AddDays(1), today.AddDays(1)
	}},
	{
		"next-7-days",
		"in the next 7 days",
		true,
		func(today calendar.Date) (from, to calendar.Date) { return today, today.AddDays(6) },
	},
	{"next-30-days", "in the next 30 days", true, func(today calendar.Date) (from, to calendar.Date) {
		return today, today.AddDays(29)
	}},
	{
		"last-7-days",
		"in the last 7 days",
		false,
		func(today calendar.Date) (from, to calendar.Date) { return today.AddDays(-6), today },
	},
	{"this-month", "this month", false, func(today calendar.Date) (from, to calendar.Date) {
		return today.FirstDayOfMonth(), today.LastDayOfMonth()
	}},
	{"next-month", "next month", true, func(today calendar.Date) (from, to calendar.Date) {
		return calendar.On(today.Year, today.Month+1, 1), calendar.On(today.Year, today.Month+2, 0)
	}},
	{"last-month", "last month", false, func(today calendar.Date) (from, to calendar.Date) {
		return calendar.On(today.Year, today.Month-1, 1), calendar.On(today.Year, today.Month, 0)
	}},
	{"over-30-days-ago", "more than 30 days ago", false, func(today calendar.Date) (from, to calendar.Date) {
		return from, today.AddDays(-31)
	}},
}

// periodFilter is by days that are named by where today lies in them. It stands beside a filter of exact dates, which
// narrows it further.
func periodFilter[F any](key, label string, known []period, take func(f *F, first, last calendar.Date)) Filter[F] {
	s := components.Select{Label: label, Blank: "Any day", Quiet: true}
	for _, p := range known {
		s.Options = append(s.Options, components.Option{Value: p.value, Text: label + " " + p.words})
	}
	find := func(text string) int {
		return slices.IndexFunc(known, func(p period) bool { return p.value == text })
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
			first, last := known[n].days(calendar.DateOf(l.now))
			take(f, first, last)
		},
		Chip: func(_ *Listing, text string) string { return label + " " + known[find(text)].words }}
}

// PeriodFilter is by the days of an instant, ahead and past.
func PeriodFilter[F any](key, label string, from, to func(*F) *time.Time) Filter[F] {
	return periodFilter(key, label, periods, takeInstants(from, to))
}

// PastFilter is PeriodFilter for what lies in the past.
func PastFilter[F any](key, label string, from, to func(*F) *time.Time) Filter[F] {
	return periodFilter(key, label, pastPeriods(), takeInstants(from, to))
}

// DatePeriodFilter is PeriodFilter for calendar dates.
func DatePeriodFilter[F any](key, label string, from, to func(*F) *calendar.Date) Filter[F] {
	return periodFilter(key, label, periods, takeDates(from, to))
}

// PastDateFilter is PastFilter for calendar dates.
func PastDateFilter[F any](key, label string, from, to func(*F) *calendar.Date) Filter[F] {
	return periodFilter(key, label, pastPeriods(), takeDates(from, to))
}

func takeInstants[F any](from, to func(*F) *time.Time) func(*F, calendar.Date, calendar.Date) {
	return func(f *F, first, last calendar.Date) {
		if !first.IsZero() {
			*from(f) = first.At(0, 0)
		}
		if !last.IsZero() {
			*to(f) = last.AddDays(1).At(0, 0).Add(-time.Microsecond)
		}
	}
}

func takeDates[F any](from, to func(*F) *calendar.Date) func(*F, calendar.Date, calendar.Date) {
	return func(f *F, first, last calendar.Date) { *from(f), *to(f) = first, last }
}

func pastPeriods() []period {
	return slices.DeleteFunc(slices.Clone(periods), func(p period) bool { return p.ahead })
}

// UntouchedFilter takes what has not been touched for some days: it sets the moment since when.
func UntouchedFilter[F any](key, label string, days []int, into func(*F) *time.Time) Filter[F] {
	s := components.Select{Label: label, Blank: "Any time", Quiet: true}
	for _, n := range days {
		s.Options = append(s.Options, components.Option{Value: strconv.Itoa(n), Text: "for " + plural.Of(n, "day")})
	}
	return Filter[F]{Key: key, Input: ChooseFrom(key, s),
		Read: func(l *Listing, f *F) {
			text := l.Query.Get(key)
			n, _ := strconv.Atoi(text)
			switch {
			case text == "":
			case !slices.Contains(days, n):
				l.Unknown(key, "a number of days that we know")
			default:
				*into(f) = calendar.DateOf(l.now).AddDays(-n).At(0, 0)
			}
		},
		Chip: func(_ *Listing, text string) string {
			n, _ := strconv.Atoi(text) // it was read before
			return label + " for " + plural.Of(n, "day")
		}}
}
