package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
)

type reasonRow struct {
	Code  string
	Month calendar.Date
	purchase.Tally
}

// reasons counts the failed and disputed debits of a period by the bank's code.
func (s Store) reasons(ctx context.Context, merchantID uuid.UUID, q Question) ([]Reason, error) {
	where := `merchant_id = @merchant AND action_date BETWEEN (@from)::date AND (@to)::date
		AND state IN @states`
	args := asked(merchantID, q, &where)
	args["states"] = collection.Names(collection.OutcomeFailed, collection.OutcomeDisputed)
	var out []reasonRow
	if err := s.Gorm(ctx).Raw(`SELECT result_code AS code, date_trunc('month', action_date)::date AS month, count(*) AS n,
			sum(amount_cents)::bigint AS cents FROM collections WHERE `+where+` GROUP BY 1, 2 ORDER BY 1, 2`, args).
		Find(&out).Error; err != nil {
		return nil, fmt.Errorf("reasons of failed debits: %w", err)
	}
	return reasonsOf(out), nil
}

type endingRow struct {
	Month  calendar.Date
	Ending Ending
	purchase.Tally
}

// endings tells how it went on with the purchases whose first failed debit lies in the period. What a plan made is
// known by the debit that its step keeps.
func (s Store) endings(ctx context.Context, merchantID uuid.UUID, q Question) ([]Cohort, error) {
	where := `c.merchant_id = @merchant AND c.action_date BETWEEN (@from)::date AND (@to)::date
		AND c.state = 'unpaid'`
	args := asked(merchantID, q, &where)
	args["collected"] = collection.Names(collection.OutcomeCollected)
	var out []endingRow
	err := s.Gorm(ctx).Raw(`SELECT date_trunc('month', f.action_date)::date AS month, CASE
			WHEN p.status = 'paid' AND a.id IS NOT NULL AND EXISTS (SELECT FROM plan_runs r JOIN plan_steps t
					ON t.run_id = r.id AND t.merchant_id = r.merchant_id AND t.made_id = a.id
				WHERE r.purchase_id = p.id AND r.merchant_id = p.merchant_id) THEN 'again_by_plan'
			WHEN p.status = 'paid' AND a.id IS NOT NULL THEN 'again'
			WHEN p.status = 'paid' THEN 'by_hand'
			WHEN (SELECT sum(w.amount_cents) FROM write_offs w WHERE w.purchase_id = p.id
				AND w.merchant_id = p.merchant_id) > 0 THEN 'written_off'
			WHEN p.status IN ('pending_charge', 'pending_execute') THEN 'under_way'
			WHEN is_owed(p.status) OR p.status = 'chargeback' THEN 'still_owed'
			ELSE 'withdrawn' END AS ending, count(*) AS n, sum(f.amount_cents)::bigint AS cents
		FROM (SELECT DISTINCT ON (c.purchase_id) c.purchase_id, c.action_date, c.attempt, c.amount_cents
			FROM collections c WHERE `+where+` ORDER BY c.purchase_id, c.attempt) AS f
		JOIN purchases p ON p.id = f.purchase_id AND p.merchant_id = @merchant
		LEFT JOIN LATERAL (SELECT id FROM collections WHERE purchase_id = p.id AND attempt > f.attempt
			AND state IN @collected ORDER BY attempt DESC LIMIT 1) AS a ON true
		WHERE NOT EXISTS (SELECT FROM collections e WHERE e.purchase_id = f.purchase_id AND e.attempt < f.attempt
			AND e.state = 'unpaid')
		GROUP BY 1, 2 ORDER BY 1, 2`, args).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("how failures ended: %w", err)
	}
	return cohortsOf(out), nil
}
