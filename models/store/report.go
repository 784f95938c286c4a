package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// Movements implements report.Reader.
func (s *Store) Movements(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]report.Day, error) {
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
	out := make([]report.Day, len(rows))
	for i, r := range rows {
		out[i] = report.Day{Date: r.Day, InCents: r.Up, BackCents: r.Down, Debits: r.Debits, ReturnedLater: r.Bad}
	}
	return out, nil
}

// Outcomes implements report.Reader.
func (s *Store) Outcomes(ctx context.Context, merchantID uuid.UUID, from,
	to calendar.Date) (map[calendar.Date]report.Outcome, error) {
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
	out := map[calendar.Date]report.Outcome{}
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

// DebitTally implements report.Reader.
func (s *Store) DebitTally(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter) (report.Tally, error) {
	t, err := s.TallyDebits(ctx, merchantID, f, 0)
	return report.Tally(t), err
}

// Start implements report.Reader.
func (s *Store) Start(ctx context.Context, merchantID, userID uuid.UUID) (report.Start, error) {
	var out report.Start
	ownFirst := func(table, and string) string { // the first that an index of the merchant has; a blank ends the name m
		return "(SELECT true FROM " + table + " WHERE " + database.BoundTo("merchant_id", "@m ") + and +
			" ORDER BY merchant_id LIMIT 1) IS NOT NULL"
	}
	err := s.Gorm(ctx).Raw(`SELECT
		`+ownFirst("clients", " AND deleted_at IS NULL")+` AS client,
		`+ownFirst("mandates", "")+` AS mandate,
		`+ownFirst("batches", " AND state NOT IN ('mapping', 'checking', 'checked')")+` AS batch,
		EXISTS (SELECT FROM memberships WHERE merchant_id = @m AND user_id <> @u AND role = 'admin'
			AND disabled_at IS NULL) AS second_admin,
		EXISTS (SELECT FROM users WHERE id = @u AND totp_confirmed_at IS NOT NULL)
			OR EXISTS (SELECT FROM passkeys WHERE user_id = @u) AS two_step,
		COALESCE((SELECT first_steps_hidden FROM memberships WHERE merchant_id = @m AND user_id = @u), false) AS hidden`,
		map[string]any{"m": merchantID, "u": userID}).Scan(&out).Error
	if err != nil {
		return out, fmt.Errorf("first steps: %w", err)
	}
	return out, nil
}
