package calendar

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Order is the order of day, month and year in a column of dates. A whole column shows which one it is where a single
// 01/12/2026 cannot.
type Order string

// The orders. Unordered means that nobody knows: 01/12/2026 is then refused.
const (
	Unordered  Order = ""
	YearFirst  Order = "ymd"
	DayFirst   Order = "dmy"
	MonthFirst Order = "mdy"
)

// What ParseWritten refuses.
var (
	ErrNoDate   = errors.New("that is not a date")
	ErrOrder    = errors.New("day and month could be either way round")
	ErrNoSuch   = errors.New("that day does not exist")
	ErrNotOrder = errors.New("the date is not in the order of its column")
)

var (
	timeOfDay = regexp.MustCompile(`(?i)(?:^|[T ]+)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?(?:Z|[+-]\d{2}:?\d{2})?$`)
	weekday   = regexp.MustCompile(
		`(?i)^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|satur|sat|sun)(?:day)?` +
			`|(?:maan|dins|woens|donder|vry|sater|son)dag|(?:ma|di|wo|do|vr|sa|so))\.?,? +`,
	)
	numbers  = regexp.MustCompile(`^(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{1,4})$`)
	compact  = regexp.MustCompile(`^(20\d{2})(\d{2})(\d{2})$`)
	serial   = regexp.MustCompile(`^([3-7]\d{4})(?:\.\d+)?$`)
	dayName  = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?[-/. ]*([[:alpha:]]{3,9})\.?,?[-/. ]*(\d{4}|\d{2})$`)
	nameDay  = regexp.MustCompile(`^([[:alpha:]]{3,9})\.?[-/. ]*(\d{1,2})(?:st|nd|rd|th)?,?[-/. ]+(\d{4}|\d{2})$`)
	yearName = regexp.MustCompile(`^(\d{4})[-/. ]([[:alpha:]]{3,9})[-/. ](\d{1,2})$`)
)

// English and Afrikaans, by their first three letters.
var monthNames = map[string]time.Month{"jan": 1, "feb": 2, "mar": 3, "mrt": 3, "maa": 3, "apr": 4, "may": 5, "mei": 5,
	"jun": 6, "jul": 7,
	"aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "des": 12}

// ParseWritten reads a date as people and spreadsheets write it: 2026-12-01, 1 Dec 2026, 20261201, a spreadsheet's
// serial number such as 46357, a date followed by a time, and 01/12/2026 where the order is known or the numbers leave
// no doubt. Years of two digits are of this century. Errors: ErrNoDate, ErrOrder, ErrNoSuch, ErrNotOrder.
func ParseWritten(text string, order Order) (Date, error) {
	text = bare(text)
	if m := numbers.FindStringSubmatch(text); m != nil {
		return parseNumbers(m[1], m[2], m[3], order)
	}
	if m := compact.FindStringSubmatch(text); m != nil {
		return day(m[1], number(m[2]), m[3])
	}
	if m := serial.FindStringSubmatch(text); m != nil {
		return FromSerial(number(m[1])), nil
	}
	if m := dayName.FindStringSubmatch(text); m != nil {
		return day(m[3], month(m[2]), m[1])
	}
	if m := nameDay.FindStringSubmatch(text); m != nil {
		return day(m[3], month(m[1]), m[2])
	}
	if m := yearName.FindStringSubmatch(text); m != nil {
		return day(m[1], month(m[2]), m[3])
	}
	return Date{}, ErrNoDate
}

// FromSerial is the day that spreadsheets count from 30 December 1899, right for days after February 1900.
func FromSerial(days int) Date { return On(1899, time.December, 30+days) }

// OrderIn tells which order a date shows beyond doubt: 2026-12-01 the year first, 25/12/2026 the day, 12/25/2026 the
// month, 01/12/2026 none.
func OrderIn(text string) Order {
	m := numbers.FindStringSubmatch(bare(text))
	if m == nil {
		return Unordered
	}
	a, b := number(m[1]), number(m[2])
	switch {
	case len(m[3]) == 4 && noDay(m[3], m[1], m[2]) && noDay(m[3], m[2], m[1]):
		return Unordered // 06/31/2026 is a slip: whoever wrote it may have meant either
	case len(m[1]) > 2 || a > 31 && len(m[3]) == 2:
		return YearFirst
	case a > 12 && b >= 1 && b <= 12 && len(m[3]) == 4:
		return DayFirst
	case a > 12 && a <= 31 && b >= 1 && b <= 12 && number(m[3]) > 31:
		return DayFirst
	case b > 12 && b <= 31 && a >= 1 && a <= 12:
		return MonthFirst
	}
	return Unordered
}

// noDay tells that no such day is in the calendar.
func noDay(year, monthOfYear, dayOfMonth string) bool {
	_, err := day(year, number(monthOfYear), dayOfMonth)
	return err != nil
}

var oddSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")

func bare(text string) string {
	text = strings.TrimSpace(oddSpaces.Replace(text))
	if strings.Contains(text, ":") {
		text = timeOfDay.ReplaceAllString(text, "")
	}
	if text != "" && (text[0] < '0' || text[0] > '9') {
		text = weekday.ReplaceAllString(text, "")
	}
	return text
}

func parseNumbers(a, b, c string, order Order) (Date, error) {
	if len(a) > 2 {
		return day(a, number(b), c)
	}
	switch order {
	case YearFirst:
		if len(c) > 2 {
			return Date{}, ErrNotOrder
		}
		return day(a, number(b), c)
	case DayFirst:
		return swapped(c, b, a)
	case MonthFirst:
		return swapped(c, a, b)
	case Unordered:
	}
	switch seen := OrderIn(a + "/" + b + "/" + c); {
	case seen != Unordered:
		return parseNumbers(a, b, c, seen)
	case a == b && len(c) == 4:
		return day(c, number(a), a)
	case len(c) == 4 && noDay(c, a, b) && noDay(c, b, a):
		return Date{}, ErrNoSuch
	}
	return Date{}, ErrOrder
}

// swapped tells a date that is only wrong in this order from one that is wrong in every order.
func swapped(year, month, dayOfMonth string) (Date, error) {
	d, err := day(year, number(month), dayOfMonth)
	if err == nil {
		return d, nil
	}
	if _, other := day(year, number(dayOfMonth), month); other == nil {
		return Date{}, ErrNotOrder
	}
	return Date{}, err
}

func day(year string, m int, dayOfMonth string) (Date, error) {
	if m == 0 && len(dayOfMonth) > 0 {
		return Date{}, ErrNoDate
	}
	y, d := number(year), number(dayOfMonth)
	switch len(year) {
	case 1, 3:
		return Date{}, ErrNoDate
	case 2:
		y += 2000
	}
	date := Date{y, time.Month(m), d}
	if On(y, date.Month, d) != date {
		return Date{}, ErrNoSuch
	}
	return date, nil
}

func month(name string) int {
	if len(name) < 3 {
		return 0
	}
	return int(monthNames[strings.ToLower(name[:3])])
}

// number reads at most five digits that a pattern found.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
