package analysis

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/estimate"
	"debitdesk/models/purchase"
)

// PlannedDebit is a planned EFT debit that could run on another day.
type PlannedDebit struct {
	On    calendar.Date // its debit date as planned
	Cents int64
}

// OnDay is what some debits would bring on one day, by how debits went that ran on this day of the month.
type OnDay struct {
	Date calendar.Date
	purchase.Tally
	estimate.History // of this day of the month
}

// Enough tells that so many debits ran on this day of the month that something can be said.
func (d OnDay) Enough() bool { return d.Answered >= estimate.Enough }

// Side is what the debits are likely to bring, on the days on which they are planned or on another.
type Side struct {
	Days []OnDay
	purchase.Tally
	Likely // not known where one of the days has too few cases
}

// MovingThese is what some planned debits are likely to bring as they are planned, and on another day.
type MovingThese struct {
	Stay, Move Side
	From, To   calendar.Date // the days that the history was taken from
}

// Differs tells that the two sides differ.
func (m MovingThese) Differs() bool { return m.Stay.Differs(m.Move.Likely) }

// MovingThese tells what planned EFT debits, in the order of their days, are likely to bring as planned and on another
// day. It compares days of the month as all EFT debits of the merchant went on them; how these clients would pay on
// another day no past debit says.
func (s *Service) MovingThese(ctx context.Context, who actor.Actor, debits []PlannedDebit,
	to calendar.Date) (m MovingThese, err error) {
	if err := who.May(actor.Read); err != nil {
		return m, err
	}
	today := calendar.DateOf(s.Now())
	m.From, m.To = today.AddDays(-lagDays-movingDays), today.AddDays(-lagDays-1)
	sums, err := s.Store.sums(ctx, who.MerchantID, Question{From: m.From, To: m.To, Method: bank.EFT})
	if err != nil {
		return m, err
	}
	m.Stay = sideOf(debits, sums, m.From, m.To)
	moved := make([]PlannedDebit, len(debits))
	for i, d := range debits {
		moved[i] = PlannedDebit{On: to, Cents: d.Cents}
	}
	m.Move = sideOf(moved, sums, m.From, m.To)
	return m, nil
}

func sideOf(debits []PlannedDebit, sums []sum, from, to calendar.Date) (s Side) {
	var parts [][]estimate.Part
	at := map[calendar.Date]int{}
	for _, d := range debits {
		i, known := at[d.On]
		if !known {
			i, at[d.On] = len(s.Days), len(s.Days)
			s.Days = append(s.Days, OnDay{Date: d.On, History: onDay(sums, d.On.Day, from, to)})
			parts = append(parts, []estimate.Part{{History: s.Days[i].History}})
		}
		one, cents := &parts[i][0], float64(d.Cents)
		one.N, one.Cents, one.Squares = one.N+1, one.Cents+d.Cents, one.Squares+cents*cents
		s.Days[i].Tally = plus(s.Days[i].Tally, purchase.Tally{N: 1, Cents: d.Cents})
		s.Tally = plus(s.Tally, purchase.Tally{N: 1, Cents: d.Cents})
	}
	s.Known = len(s.Days) > 0
	for _, d := range s.Days {
		s.Known = s.Known && d.Enough()
	}
	if s.Known {
		s.Band = estimate.BandOf(parts...)
	}
	return s
}

// onDay is how all debits went on one day of the month.
func onDay(sums []sum, day int, from, to calendar.Date) (h estimate.History) {
	for _, k := range kindsOn(sums, day, from, to, nil) {
		if k.Method == "" {
			h = k.History
		}
	}
	return h
}
