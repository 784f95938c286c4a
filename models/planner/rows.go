package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// Store is where the figures of days are kept.
type Store struct{ *database.DB }

// daySum is what the debits of a day in one state come to.
type daySum struct {
	Day    calendar.Date
	State  collection.State
	Method bank.Method
	purchase.Tally
}

// undecided: a debit by EFT that may still be returned unpaid, or that the bank has not answered.
func (d daySum) undecided() bool {
	return d.Method == bank.EFT && (d.State == collection.Provisional || d.State.Outcome() == collection.OutcomeOpen)
}

// debits reads what is kept of the debits of some days, day by day.
func (s Store) debits(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]daySum, error) {
	var found []daySum
	err := s.Gorm(ctx).Raw(`SELECT day, state, method, sum(n)::bigint AS n, sum(cents)::bigint AS cents FROM debit_sums
		WHERE merchant_id = ? AND state IN ? AND day BETWEEN ? AND ?
		GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3`, merchantID, collection.Names(collection.Outcomes...), from,
		to).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("debits of days: %w", err)
	}
	return found, nil
}

// leaving reads what waits to be handed over on some days, by the moment by which that is done.
func (s Store) leaving(ctx context.Context, merchantID uuid.UUID, from,
	to calendar.Date) (map[time.Time]purchase.Tally, error) {
	var found []struct {
		At time.Time
		purchase.Tally
	}
	err := s.Gorm(ctx).Raw(`SELECT at, sum(n)::bigint AS n, sum(cents)::bigint AS cents
		FROM debit_sums WHERE merchant_id = ? AND state = 'scheduled'
			AND day BETWEEN ? AND ? AND at >= ? AND at < ?
		GROUP BY 1 HAVING sum(n) <> 0`, merchantID, from, to.AddDays(aside), from.At(0, 0), to.AddDays(1).At(0, 0)).
		Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("debits that leave: %w", err)
	}
	out := map[time.Time]purchase.Tally{}
	for _, f := range found {
		out[f.At] = f.Tally
	}
	return out, nil
}
