package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/paging"
)

// Movement is money that came in or went out: a row of the ledger with the purchase it belongs to.
type Movement struct {
	ID, PurchaseID, ClientID         uuid.UUID
	At                               time.Time // when it was booked
	Day                              calendar.Date
	Kind                             string // collected, returned, disputed, dispute_won, refunded, paid_by_hand
	Cents                            int64  // below zero for what went out
	Currency, Code, Reference, Payer string
}

// Direction is where money went.
type Direction string

// The directions.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// MovementFilter narrows the list of movements; its zero value takes all.
type MovementFilter struct {
	From, To  calendar.Date // days on which they were booked, both included; zero: open
	Currency  string
	Direction Direction
	Kind      string // of the movement; empty: any
	ClientID  uuid.UUID
}

// MovementSum is how many movements there are and what they come to. Without a currency in the filter the sum is that
// of all, which means something where there is one currency alone.
type MovementSum struct {
	N     int64
	Cents money.Sum
}

// Movements gives a page of the ledger, what was booked last first.
func (s *Money) Movements(ctx context.Context, who actor.Actor, f MovementFilter,
	ask paging.Ask) (paging.Page[Movement], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Movement]{}, err
	}
	return s.Store.movements(ctx, who.MerchantID, f, ask)
}

// SumMovements counts and sums what a filter lets through, from what is kept by day and month; the movements of one
// client are added up one by one.
func (s *Money) SumMovements(ctx context.Context, who actor.Actor, f MovementFilter) (MovementSum, error) {
	if err := who.May(actor.Read); err != nil {
		return MovementSum{}, err
	}
	return s.Store.sumMovements(ctx, who.MerchantID, f)
}
