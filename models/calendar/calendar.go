package calendar

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// Shift is what happens to a day on which banks are closed.
type Shift string

const (
	Previous Shift = "previous" // to the business day before; the default for EFT (industry: mandate texts)
	Next     Shift = "next"     // to the business day after; the default for DebiCheck
)

// Change corrects the calendar by one day: a proclaimed holiday with its name, or with Open a day that is no holiday.
type Change struct {
	Day  Date
	Name string
	Open bool

	KnownFrom Date   // when it was declared; zero: not known, or long ago
	Gazetted  string // that day as its source has it
	Source    string
	Sure      string // A to F, as in the rulebook
}

// Calendar tells business days from closed ones. Any number of goroutines may ask it while one replaces its changes:
// each question sees the changes before or after, never half of them.
type Calendar struct {
	changes atomic.Pointer[map[Date]Change]
	known   map[Date]string // never changes
}

// The years whose holidays are computed once; others are computed when asked for.
const firstKnown, lastKnown = 2000, 2100

// New is the South African calendar: the Public Holidays Act, the proclaimed days of Proclaimed, and then changes,
// where a later change of the same day wins.
func New(changes ...Change) *Calendar {
	c := &Calendar{known: map[Date]string{}}
	c.Replace(changes...)
	for year := firstKnown; year <= lastKnown; year++ {
		for day, name := range statutory(year) {
			c.known[day] = name
		}
	}
	return c
}

// Replace puts other changes in the place of those that New was given. Days that were planned before keep their dates:
// a plan is stored, not asked for again.
func (c *Calendar) Replace(changes ...Change) {
	all := map[Date]Change{}
	for _, change := range append(Proclaimed(), changes...) {
		all[change.Day] = change
	}
	c.changes.Store(&all)
}

// Declared lists all days that are changed, in order.
func (c *Calendar) Declared() []Change {
	return slices.SortedFunc(maps.Values(*c.changes.Load()), func(a, b Change) int { return a.Day.Compare(b.Day) })
}

// KnownOn is the calendar as it was known on a day: a plan made before a declaration was right to be open.
func (c *Calendar) KnownOn(day Date) *Calendar {
	changed := &Calendar{known: c.known}
	all := maps.Clone(*c.changes.Load())
	maps.DeleteFunc(all, func(_ Date, d Change) bool { return d.KnownFrom.After(day) })
	changed.changes.Store(&all)
	return changed
}

// With is this calendar with one more change, for whoever asks what it would move; it is a calendar of its own.
func (c *Calendar) With(change Change) *Calendar {
	changed := &Calendar{known: c.known}
	all := maps.Clone(*c.changes.Load())
	all[change.Day] = change
	changed.changes.Store(&all)
	return changed
}

// Without is this calendar without what was changed about a day, as the law has it.
func (c *Calendar) Without(day Date) *Calendar {
	changed := &Calendar{known: c.known}
	all := maps.Clone(*c.changes.Load())
	delete(all, day)
	changed.changes.Store(&all)
	return changed
}

// Closed tells whether banks process no two-day debit orders on a day, and why in words: the holiday's name, "Saturday"
// or "Sunday".
func (c *Calendar) Closed(d Date) (reason string, closed bool) {
	if name, holiday := c.Holiday(d); holiday {
		return name, true
	}
	if day := d.Weekday(); day == time.Saturday || day == time.Sunday {
		return day.String(), true
	}
	return "", false
}

// Holiday gives the name of the public holiday on a day.
func (c *Calendar) Holiday(d Date) (name string, holiday bool) {
	if change, found := (*c.changes.Load())[d]; found {
		return change.Name, !change.Open
	}
	if d.Year < firstKnown || d.Year > lastKnown {
		name, holiday = statutory(d.Year)[d]
		return name, holiday
	}
	name, holiday = c.known[d]
	return name, holiday
}

// IsBusinessDay is true from Monday to Friday except on public holidays.
func (c *Calendar) IsBusinessDay(d Date) bool {
	_, closed := c.Closed(d)
	return !closed
}

// EarlyClosed tells whether no early debits (DebiCheck) run on a day, and why: they run on Saturdays too (industry).
func (c *Calendar) EarlyClosed(d Date) (reason string, closed bool) {
	if name, holiday := c.Holiday(d); holiday {
		return name, true
	}
	if d.Weekday() == time.Sunday {
		return time.Sunday.String(), true
	}
	return "", false
}

// IsEarlyDay is true from Monday to Saturday except on public holidays.
func (c *Calendar) IsEarlyDay(d Date) bool {
	_, closed := c.EarlyClosed(d)
	return !closed
}

// ShiftEarly is Shift for early debits.
func (c *Calendar) ShiftEarly(d Date, to Shift) Date { return shift(d, to, c.IsEarlyDay) }

// Shift moves a closed day to the business day before or after; an open day stays.
func (c *Calendar) Shift(d Date, to Shift) Date { return shift(d, to, c.IsBusinessDay) }

func shift(d Date, to Shift, open func(Date) bool) Date {
	step := -1
	if to == Next {
		step = 1
	}
	for !open(d) {
		d = d.AddDays(step)
	}
	return d
}

// PayDay is the day in the month of a date on which salaries of the n-th are paid. What falls on a closed day is paid
// before it, be that in the month before; 31 is the last business day of a month.
func (c *Calendar) PayDay(n int, in Date) Date { return c.Shift(in.AddMonths(0, n), Previous) }

// AddBusinessDays is the n-th business day after d. With n = 0 it is d itself, open or not.
func (c *Calendar) AddBusinessDays(d Date, n int) Date { return c.walk(d, n, 1) }

// BusinessDaysBefore is the n-th business day before d. With n = 0 it is d itself, open or not.
func (c *Calendar) BusinessDaysBefore(d Date, n int) Date { return c.walk(d, n, -1) }

func (c *Calendar) walk(d Date, n, step int) Date {
	for ; n > 0; n-- {
		d = d.AddDays(step)
		for !c.IsBusinessDay(d) {
			d = d.AddDays(step)
		}
	}
	return d
}

// ParseShift reads "previous" or "next".
func ParseShift(text string) (Shift, error) {
	switch s := Shift(text); s {
	case Previous, Next:
		return s, nil
	}
	return "", fmt.Errorf("%q is not a shift: use previous or next", text)
}
