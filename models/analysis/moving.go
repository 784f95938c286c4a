package analysis

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// movingDays is how much of the past tells how debits go on a day of the month: each has come twelve times in it.
const movingDays = 365

// Moving is what planned debits are likely to bring on their day, and what they would if they had another.
type Moving struct {
	From, To   calendar.Date
	Planned    purchase.Tally // with the first day
	Stay, Move DayOfMonth
}

// DayOfMonth is how debits went on one day of the month, by the methods of those that are planned, and what these are
// expected to bring there.
type DayOfMonth struct {
	estimate.History
	Likely
}

// Likely is what debits are expected to bring.
type Likely struct {
	Known bool // false: there are too few cases to say
	Band  estimate.Band
}

// Differs tells that the ranges have nothing in common: what is between them is more than chance explains.
func (l Likely) Differs(other Likely) bool { return l.Known && other.Known && l.Band.Apart(other.Band) }

// Differs tells that the two days differ.
func (m Moving) Differs() bool { return m.Stay.Differs(m.Move.Likely) }

// Moving compares what the debits that are planned for a day will bring with what they would on another, by how debits
// of the last year went on the same days of the month. It moves nothing.
func (s *Service) Moving(ctx context.Context, who actor.Actor, from, to calendar.Date) (m Moving, err error) {
	if err := who.May(actor.Read); err != nil {
		return m, err
	}
	today := calendar.DateOf(s.Now())
	var wrong fault.Problems
	for _, day := range []struct {
		field string
		calendar.Date
	}{{"from", from}, {"to", to}} {
		if day.Before(today) || day.After(today.AddDays(movingDays)) {
			wrong.Add(day.field, "out_of_range", "Choose a day within a year from today, %s.", today)
		}
	}
	if from == to {
		wrong.Add("to", "invalid", "Choose a day that is not the one of the debits.")
	}
	if err := wrong.Err(); err != nil {
		return m, err
	}
	m.From, m.To = from, to
	sums, err := s.Store.sums(ctx, who.MerchantID, Question{From: today.AddDays(-lagDays - movingDays), To: from})
	if err != nil {
		return m, err
	}
	shapes, err := s.Store.shapes(ctx, who.MerchantID, today)
	if err != nil {
		return m, err
	}
	m.weigh(sums, today, shapes)
	return m, nil
}

func (m *Moving) weigh(sums []sum, today calendar.Date, shapes map[bank.Method]float64) {
	planned := map[calendar.Date]map[bank.Method]purchase.Tally{}
	for _, s := range sums {
		if s.Day == m.From && s.State.Outcome() == collection.OutcomeOpen {
			note(planned, s)
			m.Planned = plus(m.Planned, purchase.Tally{N: s.N, Cents: s.Cents})
		}
	}
	on := func(day int) (d DayOfMonth) {
		kinds := kindsOn(sums, day, today.AddDays(-lagDays-movingDays), today.AddDays(-lagDays-1), shapes)
		for _, k := range kinds {
			if _, used := planned[m.From][k.Method]; used {
				d.Paid, d.Answered = d.Paid+k.Paid, d.Answered+k.Answered
			}
		}
		var parts []estimate.Part
		if parts, d.Known = partsOf(planned[m.From], kinds); d.Known && d.Answered >= estimate.Enough {
			d.Band = estimate.BandOf(parts)
		} else {
			d.Known = false
		}
		return d
	}
	m.Stay, m.Move = on(m.From.Day), on(m.To.Day)
}

// kindsOn is the history of each method, and of all, on one day of the month. The sums come in the order of their days.
func kindsOn(sums []sum, day int, from, to calendar.Date, shapes map[bank.Method]float64) []Kind {
	var of []sum
	for _, s := range sums {
		if s.Day.Day == day {
			of = append(of, s)
		}
	}
	return kindsOf(of, from, to, shapes)
}
