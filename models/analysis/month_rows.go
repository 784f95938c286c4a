package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/money"
)

// monthReasons counts the failed and disputed debits of a period by method, state and the bank's code.
func (s Store) monthReasons(ctx context.Context, merchantID uuid.UUID, q Question) ([]MonthReason, error) {
	where := `merchant_id = @merchant AND action_date BETWEEN (@from)::date AND (@to)::date
		AND state IN @states`
	args := asked(merchantID, q, &where)
	args["states"] = collection.Names(collection.OutcomeFailed, collection.OutcomeDisputed)
	var out []MonthReason
	if err := s.Gorm(ctx).Raw(`SELECT method, state, result_code AS code, count(*) AS n, sum(amount_cents)::bigint AS cents
		FROM collections WHERE `+where+` GROUP BY 1, 2, 3 ORDER BY count(*) DESC, 3, 2`, args).Find(&out).Error; err != nil {
		return nil, fmt.Errorf("reasons of a month: %w", err)
	}
	return out, nil
}

// moved is what the ledger has of a whole month, by kind: what is kept by month, and what is not added to that yet.
func (s Store) moved(ctx context.Context, merchantID uuid.UUID, q Question) ([]LedgerKind, error) {
	var out []LedgerKind
	err := s.Gorm(ctx).Raw(`SELECT kind, sum(n)::bigint AS n, sum(cents)::bigint AS cents FROM (
			SELECT kind, n, cents FROM ledger_months
				WHERE merchant_id = @merchant AND day = (@from)::date AND currency = @currency
			UNION ALL SELECT kind, n, cents FROM ledger_day_deltas
				WHERE merchant_id = @merchant AND day BETWEEN (@from)::date AND (@to)::date
					AND currency = @currency) AS parts
		GROUP BY 1 HAVING sum(n) <> 0 ORDER BY 1`, map[string]any{"merchant": merchantID, "from": q.From, "to": q.To,
		"currency": money.ZAR}).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("movements of a month: %w", err)
	}
	return out, nil
}
