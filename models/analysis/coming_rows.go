package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
)

// shapeCases is from how many of the newest debits it is judged by how much amounts differ.
const shapeCases = 2000

// shapes is by how much the amounts of the newest debits differ, by method and of all.
func (s Store) shapes(ctx context.Context, merchantID uuid.UUID) (map[bank.Method]float64, error) {
	rows, err := s.Pool.Query(ctx, `SELECT coalesce(method, ''), (count(*) * sum(amount_cents::numeric ^ 2)
			/ sum(amount_cents::numeric) ^ 2)::double precision
		FROM (SELECT method, amount_cents FROM collections WHERE merchant_id = $1 AND amount_cents > 0
			ORDER BY id DESC LIMIT $2) AS newest GROUP BY GROUPING SETS ((method), ()) HAVING count(*) > 0`, merchantID.String(), shapeCases)
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
