// Package planner knows what each day brings: the debits of a day and what goes to the bank on it, the answers
// that can be expected, the subscriptions that bill, and the days on which banks are closed. It must not know
// how days are drawn.
package planner

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// Debits are the debits of one debit date, by how they went. Those that were withdrawn are none of them.
type Debits struct {
	All, Open, Collected, Failed, Disputed purchase.Tally
}

// CutOff is the moment of a day by which debits go to the bank, with those that still wait for it.
type CutOff struct {
	At     time.Time
	Debits purchase.Tally
}

// Answer is when the bank first answers the debits of the day that it has not answered.
type Answer struct {
	At     time.Time
	Method bank.Method
	Debits purchase.Tally
}

// Returns are the debits of some debit dates that may come back unpaid on the morning of a day.
type Returns struct {
	At       time.Time
	From, To calendar.Date // debit dates
	Debits   purchase.Tally
}

// Final is the moment from which the debits of a debit date can no longer be returned: silence was success.
type Final struct {
	At     time.Time
	Of     calendar.Date // the debit date
	Debits purchase.Tally
}

// Day is what one day brings.
type Day struct {
	Date      calendar.Date
	Holiday   string // its name
	Closed    string // why no EFT debit runs: the holiday, or the day of the week; empty when they run
	Debits    Debits
	CutOffs   []CutOff
	Answers   []Answer
	Returns   Returns
	Finals    []Final
	Bills     purchase.Tally // subscriptions that will bill
	BillsMore bool           // there may be more of them than were looked at
	Promises  purchase.Tally // open promises to pay; of days that have passed, broken ones
}

// Service finds out what days bring.
type Service struct {
	Store     Store
	Now       func() time.Time
	Calendar  *calendar.Calendar
	Timetable collection.Timetable
	Window    mandate.Window
	// Bills are the periods that subscriptions will bill, by the rules by which they are billed.
	Bills func(ctx context.Context, who actor.Actor, from, to calendar.Date) (subscription.Planned, error)
	// Promised are what clients promised to pay on some days, in their order, up to a limit.
	Promised func(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date, limit int) ([]followup.Promise, error)
}

// promisesLimit is how many promises are looked at: people write them down one by one.
const promisesLimit = 1000

// Promises are those of some days that are not kept or withdrawn: open ones and, of days that have passed, broken ones.
func (s *Service) Promises(ctx context.Context, who actor.Actor, from,
	to calendar.Date) (out []followup.Promise, err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	all, err := s.Promised(ctx, who.MerchantID, from, to, promisesLimit)
	today := calendar.DateOf(s.Now())
	for _, p := range all {
		if standing := p.Standing(today); standing == followup.Open || standing == followup.Broken {
			out = append(out, p)
		}
	}
	return out, err
}

// aside is how many days beside those that are shown are read: the debits whose return window reaches into them, and
// those that go to the bank before their date. Easter and the end of the year close banks for four days in a row.
const aside = 14

// Days gives the days from one to another, both included.
func (s *Service) Days(ctx context.Context, who actor.Actor, from, to calendar.Date) ([]Day, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	sums, err := s.Store.debits(ctx, who.MerchantID, s.returnsFrom(from).AddDays(-aside), to)
	if err != nil {
		return nil, err
	}
	leaving, err := s.Store.leaving(ctx, who.MerchantID, from, to)
	if err != nil {
		return nil, err
	}
	bills, err := s.Bills(ctx, who, from, to)
	if err != nil {
		return nil, err
	}
	var days []Day
	for date := from; !date.After(to); date = date.AddDays(1) {
		days = append(days, s.day(date, sums, leaving))
	}
	for _, turn := range bills.Turns {
		d := &days[turn.BilledOn.DaysSince(from)]
		d.Bills = plus(d.Bills, purchase.Tally{N: turn.N, Cents: turn.N * turn.Cents})
	}
	promises, err := s.Promises(ctx, who, from, to)
	if err != nil {
		return nil, err
	}
	for _, p := range promises {
		d := &days[p.DueOn.DaysSince(from)]
		d.Promises = plus(d.Promises, purchase.Tally{N: 1, Cents: p.AmountCents})
	}
	for i := range days {
		days[i].BillsMore = !bills.MoreFrom.IsZero() && !days[i].Date.Before(bills.MoreFrom)
	}
	s.finals(days, sums)
	return days, nil
}

// returnsFrom is the first debit date whose return window reaches a day.
func (s *Service) returnsFrom(day calendar.Date) calendar.Date {
	return s.Calendar.BusinessDaysBefore(day, s.Timetable.ReturnDays(day))
}

func (s *Service) day(date calendar.Date, sums []daySum, leaving map[time.Time]purchase.Tally) Day {
	d := Day{Date: date}
	d.Holiday, _ = s.Calendar.Holiday(date)
	d.Closed, _ = s.Calendar.Closed(date)
	today := calendar.DateOf(s.Now())
	open := map[bank.Method]purchase.Tally{}
	for _, sum := range sums {
		if sum.Day == date {
			d.Debits.add(sum)
			if sum.State.Outcome() == collection.OutcomeOpen {
				open[sum.Method] = plus(open[sum.Method], sum.Tally)
			}
		}
	}
	for _, method := range []bank.Method{bank.DebiCheck, bank.EFT} {
		at := s.Timetable.For(method).ProvisionalAtFor(date)
		if t := open[method]; t.N > 0 && at.After(s.Now()) {
			d.Answers = append(d.Answers, Answer{At: at, Method: method, Debits: t})
		}
	}
	if date.Before(today) {
		return d
	}
	if cutOff := s.Timetable.CutOff.On(date); d.Closed == "" && cutOff.After(s.Now()) {
		d.CutOffs = append(d.CutOffs, CutOff{At: cutOff, Debits: leaving[cutOff.UTC()]})
	}
	for at, t := range leaving {
		if calendar.DateOf(at) == date && (len(d.CutOffs) == 0 || !at.Equal(d.CutOffs[0].At)) {
			d.CutOffs = append(d.CutOffs, CutOff{At: at, Debits: t})
		}
	}
	if d.Closed == "" {
		d.Returns = Returns{At: s.Timetable.ReturnsAt.On(date), From: s.returnsFrom(date), To: date.AddDays(-1)}
		for _, sum := range sums {
			if sum.undecided() && !sum.Day.Before(d.Returns.From) && !sum.Day.After(d.Returns.To) {
				d.Returns.Debits = plus(d.Returns.Debits, sum.Tally)
			}
		}
	}
	return d
}

// finals says on which days silence makes debits final.
func (s *Service) finals(days []Day, sums []daySum) {
	if len(days) == 0 {
		return
	}
	for _, sum := range sums {
		if !sum.undecided() {
			continue
		}
		at := s.Timetable.FinalAt(s.Calendar, sum.Day)
		i := calendar.DateOf(at).DaysSince(days[0].Date)
		if i < 0 || i >= len(days) || days[i].Date.Before(calendar.DateOf(s.Now())) {
			continue
		}
		list := &days[i].Finals
		if n := len(*list); n > 0 && (*list)[n-1].Of == sum.Day {
			(*list)[n-1].Debits = plus((*list)[n-1].Debits, sum.Tally)
		} else {
			*list = append(*list, Final{At: at, Of: sum.Day, Debits: sum.Tally})
		}
	}
}

func (d *Debits) add(sum daySum) {
	switch sum.State.Outcome() {
	case collection.OutcomeOpen:
		d.Open = plus(d.Open, sum.Tally)
	case collection.OutcomeCollected:
		d.Collected = plus(d.Collected, sum.Tally)
	case collection.OutcomeFailed:
		d.Failed = plus(d.Failed, sum.Tally)
	case collection.OutcomeDisputed:
		d.Disputed = plus(d.Disputed, sum.Tally)
	default:
		return
	}
	d.All = plus(d.All, sum.Tally)
}

func plus(a, b purchase.Tally) purchase.Tally {
	return purchase.Tally{N: a.N + b.N, Cents: a.Cents + b.Cents}
}
