// Package analysis looks at how debits went and what those that are planned will bring: by week, weekday, day of the
// month, method, brand, bank, template and age of the mandate, why they failed, and how each failure ended. It reads
// what is kept by day, and the rows of failed debits alone, so that three years of many clients are as quick as a month
// of few. It must not know how its figures are drawn.
package analysis

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/rulebook"
	"debitdesk/models/subscription"
)

// Question is which debits are looked at, by their debit date. Both days are included.
type Question struct {
	From, To calendar.Date
	Method   bank.Method // empty: any
	BrandID  uuid.UUID   // zero: any
}

// mostDays is how long a period can be: reasons and endings are found among the failed debits of the period.
const mostDays = 3*366 + 1

// firstYear is before every debit; an earlier period is asked for by mistake.
const firstYear = 2000

func (q Question) check() error {
	if q.To.Before(q.From) {
		return fault.At("to", "min_value", "The last day is before the first.")
	}
	if q.From.Year < firstYear {
		return fault.At("from", "min_value", "Choose a day from the year %d on.", firstYear)
	}
	if q.To.DaysSince(q.From) >= mostDays {
		return fault.At("from", "max_value", "Choose at most three years.")
	}
	return nil
}

// Days is how many days the question spans.
func (q Question) Days() int { return q.To.DaysSince(q.From) + 1 }

// Earlier is the same question about the days right before, as many as these. Whole months are compared with as many
// whole months.
func (q Question) Earlier() Question {
	if q.From.Day == 1 && q.To == q.To.LastDayOfMonth() {
		months := 12*(q.To.Year-q.From.Year) + int(q.To.Month-q.From.Month) + 1
		q.From, q.To = calendar.On(q.From.Year, q.From.Month-time.Month(months), 1), q.From.AddDays(-1)
		return q
	}
	days := q.Days()
	q.From, q.To = q.From.AddDays(-days), q.From.AddDays(-1)
	return q
}

// YearBefore is the same question about the same days a year earlier.
func (q Question) YearBefore() Question {
	whole := q.To == q.To.LastDayOfMonth()
	q.From, q.To = q.From.AddMonths(-12, q.From.Day), q.To.AddMonths(-12, q.To.Day)
	if whole {
		q.To = q.To.LastDayOfMonth()
	}
	return q
}

// Result is how some debits went. Withdrawn ones are none of them; a disputed one counts as disputed, however that was
// decided.
type Result struct {
	Final       purchase.Tally // collected, and can no longer be returned unpaid
	Provisional purchase.Tally // collected, and may still be returned
	Unpaid      purchase.Tally
	Disputed    purchase.Tally
	Open        purchase.Tally // the bank has not answered
}

func (r *Result) add(s sum) {
	into := &r.Open
	switch s.State.Outcome() {
	case collection.OutcomeCollected:
		into = &r.Final
		if s.State == collection.Provisional {
			into = &r.Provisional
		}
	case collection.OutcomeFailed:
		into = &r.Unpaid
	case collection.OutcomeDisputed:
		into = &r.Disputed
	case collection.OutcomeOpen:
	}
	into.N, into.Cents = into.N+s.N, into.Cents+s.Cents
}

// Collected is what came in and has not gone back.
func (r Result) Collected() purchase.Tally {
	return purchase.Tally{N: r.Final.N + r.Provisional.N, Cents: r.Final.Cents + r.Provisional.Cents}
}

// Answered is what the bank has answered.
func (r Result) Answered() purchase.Tally {
	c := r.Collected()
	return purchase.Tally{N: c.N + r.Unpaid.N + r.Disputed.N, Cents: c.Cents + r.Unpaid.Cents + r.Disputed.Cents}
}

// Interval is where the share of collected debits lies in 80 of 100 cases; ok is false when there are too few cases.
func (r Result) Interval() (i estimate.Interval, ok bool) {
	n := r.Answered().N
	return estimate.Wilson(r.Collected().N, n, estimate.Z80), n >= estimate.Enough
}

// Outcome is the result as the limits count it.
func (r Result) Outcome() report.Outcome {
	return report.Outcome{Collected: r.Collected().N, Unpaid: r.Unpaid.N, Disputed: r.Disputed.N}
}

// Span is what the debits of some days came to.
type Span struct {
	From, To calendar.Date
	Result
}

// Month is a month of the period, with the limits that hold in it.
type Month struct {
	Span
	Limits report.Limits
}

// Group is what the debits came to that have something in common, beside those of the period that is compared.
type Group struct {
	Weekday time.Weekday // of groups by weekday
	Day     int          // of groups by day of the month
	Method  bank.Method  // of groups by method
	BrandID uuid.UUID    // of groups by brand
	Value   string       // of groups by bank, template or age of the mandate
	Result
	Was Result
}

// Changed tells that the share of collected debits differs from the earlier one by more than chance explains: both have
// enough cases and their intervals have nothing in common.
func (g Group) Changed() bool {
	now, enough := g.Interval()
	was, enoughThen := g.Was.Interval()
	return enough && enoughThen && now.Apart(was)
}

// Picture is the answer to a question.
type Picture struct {
	Of, Before Question // Before.From is zero when nothing is compared
	All        Group
	Spans      []Span // weeks from Monday to Sunday, or months when there are many; cut at the ends of the period
	Weekly     bool
	Months     []Month
	Weekdays, Days,
	Methods, Brands []Group
	// Banks by universal branch code and Templates by id, those with the most answers first; Ages of mandates, the
	// youngest first. What is not known has no value.
	Banks, Templates, Ages []Group
	Reasons                []Reason // those with the most failed debits first
	Endings                []Cohort // by the month of the debit that failed first
}

// Service answers questions.
type Service struct {
	Store    Store
	Now      func() time.Time
	Calendar *calendar.Calendar
	Rules    *rulebook.Book // nil: the scheme's
	OwnRules func(ctx context.Context, merchantID uuid.UUID) ([]rulebook.Own, error)
	// Bills are the periods that subscriptions will bill, by the rules by which they are billed.
	Bills func(ctx context.Context, who actor.Actor, from, to calendar.Date) (subscription.Planned, error)

	knownMu sync.Mutex
	known   map[uuid.UUID]knownCases // of the day knownOn, by merchant; never changed once they are in it
	knownOn calendar.Date
}

// Look answers a question, and compares with another unless its From is zero.
func (s *Service) Look(ctx context.Context, who actor.Actor, q, before Question) (p Picture, err error) {
	if err := who.May(actor.Read); err != nil {
		return p, err
	}
	if err := q.check(); err != nil {
		return p, err
	}
	p = Picture{Of: q, Before: before}
	now, err := s.Store.sums(ctx, who.MerchantID, q)
	if err != nil {
		return p, err
	}
	var was []sum
	if !before.From.IsZero() {
		if was, err = s.Store.sums(ctx, who.MerchantID, before); err != nil {
			return p, err
		}
	}
	p.group(now, was)
	p.spans(now)
	own, err := s.OwnRules(ctx, who.MerchantID)
	if err != nil {
		return p, err
	}
	for i, m := range p.Months {
		p.Months[i].Limits = report.LimitsOf(who.MerchantID, own, s.Rules, m.To)
	}
	if err := s.traits(ctx, who.MerchantID, &p); err != nil {
		return p, err
	}
	if p.Reasons, err = s.Store.reasons(ctx, who.MerchantID, q); err != nil {
		return p, err
	}
	p.Endings, err = s.Store.endings(ctx, who.MerchantID, q)
	return p, err
}

// group sorts sums by what they have in common.
func (p *Picture) group(now, was []sum) {
	for _, g := range []struct {
		into *[]Group
		key  func(sum) Group
	}{
		{&p.Weekdays, func(s sum) Group { return Group{Weekday: s.Day.Weekday()} }},
		{&p.Days, func(s sum) Group { return Group{Day: s.Day.Day} }},
		{&p.Methods, func(s sum) Group { return Group{Method: s.Method} }},
		{&p.Brands, func(s sum) Group { return Group{BrandID: s.BrandID} }},
	} {
		*g.into = grouped(now, was, g.key)
	}
	for _, s := range now {
		p.All.add(s)
	}
	for _, s := range was {
		p.All.Was.add(s)
	}
}

func grouped(now, was []sum, key func(sum) Group) []Group {
	at := map[Group]int{}
	var out []Group
	place := func(s sum) *Group {
		k := key(s)
		i, known := at[k]
		if !known {
			i, at[k], out = len(out), len(out), append(out, k)
		}
		return &out[i]
	}
	for _, s := range now {
		place(s).add(s)
	}
	for _, s := range was {
		place(s).Was.add(s)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare((a.Weekday+6)%7, (b.Weekday+6)%7), cmp.Compare(a.Day, b.Day), // from Monday on
			cmp.Compare(a.Method, b.Method), cmp.Compare(a.BrandID.String(), b.BrandID.String()))
	})
	return out
}

// mostWeeks is from how many weeks on months are shown in their place.
const mostWeeks = 27

func (p *Picture) spans(now []sum) {
	p.Weekly = p.Of.Days() <= 7*mostWeeks
	byMonth := cut(p.Of, func(d calendar.Date) calendar.Date { return d.LastDayOfMonth() }, now)
	for _, s := range byMonth {
		p.Months = append(p.Months, Month{Span: s})
	}
	if p.Spans = byMonth; p.Weekly {
		p.Spans = cut(p.Of, func(d calendar.Date) calendar.Date { return d.AddDays(7 - d.ISOWeekday()) }, now)
	}
}

// cut sums up the debits of each span of a period; end is the last day of the span in which a day lies.
func cut(q Question, end func(calendar.Date) calendar.Date, sums []sum) (out []Span) {
	for from := q.From; !from.After(q.To); {
		s := Span{From: from, To: end(from)}
		if s.To.After(q.To) {
			s.To = q.To
		}
		out, from = append(out, s), s.To.AddDays(1)
	}
	for _, s := range sums {
		i, _ := slices.BinarySearchFunc(out, s.Day, func(o Span, d calendar.Date) int { return o.To.Compare(d) })
		out[i].add(s)
	}
	return out
}
