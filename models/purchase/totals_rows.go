package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// PurchaseTotals counts and sums all purchases of a merchant, exactly. It is exact at any moment: what is not folded
// yet is added. Those that only store an account come to nothing, and are counted beside all.
func (s Store) PurchaseTotals(ctx context.Context, merchantID uuid.UUID) (TotalsByKind, error) {
	var found []struct {
		Status            string
		N, Storing, Cents int64
	}
	err := s.Gorm(ctx).Raw(`SELECT status, sum(n)::bigint AS n, sum(storing)::bigint AS storing,
			least(sum(cents), 9223372036854775807)::bigint AS cents FROM (
		SELECT status, n, 0 AS storing, 0 AS cents FROM purchase_counts WHERE merchant_id = @m
		UNION ALL SELECT status, delta, 0, cents FROM purchase_count_deltas WHERE merchant_id = @m
		UNION ALL SELECT status, 0, 0, cents FROM purchase_sums WHERE merchant_id = @m
		UNION ALL SELECT status, 0, n, 0 FROM storing_counts WHERE merchant_id = @m
		UNION ALL SELECT status, 0, delta, 0 FROM storing_count_deltas WHERE merchant_id = @m) AS parts
		GROUP BY status HAVING sum(n) <> 0`, map[string]any{"m": merchantID}).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("count purchases: %w", err)
	}
	out := TotalsByKind{"": {}, WithAmount: {}, OnlyStoring: {}}
	for _, f := range found {
		out[""][f.Status] = Tally{N: f.N, Cents: f.Cents}
		if f.N != f.Storing {
			out[WithAmount][f.Status] = Tally{N: f.N - f.Storing, Cents: f.Cents}
		}
		if f.Storing != 0 {
			out[OnlyStoring][f.Status] = Tally{N: f.Storing}
		}
	}
	return out, nil
}
