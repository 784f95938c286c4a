// Package words puts what the domain knows into words: states, amounts, dates and addresses of pages.
// It must not know rules.
package words

import (
	"strconv"
	"strings"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
)

// Glue keeps words on one line.
func Glue(text string) string { return strings.ReplaceAll(text, " ", money.NBSP) }

// SayDay writes a date for a sentence: "Tue 24 Nov", with the year when it is
// another than that of now.
func SayDay(d calendar.Date, now time.Time) string {
	if d.IsZero() {
		return ""
	}
	if d.Year != calendar.DateOf(now).Year {
		return Glue(d.Format("Mon 2 Jan 2006"))
	}
	return Glue(d.Format("Mon 2 Jan"))
}

// SayMinute writes an instant for a sentence: "Tue 24 Nov, 12:00", in SAST.
func SayMinute(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return SayDay(calendar.DateOf(at), now) + "," + money.NBSP + at.In(calendar.SAST).Format("15:04")
}

// SayLeft writes how long it is until then: "5 h 12 m", "3 days 2 h"; never less
// than a minute.
func SayLeft(left time.Duration) string {
	minutes := max(int64(left/time.Minute), 1)
	days, hours := minutes/(24*60), minutes/60%24
	switch {
	case days > 0 && hours > 0:
		return Glue(plural.Of(days, "day") + " " + strconv.FormatInt(hours, 10) + " h")
	case days > 0:
		return Glue(plural.Of(days, "day"))
	case hours > 0:
		return Glue(strconv.FormatInt(hours, 10) + " h " + strconv.FormatInt(minutes%60, 10) + " m")
	}
	return Glue(strconv.FormatInt(minutes, 10) + " m")
}

// Grouped writes a whole number in groups of three.
func Grouped(n int64) string { return Minus(plural.Number(n)) }

// Minus writes the true minus sign.
func Minus(amount string) string { return strings.Replace(amount, "-", "\u2212", 1) }

// Sum writes cents with their currency.
func Sum(cents int64, currency string) string { return Minus(money.Format(cents, currency)) }

// SumOf writes what many amounts come to.
func SumOf(s money.Sum, currency string) string { return Minus(s.Format(currency)) }

// DayTime writes a date as a table shows it.
func DayTime(d calendar.Date) components.Time {
	if d.IsZero() {
		return components.Time{}
	}
	return components.Time{Text: Glue(d.Format(DayForm)), ISO: d.String(), Title: d.Format("Monday, 2 January 2006")}
}

// DayOf is dayTime of an instant's SAST day.
func DayOf(at time.Time) components.Time {
	if at.IsZero() {
		return components.Time{}
	}
	t := DayTime(calendar.DateOf(at))
	t.ISO, t.Title = at.In(calendar.SAST).Format(time.RFC3339),
		at.In(calendar.SAST).Format("Monday, 2 January 2006, 15:04")+" SAST"
	return t
}

// Ago is moment with "3 days ago" in its title.
func Ago(at, now time.Time) components.Time {
	t := Moment(at)
	if at.IsZero() {
		return t
	}
	switch past := now.Sub(at); {
	case past < 0:
		t.Title += ", in " + SayLeft(-past)
	case past < time.Minute:
		t.Title += ", just now"
	default:
		t.Title += ", " + SayLeft(past) + " ago"
	}
	return t
}

func Capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// LowerFirst lets words that begin a line stand in a sentence.
func LowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
