package plan

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// compare counts purchases that failed since the day of the first one that was left to the old way, and until a
// moment. One that failed again counts once, on the side on which it began.
func (s Store) compare(ctx context.Context, merchantID, planID uuid.UUID, until time.Time) (c Comparison, err error) {
	var of struct{ With, WithPaid, Without, WithoutPaid int64 }
	err = s.Gorm(ctx).Raw(`WITH sides AS (SELECT DISTINCT ON (r.purchase_id) r.purchase_id,
				r.end_reason = 'hold_out' AS out
			FROM plan_runs r WHERE r.merchant_id = ? AND r.plan_id = ? AND r.started_at <= ? AND r.started_at >= (
				SELECT date_trunc('day', min(started_at), 'Africa/Johannesburg') FROM plan_runs
					WHERE merchant_id = ? AND plan_id = ? AND end_reason = 'hold_out')
			ORDER BY r.purchase_id, r.id)
		SELECT count(*) FILTER (WHERE NOT s.out) AS with,
			count(*) FILTER (WHERE NOT s.out AND p.status IN ('paid', 'settled')) AS with_paid,
			count(*) FILTER (WHERE s.out) AS without,
			count(*) FILTER (WHERE s.out AND p.status IN ('paid', 'settled')) AS without_paid
		FROM sides s JOIN purchases p ON p.id = s.purchase_id AND p.merchant_id = ?`,
		merchantID, planID, until, merchantID, planID, merchantID).Take(&of).Error
	if err != nil {
		err = fmt.Errorf("compare a plan with the old way: %w", err)
	}
	c.With.Failed, c.With.Paid, c.Without.Failed, c.Without.Paid = of.With, of.WithPaid, of.Without, of.WithoutPaid
	return c, err
}
