package rulebook

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"debitdesk/models/calendar"
)

// RequestEnds is when a request for approval that was sent at a time dies unanswered, by dc.tt1b.until or dc.tt2.until.
// The values are a time of the same day, "clock_next_day 19:00", "hours 48" or "business_day 2", to whose end it lives.
func (b *Book) RequestEnds(key string, sent time.Time, cal *calendar.Calendar) (time.Time, error) {
	day := calendar.DateOf(sent)
	value := b.On(key, DebiCheck, day).Text()
	how, what, _ := strings.Cut(value, " ")
	n, notNumber := strconv.Atoi(what)
	var at calendar.TimeOfDay
	var err error
	switch how {
	case "hours":
		return sent.Add(time.Duration(n) * time.Hour), notNumber
	case "business_day":
		return cal.AddBusinessDays(day, n).AddDays(1).At(0, 0), notNumber
	case "clock_next_day":
		day = day.AddDays(1)
		at, err = calendar.ParseTimeOfDay(what)
	default:
		at, err = calendar.ParseTimeOfDay(value)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is %q: %w", key, value, err)
	}
	return at.On(day), nil
}

// RegisteredOn is the day whose evening collects a registered mandate's debit that was handed over at a time.
func (b *Book) RegisteredOn(at time.Time) (calendar.Date, error) {
	day := calendar.DateOf(at)
	until, err := calendar.ParseTimeOfDay(b.On("rm.same_day_cutoff", RM, day).Text())
	if err == nil && !at.Before(until.On(day)) {
		day = day.AddDays(1)
	}
	return day, err
}

// RegisteredTracking is the time in which a registered mandate's debit that found no money is tried again.
func (b *Book) RegisteredTracking(action calendar.Date, days int) (from, to time.Time, err error) {
	_, clock, _ := strings.Cut(b.On("rm.tracking_start", RM, action).Text(), " ")
	at, err := calendar.ParseTimeOfDay(clock)
	days = min(days, int(b.On("rm.tracking_days", RM, action).Int()))
	return at.On(action.AddDays(1)), action.AddDays(days+1).At(0, 0), err
}

// ShiftDisputable tells whether a DebiCheck debit may be disputed for running on another day than the mandate names.
// The client agreed to that with adjustable; a debit after the day is not judged here.
func (b *Book) ShiftDisputable(named, debited calendar.Date, adjustable bool, cal *calendar.Calendar) bool {
	if debited == named {
		return false
	}
	moved := !cal.IsBusinessDay(named) && debited.Before(named) && !debited.Before(cal.Shift(named, calendar.Previous))
	return !adjustable || !moved || !b.On("dc.date_shift_back_ok", DebiCheck, debited).Bool()
}

// AnswerPersonBy is the last day to answer a person who asks for correction, deletion or an end of the use of data that
// we hold (POPIA). A Saturday counts; a Sunday or public holiday cannot be the last day.
func (b *Book) AnswerPersonBy(received calendar.Date, cal *calendar.Calendar) calendar.Date {
	day := received.AddDays(int(b.On("popia.answer_days", AnyStream, received).Int()))
	for {
		if _, holiday := cal.Holiday(day); !holiday && day.Weekday() != time.Sunday {
			return day
		}
		day = day.AddDays(1)
	}
}

// ExpiryNotice is when a consumer must be told that a fixed term ends: from the first day to the last (CPA section 14).
func (b *Book) ExpiryNotice(ends calendar.Date, cal *calendar.Calendar) (first, last calendar.Date, err error) {
	words := b.On("cpa.expiry_notice", AnyStream, ends).List()
	if len(words) != 2 {
		return first, last, fmt.Errorf("cpa.expiry_notice is %q", words)
	}
	most, err := strconv.Atoi(words[0])
	if err != nil {
		return first, last, err
	}
	least, err := strconv.Atoi(words[1])
	return cal.BusinessDaysBefore(ends, most), cal.BusinessDaysBefore(ends, least), err
}

// LastDayAfterNotice is the last day on which a subscription may be debited that a consumer cancelled on a day.
func (b *Book) LastDayAfterNotice(cancelled calendar.Date, cal *calendar.Calendar) calendar.Date {
	return cal.AddBusinessDays(cancelled, int(b.On("cpa.cancel", AnyStream, cancelled).Int()))
}

// Allocate shares a payment under a credit agreement, in cents, in the order of nca.allocation: interest, then fees,
// then the sum that was lent.
func (b *Book) Allocate(cents int64, owed map[string]int64, day calendar.Date) map[string]int64 {
	paid := map[string]int64{}
	order := b.On("nca.allocation", AnyStream, day).List()
	for i, part := range order {
		paid[part] = min(cents, owed[part])
		if i == len(order)-1 {
			paid[part] = cents
		}
		cents -= paid[part]
	}
	return paid
}
