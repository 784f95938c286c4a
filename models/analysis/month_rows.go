package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/collection"
	"debitdesk/models/money"
)

// monthReasons counts the failed and disputed debits of a period by method, state and the bank's code.
func (s Store) monthReasons(ctx context.Context, merchantID uuid.UUID, q Question) ([]MonthReason, error) {
	where := `merchant_id = @merchant AND action_date BETWEEN @from::text::date AND @to::text::date
		AND state = ANY(@states::text[])`
	args := asked(merchantID, q, &where)
	args["states"] = collection.Names(collection.OutcomeFailed, collection.OutcomeDisputed)
	rows, err := s.Pool.Query(ctx, `SELECT method, state, result_code, count(*), sum(amount_cents)::bigint
		FROM collections WHERE `+where+` GROUP BY 1, 2, 3 ORDER BY count(*) DESC, 3, 2`, args)
	if err != nil {
		return nil, fmt.Errorf("reasons of a month: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r MonthReason, err error) {
		err = row.Scan(&r.Method, &r.State, &r.Code, &r.N, &r.Cents)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("reasons of a month: %w", err)
	}
	return out, nil
}

// moved is what the ledger has of a whole month, by kind: what is kept by month, and what is not added to that yet.
func (s Store) moved(ctx context.Context, merchantID uuid.UUID, q Question) ([]LedgerKind, error) {
	rows, err := s.Pool.Query(ctx, `SELECT kind, sum(n)::bigint, sum(cents)::bigint FROM (
			SELECT kind, n, cents FROM ledger_months
				WHERE merchant_id = @merchant AND day = @from::text::date AND currency = @currency
			UNION ALL SELECT kind, n, cents FROM ledger_day_deltas
				WHERE merchant_id = @merchant AND day BETWEEN @from::text::date AND @to::text::date
					AND currency = @currency) AS parts
		GROUP BY 1 HAVING sum(n) <> 0 ORDER BY 1`, pgx.NamedArgs{"merchant": merchantID.String(), "from": q.From.String(),
		"to": q.To.String(), "currency": money.ZAR})
	if err != nil {
		return nil, fmt.Errorf("movements of a month: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k LedgerKind, err error) {
		err = row.Scan(&k.Kind, &k.N, &k.Cents)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("movements of a month: %w", err)
	}
	return out, nil
}
