package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	day    calendar.Date
	state  collection.State
	method bank.Method
	purchase.Tally
}

// undecided: a debit by EFT that may still be returned unpaid, or that the bank has not answered.
func (d daySum) undecided() bool {
	return d.method == bank.EFT && (d.state == collection.Provisional || d.state.Outcome() == collection.OutcomeOpen)
}

// debits reads what is kept of the debits of some days, day by day.
func (s Store) debits(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]daySum, error) {
	rows, err := s.Pool.Query(ctx, `SELECT day::text, state, method, sum(n)::bigint, sum(cents)::bigint
		FROM debit_sums
		WHERE merchant_id = $1 AND state = ANY($2::text[]) AND day BETWEEN $3::text::date AND $4::text::date
		GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3`, merchantID.String(),
		collection.Names(collection.Outcomes...), from.String(), to.String())
	if err != nil {
		return nil, fmt.Errorf("debits of days: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d daySum, err error) {
		var day string
		if err := row.Scan(&day, &d.state, &d.method, &d.N, &d.Cents); err != nil {
			return d, err
		}
		d.day, err = calendar.ParseDate(day)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("debits of days: %w", err)
	}
	return out, nil
}

// leaving reads what waits to be handed over on some days, by the moment by which that is done.
func (s Store) leaving(ctx context.Context, merchantID uuid.UUID, from,
	to calendar.Date) (map[time.Time]purchase.Tally, error) {
	rows, err := s.Pool.Query(ctx, `SELECT at, sum(n)::bigint, sum(cents)::bigint
		FROM debit_sums WHERE merchant_id = $1 AND state = 'scheduled'
			AND day BETWEEN $4::text::date AND $5::text::date AND at >= $2 AND at < $3
		GROUP BY 1 HAVING sum(n) <> 0`, merchantID.String(), from.At(0, 0), to.AddDays(1).At(0, 0),
		from.String(), to.AddDays(aside).String())
	if err != nil {
		return nil, fmt.Errorf("debits that leave: %w", err)
	}
	out := map[time.Time]purchase.Tally{}
	var at time.Time
	var t purchase.Tally
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&at, &t.N, &t.Cents},
		func() error { out[at.UTC()] = t; return nil },
	); err != nil {
		return nil, fmt.Errorf("debits that leave: %w", err)
	}
	return out, nil
}
