package database

import (
	"fmt"
	"strconv"
	"time"

	"debitdesk/models/plural"
)

// Period is how long something is kept: days, months or years. The zero Period is
// forever.
type Period struct {
	N    int
	Unit string // d, m or y
}

// ParsePeriod reads 30d, 13m, 7y or forever.
func ParsePeriod(text string) (Period, error) {
	if text == "forever" {
		return Period{}, nil
	}
	wrong := fmt.Errorf("%q is not a time such as 30d, 13m, 7y or forever", text)
	if len(text) < 2 {
		return Period{}, wrong
	}
	p := Period{Unit: text[len(text)-1:]}
	var err error
	if p.N, err = strconv.Atoi(text[:len(text)-1]); err != nil || p.N < 1 || p.N > 9_999 {
		return Period{}, wrong
	}
	switch p.Unit {
	case "d", "m", "y":
		return p, nil
	}
	return Period{}, wrong
}

// Forever tells whether there is no end.
func (p Period) Forever() bool { return p.N == 0 }

// Before is the moment whose older things are past their time.
func (p Period) Before(now time.Time) time.Time {
	switch p.Unit {
	case "y":
		return now.AddDate(-p.N, 0, 0)
	case "m":
		return now.AddDate(0, -p.N, 0)
	}
	return now.AddDate(0, 0, -p.N)
}

// String is the period as a setting has it.
func (p Period) String() string {
	if p.Forever() {
		return "forever"
	}
	return strconv.Itoa(p.N) + p.Unit
}

// Words are how long in words: "for at least 30 days". Whole months go at a time, so it may
// be longer.
func (p Period) Words() string {
	if p.Forever() {
		return "for good"
	}
	return "for at least " + plural.Of(p.N, map[string]string{"d": "day", "m": "month", "y": "year"}[p.Unit])
}

// shorter compares the two over the years that are longest for months and years.
func (p Period) shorter(than Period) bool {
	if p.Forever() || than.Forever() {
		return than.Forever() && !p.Forever()
	}
	from := time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC)
	return p.Before(from).After(than.Before(from))
}

// Keep is how long each kind of history is kept.
type Keep struct{ Requests, Events, Audit Period }

// UsualKeep is what is kept when nothing is set.
var UsualKeep = Keep{Requests: Period{30, "d"}, Events: Period{30, "d"}, Audit: Period{10, "y"}}

// LeastKeep are the shortest periods that may be set. The audit is evidence of money, for
// which the Financial Intelligence Centre Act (section 23) and the Tax Administration Act
// (section 29) ask for five years. The others are no evidence: a week of events is what
// an endpoint needs that was away.
var LeastKeep = Keep{Requests: Period{1, "d"}, Events: Period{7, "d"}, Audit: Period{5, "y"}}

// ParseKept reads a period that must not be shorter than the least.
func ParseKept(text string, least Period) (Period, error) {
	p, err := ParsePeriod(text)
	if err == nil && p.shorter(least) {
		err = fmt.Errorf("%s is shorter than %s, the least that may be set", p, least)
	}
	return p, err
}

// Keep is what the options say, or the usual.
func (s *DB) Keep() Keep {
	if s.Options.Keep == (Keep{}) {
		return UsualKeep
	}
	return s.Options.Keep
}
