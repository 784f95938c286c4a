package iso20022

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// readCents reads a decimal number as cents, exactly; or it says in a sentence why not.
func readCents(text string) (cents int64, problem string) {
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	whole, part, _ := strings.Cut(digits, ".")
	if whole+part == "" || !allDigits(whole) || !allDigits(part) {
		return 0, fmt.Sprintf("‘%s’ is not an amount.", quoted(text))
	}
	whole, part = strings.TrimLeft(whole, "0"), strings.TrimRight(part, "0")
	switch {
	case len(part) > 2:
		return 0, fmt.Sprintf("The amount %s has parts of a cent.", clip(text, 40))
	case len(whole) > 13:
		return 0, fmt.Sprintf("The amount %s is too large.", clip(text, 40))
	}
	for len(part) < 2 {
		part += "0"
	}
	cents, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil {
		return 0, fmt.Sprintf("‘%s’ is not an amount.", quoted(text))
	}
	if negative {
		cents = -cents
	}
	return cents, ""
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// total is a sum of cents that says when it is too large.
type total struct {
	cents int64
	broke bool // too large, or one of its parts is missing
}

func (t *total) add(cents int64) {
	if cents > 0 && t.cents > math.MaxInt64-cents || cents < 0 && t.cents < math.MinInt64-cents {
		t.broke = true
		return
	}
	t.cents += cents
}

// parseCount reads a number without sign.
func parseCount(text string) (int64, bool) {
	if text == "" || len(text) > 15 || !allDigits(text) {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// isTrue reads the two ways in which XML says yes.
func isTrue(text string) bool { return strings.EqualFold(text, "true") || text == "1" }

// parseTime reads a moment. One without a zone is South African time, as the banks' clocks are.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return sound(at)
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, text, calendar.SAST); err == nil {
			return sound(at)
		}
	}
	if day, ok := parseDay(text); ok { // a day with a zone
		return sound(day.At(0, 0))
	}
	return time.Time{}, false
}

func sound(at time.Time) (time.Time, bool) {
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() < 1990 || at.Year() > 2200 {
		return time.Time{}, false
	}
	return at, true
}

// parseDay reads a day, with or without a zone behind it, or without hyphens.
func parseDay(text string) (calendar.Date, bool) {
	if len(text) == 8 && allDigits(text) {
		text = text[:4] + "-" + text[4:6] + "-" + text[6:]
	}
	if len(text) > 10 {
		if zone := text[10:]; zone != "Z" && (len(zone) != 6 || zone[0] != '+' && zone[0] != '-' || zone[3] != ':') {
			return calendar.Date{}, false
		}
		text = text[:10]
	}
	day, err := calendar.ParseDate(text)
	if err != nil || day.Year < 1990 || day.Year > 2200 {
		return calendar.Date{}, false
	}
	return day, true
}

// dayOf is the day that a text writes, whatever the zone behind it: a bank's day is the day it wrote.
func dayOf(text string) (day calendar.Date) {
	if len(text) > 10 && (text[10] == 'T' || text[10] == ' ') {
		text = text[:10]
	}
	day, _ = parseDay(text)
	return day
}

// moment reads an element that holds a day or a moment: plain, in Dt or in DtTm.
func moment(n *node) (day calendar.Date, at time.Time, found, ok bool) {
	if n == nil {
		return day, at, false, true
	}
	for _, text := range []string{n.words("DtTm"), n.words("Dt"), n.text} {
		if text == "" {
			continue
		}
		if day, ok = parseDay(text); ok {
			return day, day.At(0, 0).UTC(), true, true
		}
		if at, ok = parseTime(text); ok {
			day = dayOf(text)
		}
		return day, at, true, ok && !day.IsZero()
	}
	return day, at, false, true
}

// quoted is a text of the bank as a sentence may repeat it: what stands in the wrong place may be an account number.
func quoted(text string) string { return bank.MaskNumbers(clip(text, 40)) }

// complain notes what is wrong with an event.
func complain(e *exchange.Event, format string, values ...any) {
	if e.Problem != "" {
		e.Problem += " "
	}
	e.Problem = clip(e.Problem+fmt.Sprintf(format, values...), 500)
}

// setAmount reads the first amount of several places.
func setAmount(e *exchange.Event, places ...*node) {
	for _, n := range places {
		if n == nil {
			continue
		}
		cents, problem := readCents(n.text)
		switch {
		case problem != "":
			complain(e, "%s", problem)
		case cents < 0:
			complain(e, "The amount %s is below zero.", clip(n.text, 40))
		default:
			e.HasAmount, e.AmountCents = true, cents
			if n.currency != "" {
				e.Currency = n.currency
			}
		}
		return
	}
}

// setCounts reads what the bank counted and added up of ours.
func setCounts(e *exchange.Event, count, sum string) {
	if count != "" {
		if n, ok := parseCount(count); ok {
			e.HasCount, e.Count = true, int(n)
		} else {
			complain(e, "‘%s’ is not a count.", quoted(count))
		}
	}
	if sum != "" {
		if cents, problem := readCents(sum); problem != "" {
			complain(e, "%s", problem)
		} else {
			e.HasSum, e.SumCents = true, cents
		}
	}
}

// setStatuses reads the bank's counts by status.
func setStatuses(e *exchange.Event, list []*node) {
	counted := total{}
	for _, n := range list {
		c := exchange.StatusCount{Status: n.code("DtldSts")}
		count, ok := parseCount(n.words("DtldNbOfTxs"))
		if !ok {
			complain(e, "‘%s’ is not a count.", quoted(n.words("DtldNbOfTxs")))
			continue
		}
		c.Count = int(count)
		counted.add(count)
		if sum := n.words("DtldCtrlSum"); sum != "" {
			cents, problem := readCents(sum)
			if problem != "" {
				complain(e, "%s", problem)
			}
			c.HasSum, c.SumCents = problem == "", cents
		}
		e.Statuses = append(e.Statuses, c)
	}
	if e.HasCount && counted.cents > int64(e.Count) {
		complain(e, "The bank counts %d items, but %d by their status.", e.Count, counted.cents)
	}
}
