package plan

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// compare counts purchases that failed since the day of the first one that was left to the old way, and until a
// moment. One that failed again counts once, on the side on which it began.
func (s Store) compare(ctx context.Context, merchantID, planID uuid.UUID, until time.Time) (c Comparison, err error) {
	err = s.Pool.QueryRow(ctx, `WITH sides AS (SELECT DISTINCT ON (r.purchase_id) r.purchase_id,
				r.end_reason = 'hold_out' AS out
			FROM plan_runs r WHERE r.merchant_id = $1 AND r.plan_id = $2 AND r.started_at <= $3 AND r.started_at >= (
				SELECT date_trunc('day', min(started_at), 'Africa/Johannesburg') FROM plan_runs
					WHERE merchant_id = $1 AND plan_id = $2 AND end_reason = 'hold_out')
			ORDER BY r.purchase_id, r.id)
		SELECT count(*) FILTER (WHERE NOT s.out), count(*) FILTER (WHERE NOT s.out AND p.status IN ('paid', 'settled')),
			count(*) FILTER (WHERE s.out), count(*) FILTER (WHERE s.out AND p.status IN ('paid', 'settled'))
		FROM sides s JOIN purchases p ON p.id = s.purchase_id AND p.merchant_id = $1`,
		database.Native([]any{merchantID, planID, until})...).
		Scan(&c.With.Failed, &c.With.Paid, &c.Without.Failed, &c.Without.Paid)
	if err != nil {
		err = fmt.Errorf("compare a plan with the old way: %w", err)
	}
	return c, err
}
