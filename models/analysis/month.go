package analysis

import (
	"cmp"
	"context"
	"slices"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
)

// MonthEnd is what the debits of one month came to, by their debit date and as it stands now, and how that agrees with
// the movements of money of the month.
type MonthEnd struct {
	First, Last calendar.Date
	Methods     []MethodMonth // those that have a debit
	All         MethodMonth
	Disputable  Disputable
	Ledger      []LedgerKind // what moved in the month, of each kind; no kind that has nothing
}

// MethodMonth is what the debits of one method came to.
type MethodMonth struct {
	Method bank.Method // empty: all
	Result
	Withdrawn purchase.Tally // cancelled or recalled before the bank ran them; none of the others
	WonBack   purchase.Tally // disputed and decided for the merchant: their money is there again
	Reasons   []MonthReason
}

// Standing is the money of these debits that is there: collected and not gone back, or won back.
func (m MethodMonth) Standing() purchase.Tally { return plus(m.Collected(), m.WonBack) }

// MonthReason is why debits failed or were disputed, by the bank's code.
type MonthReason struct {
	Method bank.Method
	State  collection.State
	Code   string
	purchase.Tally
}

// Disputable are the collected EFT debits of the month that their clients can still dispute, by the rule of each day.
// A DebiCheck debit can be disputed only where it does not keep to its mandate, which no sum knows.
type Disputable struct {
	purchase.Tally
	From  calendar.Date // the first debit date of which debits can still be disputed; zero: none
	Until calendar.Date // the last day on which the last of them can
}

// LedgerKind is what the movements of one kind came to, in rands. Cents are below zero for what went out.
type LedgerKind struct {
	Kind string // as movements have it
	purchase.Tally
}

// ofDebits are the kinds of movements that a debit makes.
var ofDebits = []string{"collected", "returned", "disputed", "dispute_won"}

// Moved is what the movements of the month come to: those of debits, and all.
func (m MonthEnd) Moved() (debits, all purchase.Tally) {
	for _, k := range m.Ledger {
		if slices.Contains(ofDebits, k.Kind) {
			debits = plus(debits, k.Tally)
		}
		all = plus(all, k.Tally)
	}
	return debits, all
}

// ElsewhereCents is by how much the movements of the month differ from what its debits brought: what was booked in it
// for debits of other months, less what is booked in other months for debits of this one.
func (m MonthEnd) ElsewhereCents() int64 {
	debits, _ := m.Moved()
	return debits.Cents - m.All.Standing().Cents
}

// Month gives what the debits of a month came to; day is any day of it.
func (s *Service) Month(ctx context.Context, who actor.Actor, day calendar.Date) (m MonthEnd, err error) {
	if err := who.May(actor.Read); err != nil {
		return m, err
	}
	m = MonthEnd{First: day.FirstDayOfMonth(), Last: day.LastDayOfMonth()}
	if m.First.Year < firstYear {
		return m, fault.At("month", "min_value", "Choose a month from the year %d on.", firstYear)
	}
	q := Question{From: m.First, To: m.Last}
	sums, err := s.Store.everySum(ctx, who.MerchantID, q)
	if err != nil {
		return m, err
	}
	m.take(sums)
	m.disputable(sums, cmp.Or(s.Rules, rulebook.Default()), calendar.DateOf(s.Now()))
	reasons, err := s.Store.monthReasons(ctx, who.MerchantID, q)
	if err != nil {
		return m, err
	}
	for i := range m.Methods {
		for _, r := range reasons {
			if r.Method == m.Methods[i].Method {
				m.Methods[i].Reasons = append(m.Methods[i].Reasons, r)
			}
		}
	}
	m.Ledger, err = s.Store.moved(ctx, who.MerchantID, q)
	return m, err
}

func (m *MonthEnd) take(sums []sum) {
	for _, method := range []bank.Method{bank.EFT, bank.DebiCheck} {
		one := MethodMonth{Method: method}
		for _, s := range sums {
			if s.Method == method {
				one.note(s)
			}
		}
		if one.Answered().N+one.Open.N+one.Withdrawn.N > 0 {
			m.Methods = append(m.Methods, one)
		}
	}
	for _, s := range sums {
		m.All.note(s)
	}
}

func (m *MethodMonth) note(s sum) {
	t := purchase.Tally{N: s.N, Cents: s.Cents}
	if s.State.Outcome() == "" {
		m.Withdrawn = plus(m.Withdrawn, t)
		return
	}
	m.add(s)
	if s.State == collection.DisputeWon {
		m.WonBack = plus(m.WonBack, t)
	}
}

// disputable asks the rule of each debit date until when its debits can be disputed.
func (m *MonthEnd) disputable(sums []sum, rules *rulebook.Book, today calendar.Date) {
	for _, s := range sums {
		if s.Method != bank.EFT || s.State.Outcome() != collection.OutcomeCollected {
			continue
		}
		until := rules.Disputes(rulebook.EFT, s.Day, today).Until(s.Day)
		if until.Before(today) {
			continue
		}
		d := &m.Disputable
		d.Tally = plus(d.Tally, purchase.Tally{N: s.N, Cents: s.Cents})
		if d.From.IsZero() || s.Day.Before(d.From) {
			d.From = s.Day
		}
		if until.After(d.Until) {
			d.Until = until
		}
	}
}
