package report

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// BalanceAsOf is the balance as it stood at the end of a day. What was booked by then counts, whatever day it
// was for: a return that was booked later does not change the balance of an earlier day. Of today it is the
// balance now.
func (s *Money) BalanceAsOf(ctx context.Context, who actor.Actor, day calendar.Date) (map[string]Balance, error) {
	today := calendar.DateOf(s.Store.Now())
	if day.After(today) {
		return nil, fault.At("as_of", "max_value", "The balance is known up to today, %s.", today)
	}
	brands, err := s.Allow(ctx, who, Filter{})
	if err != nil {
		return nil, err
	}
	found, err := s.Store.balancesAsOf(ctx, who.MerchantID, day)
	if err != nil {
		return nil, err
	}
	for _, currency := range Currencies(brands) {
		if _, known := found[currency]; !known {
			found[currency] = Balance{}
		}
	}
	return found, nil
}

// Part is a part of the balance that is not the merchant's for good.
type Part string

// The parts.
const (
	Returnable Part = "returnable" // collected debits that may still be returned, less refunds under way
	Owed       Part = "owed"       // refunds that are not paid out yet
)

// Parts lists them.
var Parts = []Part{Returnable, Owed}

// PartFilter narrows what a part of the balance is made of.
type PartFilter struct {
	Part     Part
	AsOf     calendar.Date // as it stood at the end of this day
	Currency string        // empty: any
}

// PartRows gives a page of what a part of the balance was made of: debits by their debit date, refunds as they were
// promised, the newest first.
func (s *Money) PartRows(ctx context.Context, who actor.Actor, f PartFilter,
	ask paging.Ask) (paging.Page[Movement], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Movement]{}, err
	}
	return s.Store.partRows(ctx, who.MerchantID, f, ask)
}

// SumPart counts and sums it.
func (s *Money) SumPart(ctx context.Context, who actor.Actor, f PartFilter) (MovementSum, error) {
	if err := who.May(actor.Read); err != nil {
		return MovementSum{}, err
	}
	return s.Store.sumPart(ctx, who.MerchantID, f)
}
