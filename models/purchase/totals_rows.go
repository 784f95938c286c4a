package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// PurchaseTotals counts and sums all purchases of a merchant, exactly. It is exact at any moment: what is not folded
// yet is added. Those that only store an account come to nothing, and are counted beside all.
func (s Store) PurchaseTotals(ctx context.Context, merchantID uuid.UUID) (TotalsByKind, error) {
	out := TotalsByKind{"": {}, WithAmount: {}, OnlyStoring: {}}
	var status string
	var n, storing, cents int64
	err := s.Pool.Each(ctx, []any{&status, &n, &storing, &cents}, func() error {
		out[""][status] = Tally{N: n, Cents: cents}
		if n != storing {
			out[WithAmount][status] = Tally{N: n - storing, Cents: cents}
		}
		if storing != 0 {
			out[OnlyStoring][status] = Tally{N: storing}
		}
		return nil
	}, `SELECT status, sum(n)::bigint, sum(storing)::bigint,
			least(sum(cents), 9223372036854775807)::bigint FROM (
		SELECT status, n, 0 AS storing, 0 AS cents FROM purchase_counts WHERE merchant_id = $1
		UNION ALL SELECT status, delta, 0, cents FROM purchase_count_deltas WHERE merchant_id = $1
		UNION ALL SELECT status, 0, 0, cents FROM purchase_sums WHERE merchant_id = $1
		UNION ALL SELECT status, 0, n, 0 FROM storing_counts WHERE merchant_id = $1
		UNION ALL SELECT status, 0, delta, 0 FROM storing_count_deltas WHERE merchant_id = $1) AS parts
		GROUP BY status HAVING sum(n) <> 0`, merchantID)
	if err != nil {
		return nil, fmt.Errorf("count purchases: %w", err)
	}
	return out, nil
}
