package report

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/money"
)

// days sums the ledger in ZAR by day, both ends included; quiet days are left out. What is stored in other currencies
// stands in the balance and the turnover.
func (s Store) days(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]Day, error) {
	var rows []struct {
		Day         calendar.Date
		Up, Down    money.Sum
		Debits, Bad int64
	}
	err := s.Gorm(ctx).Raw(`SELECT day,
			coalesce(sum(cents) FILTER (WHERE sign > 0), 0)::text AS up,
			coalesce(-sum(cents) FILTER (WHERE sign < 0), 0)::text AS down,
			coalesce(sum(n) FILTER (WHERE kind = 'collected'), 0)::bigint AS debits,
			coalesce(sum(n) FILTER (WHERE kind IN ('returned', 'disputed')), 0)::bigint AS bad
		FROM (SELECT day, currency, kind, sign, n, cents FROM ledger_days WHERE merchant_id = @m AND day BETWEEN @from AND @to
			UNION ALL SELECT day, currency, kind, sign, n, cents FROM ledger_day_deltas
			WHERE merchant_id = @m AND day BETWEEN @from AND @to) AS parts
		WHERE currency = 'ZAR' GROUP BY day HAVING sum(n) <> 0 ORDER BY day`,
		map[string]any{"m": merchantID, "from": from, "to": to}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("movements of money: %w", err)
	}
	out := make([]Day, len(rows))
	for i, r := range rows {
		out[i] = Day{Date: r.Day, InCents: r.Up, BackCents: r.Down, Debits: r.Debits, ReturnedLater: r.Bad}
	}
	return out, nil
}

// Outcomes counts debits by action date, both ends included.
func (s Store) Outcomes(ctx context.Context, merchantID uuid.UUID, from,
	to calendar.Date) (map[calendar.Date]Outcome, error) {
	var rows []struct {
		ActionDate calendar.Date
		State      string
		N          int64
	}
	states := collection.StatesOf(collection.Answered...)
	err := s.Gorm(ctx).Raw(`SELECT day AS action_date, state, sum(n)::bigint AS n
		FROM debit_sums WHERE merchant_id = @m AND state IN @states AND day BETWEEN @from AND @to
		GROUP BY 1, 2 HAVING sum(n) <> 0`,
		map[string]any{"m": merchantID, "states": states, "from": from, "to": to}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("outcomes of debits: %w", err)
	}
	out := map[calendar.Date]Outcome{}
	for _, r := range rows {
		o := out[r.ActionDate]
		switch collection.State(r.State).Outcome() {
		case collection.OutcomeFailed:
			o.Unpaid += r.N
		case collection.OutcomeDisputed:
			o.Disputed += r.N
		case collection.OutcomeCollected:
			o.Collected += r.N
		case collection.OutcomeOpen:
		}
		out[r.ActionDate] = o
	}
	return out, nil
}
