package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// shapeDays and shapeCases are from which and how many debits it is judged by how much amounts differ.
const shapeDays, shapeCases = 40, 500

// shapes is by how much the amounts of some debits of the last days differ, by method and of all.
func (s Store) shapes(ctx context.Context, merchantID uuid.UUID, today calendar.Date) (map[bank.Method]float64, error) {
	rows, err := s.Pool.Query(ctx, `SELECT coalesce(method, ''), (count(*) * sum(amount_cents::numeric ^ 2)
			/ sum(amount_cents::numeric) ^ 2)::double precision
		FROM (SELECT method, amount_cents FROM collections WHERE merchant_id = $1 AND action_date > $3::date
			AND action_date <= $4::date LIMIT $2) AS few
		WHERE amount_cents > 0 GROUP BY GROUPING SETS ((method), ()) HAVING count(*) > 0`, merchantID.String(), shapeCases,
		today.AddDays(-shapeDays).String(), today.String())
	if err != nil {
		return nil, fmt.Errorf("how far amounts of debits differ: %w", err)
	}
	out := map[bank.Method]float64{}
	var method bank.Method
	var shape float64
	if _, err := pgx.ForEachRow(rows, []any{&method, &shape}, func() error {
		out[method] = shape
		return nil
	}); err != nil {
		return nil, fmt.Errorf("how far amounts of debits differ: %w", err)
	}
	return out, nil
}
