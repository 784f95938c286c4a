// Package calendar knows South African days: calendar dates, SAST, public holidays and business days; it knows no debit
// order.
package calendar

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// SAST is South African Standard Time, two hours ahead of UTC all year.
var SAST = time.FixedZone("SAST", 2*60*60)

const isoDate = "2006-01-02"

// Date is a calendar day without a time of day. The zero Date means "no date".
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// On makes a Date and carries overflowing days and months on, as time.Date does: On(2026, 2, 30) is 2 March.
func On(year int, month time.Month, day int) Date {
	return fieldsOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// DateOf is the day of an instant in SAST.
func DateOf(t time.Time) Date {
	return fieldsOf(t.In(SAST))
}

// ParseDate reads YYYY-MM-DD; a day that does not exist, such as 2026-02-30, is an error.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(isoDate, text)
	if err != nil {
		return Date{}, fmt.Errorf("%q is not a date of the form YYYY-MM-DD", text)
	}
	return fieldsOf(t), nil
}

// String is YYYY-MM-DD, or nothing for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.utc().Format(isoDate)
}

// Format writes the date by a layout of package time, for instance "Mon 2 Jan 2006".
func (d Date) Format(layout string) string { return d.utc().Format(layout) }

// IsZero tells "no date".
func (d Date) IsZero() bool { return d == Date{} }

// AddDays is the date n days later, or earlier when n is negative.
func (d Date) AddDays(n int) Date { return On(d.Year, d.Month, d.Day+n) }

// Number counts the days from 1 January 2020: what happens once for each day is known by it.
func (d Date) Number() int { return d.DaysSince(On(2020, time.January, 1)) }

// DaysSince counts the days from earlier to d; negative when d comes first.
func (d Date) DaysSince(earlier Date) int {
	return int(d.utc().Sub(earlier.utc()) / (24 * time.Hour))
}

// Weekday is the day of the week.
func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

// ISOWeekday counts the day of the week from 1, Monday, to 7, Sunday.
func (d Date) ISOWeekday() int { return (int(d.Weekday())+6)%7 + 1 }

// Before tells whether d comes before other.
func (d Date) Before(other Date) bool { return d.Compare(other) < 0 }

// After tells whether d comes after other.
func (d Date) After(other Date) bool { return d.Compare(other) > 0 }

// Compare is negative, zero or positive as d comes before, on or after other.
func (d Date) Compare(other Date) int {
	if d.Year != other.Year {
		return d.Year - other.Year
	}
	if d.Month != other.Month {
		return int(d.Month - other.Month)
	}
	return d.Day - other.Day
}

// At is the instant of this day at a SAST time of day, in SAST.
func (d Date) At(hour, minute int) time.Time {
	return time.Date(d.Year, d.Month, d.Day, hour, minute, 0, 0, SAST)
}

// FirstDayOfMonth is the first day of d's month.
func (d Date) FirstDayOfMonth() Date { return On(d.Year, d.Month, 1) }

// LastDayOfMonth is the last day of d's month.
func (d Date) LastDayOfMonth() Date { return On(d.Year, d.Month+1, 0) }

// WholeMonths are the whole months of the days from one to another, both included: from the first day of the first to
// the day after the last. Where there is none, both are the day after to.
func WholeMonths(from, to Date) (first, end Date) {
	if first = from; first.Day != 1 {
		first = from.LastDayOfMonth().AddDays(1)
	}
	if end = to.AddDays(1).FirstDayOfMonth(); end.Before(first) {
		return to.AddDays(1), to.AddDays(1)
	}
	return first, end
}

// AddMonths is the day n months later that falls on anchorDay, clipped to the length of that month. The anchor is kept
// apart from the date, so that the 30th bills 28 February and again 30 March; 99 is always the last day.
func (d Date) AddMonths(n, anchorDay int) Date {
	last := On(d.Year, d.Month+time.Month(n)+1, 0)
	return Date{last.Year, last.Month, min(max(anchorDay, 1), last.Day)}
}

// MarshalText writes YYYY-MM-DD; JSON carries dates as this text.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads YYYY-MM-DD; empty text is the zero Date.
func (d *Date) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Date{}
		return nil
	}
	parsed, err := ParseDate(string(text))
	if err == nil {
		*d = parsed
	}
	return err
}

// Value hands the date to a PostgreSQL date column; the zero Date is NULL.
func (d Date) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil
	}
	return d.utc(), nil
}

// Scan takes a date column; NULL is the zero Date. A time is read in its own zone, since a date column carries none.
func (d *Date) Scan(from any) error {
	switch v := from.(type) {
	case nil:
		*d = Date{}
	case time.Time:
		*d = fieldsOf(v)
	case string:
		return d.UnmarshalText([]byte(v))
	case []byte:
		return d.UnmarshalText(v)
	default:
		return fmt.Errorf("a date cannot be read from %T", from)
	}
	return nil
}

func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

func fieldsOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}
