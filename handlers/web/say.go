package web

import (
	"strconv"
	"strings"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// glue keeps words on one line.
func glue(text string) string { return strings.ReplaceAll(text, " ", money.NBSP) }

// sayDay writes a date for a sentence: "Tue 24 Nov", with the year when it is
// another than that of now.
func sayDay(d calendar.Date, now time.Time) string {
	if d.IsZero() {
		return ""
	}
	if d.Year != calendar.DateOf(now).Year {
		return glue(d.Format("Mon 2 Jan 2006"))
	}
	return glue(d.Format("Mon 2 Jan"))
}

// sayMinute writes an instant for a sentence: "Tue 24 Nov, 12:00", in SAST.
func sayMinute(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return sayDay(calendar.DateOf(at), now) + "," + money.NBSP + at.In(calendar.SAST).Format("15:04")
}

// sayLeft writes how long it is until then: "5 h 12 m", "3 days 2 h"; never less
// than a minute.
func sayLeft(left time.Duration) string {
	minutes := max(int64(left/time.Minute), 1)
	days, hours := minutes/(24*60), minutes/60%24
	switch {
	case days > 0 && hours > 0:
		return glue(counted(days, "day") + " " + strconv.FormatInt(hours, 10) + " h")
	case days > 0:
		return glue(counted(days, "day"))
	case hours > 0:
		return glue(strconv.FormatInt(hours, 10) + " h " + strconv.FormatInt(minutes%60, 10) + " m")
	}
	return glue(strconv.FormatInt(minutes, 10) + " m")
}

// counted writes a number with its noun: "1 day", "1 240 purchases".
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes a whole number in groups of three.
func grouped(n int64) string {
	return strings.TrimSuffix(minus(money.Amount(n*100)), ",00")
}

// minus writes the true minus sign.
func minus(amount string) string { return strings.Replace(amount, "-", "\u2212", 1) }

// sum writes cents with their currency.
func sum(cents int64, currency string) string { return minus(money.Format(cents, currency)) }

// sumOf writes what many amounts come to.
func sumOf(s money.Sum, currency string) string { return minus(s.Format(currency)) }

// dayTime writes a date as a table shows it.
func dayTime(d calendar.Date) components.Time {
	if d.IsZero() {
		return components.Time{}
	}
	return components.Time{Text: glue(d.Format(dayForm)), ISO: d.String(), Title: d.Format("Monday, 2 January 2006")}
}

// dayOf is dayTime of an instant's SAST day.
func dayOf(at time.Time) components.Time {
	if at.IsZero() {
		return components.Time{}
	}
	t := dayTime(calendar.DateOf(at))
	t.ISO, t.Title = at.In(calendar.SAST).Format(time.RFC3339), at.In(calendar.SAST).Format("Monday, 2 January 2006, 15:04")+" SAST"
	return t
}

// ago is moment with "3 days ago" in its title.
func ago(at, now time.Time) components.Time {
	t := moment(at)
	if at.IsZero() {
		return t
	}
	switch past := now.Sub(at); {
	case past < 0:
		t.Title += ", in " + sayLeft(-past)
	case past < time.Minute:
		t.Title += ", just now"
	default:
		t.Title += ", " + sayLeft(past) + " ago"
	}
	return t
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// lowerFirst lets words that begin a line stand in a sentence.
func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
