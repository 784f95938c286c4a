package planner

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// Move is what becomes of debits that fall due on a day when a day is closed, or opened, to banks.
type Move struct {
	Due     calendar.Date
	Method  bank.Method
	Brands  []string // those to which it happens
	Was, Is collection.Plan
	Planned purchase.Tally // debits that are planned for the debit date as it was: they keep their dates
	Bills   purchase.Tally // subscriptions that will bill for this day: they move
}

// Effect is what a change of the calendar moves.
type Effect struct {
	Day     calendar.Date
	Moves   []Move
	Planned purchase.Tally // debits that are planned for the very day, by any method
	// BillsUnknown: there are more subscriptions than are looked at.
	BillsUnknown bool
}

// reach is how many days beside a changed day are looked at: a debit's cut-off lies before it, and its return window
// after it.
const reach = 14

// Effect rehearses a change of the calendar by the timetable that plans debits: before is the calendar without the
// change, after with it.
func (s *Service) Effect(ctx context.Context, who actor.Actor, day calendar.Date, before,
	after *calendar.Calendar) (e Effect, err error) {
	if err := who.May(actor.Read); err != nil {
		return e, err
	}
	e.Day = day
	brands, err := merchant.Store(s.Store).Brands(ctx, who.MerchantID)
	if err != nil {
		return e, err
	}
	now := s.Now()
	first, last := day.AddDays(-reach), day.AddDays(reach)
	if today := calendar.DateOf(now); first.Before(today) {
		first = today
	}
	e.Moves = s.moves(brands, first, last, before, after)
	sums, err := s.Store.debits(ctx, who.MerchantID, first.AddDays(-reach), last.AddDays(reach))
	if err != nil {
		return e, err
	}
	for _, sum := range sums {
		if sum.State != collection.Scheduled {
			continue
		}
		if sum.Day == day {
			e.Planned = plus(e.Planned, sum.Tally)
		}
		for i := range e.Moves {
			if m := &e.Moves[i]; m.Due == sum.Day && m.Was.ActionDate == sum.Day && m.Method == sum.Method {
				m.Planned = plus(m.Planned, sum.Tally)
			}
		}
	}
	bills, err := s.Bills(ctx, who, calendar.DateOf(now), last)
	if err != nil {
		return e, err
	}
	e.BillsUnknown = !bills.MoreFrom.IsZero()
	for _, turn := range bills.Turns {
		for i := range e.Moves {
			if m := &e.Moves[i]; m.Due == turn.DueOn && m.Method == bank.EFT {
				m.Bills = plus(m.Bills, purchase.Tally{N: turn.N, Cents: turn.N * turn.Cents})
			}
		}
	}
	return e, nil
}

// moves compares the plans of each due day, as they are made now and as they would be made.
func (s *Service) moves(brands []merchant.Brand, first, last calendar.Date, before,
	after *calendar.Calendar) (out []Move) {
	for due := first; !due.After(last); due = due.AddDays(1) {
		for _, method := range []bank.Method{bank.EFT, bank.DebiCheck} {
			t := s.Timetable.For(method)
			begin := len(out)
			for _, b := range brands {
				was, is := planOf(t, before, due, b.ShiftFor(method)), planOf(t, after, due, b.ShiftFor(method))
				if same(was, is, method) {
					continue
				}
				known := false
				for i := begin; i < len(out); i++ {
					if out[i].Was == was && out[i].Is == is {
						out[i].Brands, known = append(out[i].Brands, b.Name), true
					}
				}
				if !known {
					out = append(out, Move{Due: due, Method: method, Brands: []string{b.Name}, Was: was, Is: is})
				}
			}
		}
	}
	return out
}

// planOf is the plan of a debit that is made long before, so that no cut-off has passed.
func planOf(t collection.Timetable, cal *calendar.Calendar, due calendar.Date, shift calendar.Shift) collection.Plan {
	return t.Plan(cal, t.DueOn(due), shift, due.AddDays(-2*reach).At(0, 0))
}

// same tells whether nothing moves. The first answer of DebiCheck is the last: no return window follows.
func same(was, is collection.Plan, method bank.Method) bool {
	return was.ActionDate == is.ActionDate && was.SubmitAt.Equal(is.SubmitAt) &&
		(method == bank.DebiCheck || was.FinalAt.Equal(is.FinalAt))
}
