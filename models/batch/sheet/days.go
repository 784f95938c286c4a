package sheet

import (
	"regexp"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
)

var (
	wholeDay = regexp.MustCompile(`^\d{1,6}(?:\.\d+)?$`)
	digitRun = regexp.MustCompile(`\d+`)
	clock    = regexp.MustCompile(`\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?`)
)

// dayShown is the day of a cell that stores a serial number and shows a date. What is shown decides: its numbers must
// be day, month or year of that serial number, so that an amount in rand is never taken for a date.
func dayShown(stored, shown string) (string, bool) {
	if shown == "" || shown == stored || !wholeDay.MatchString(stored) {
		return "", false
	}
	whole, _, _ := strings.Cut(stored, ".")
	serial, err := strconv.Atoi(whole)
	if err != nil || serial < 61 || serial > 110_000 { // 1 March 1900, and beyond the year 2200
		return "", false
	}
	for _, first := range []calendar.Date{calendar.FromSerial(serial),
		calendar.FromSerial(serial + 1462)} { // counted from 1904 by some
		if isShown(first, shown) {
			return first.String(), true
		}
	}
	return "", false
}

func isShown(d calendar.Date, shown string) bool {
	left := strings.ToLower(clock.ReplaceAllString(shown, ""))
	month := strings.ToLower(d.Month.String()[:3])
	parts := 0
	if strings.Contains(left, month) {
		parts++
	}
	wanted := map[int]bool{d.Day: true, int(d.Month): true, d.Year: true, d.Year % 100: true}
	for _, run := range digitRun.FindAllString(left, -1) {
		n, err := strconv.Atoi(run)
		if err != nil || !wanted[n] {
			return false
		}
		parts++
	}
	return parts >= 2
}
