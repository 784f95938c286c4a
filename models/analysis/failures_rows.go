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
	parts, args := sumsByTrait(merchantID, q, "code")
	args["outcomes"] = []collection.Outcome{collection.OutcomeFailed, collection.OutcomeDisputed}
	var out []reasonRow
	if err := s.Gorm(ctx).Raw(`SELECT value AS code, date_trunc('month', day::timestamp)::date AS month,
			sum(n)::bigint AS n, sum(cents)::bigint AS cents FROM `+parts+` WHERE outcome IN @outcomes
			GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1, 2`, args).Find(&out).Error; err != nil {
		return nil, fmt.Errorf("reasons of failed debits: %w", err)
	}
	return reasonsOf(out), nil
}

type endingRow struct {
	Month  calendar.Date
	Ending Ending
	purchase.Tally
}

// endings tells how it went on with the purchases whose first failed debit lies in the period. What is kept of them is
// taken, and those that changed since are looked at.
func (s Store) endings(ctx context.Context, merchantID uuid.UUID, q Question) ([]Cohort, error) {
	where := `merchant_id = @merchant AND day BETWEEN (@from)::date AND (@to)::date`
	args := asked(merchantID, q, &where)
	var out []endingRow
	err := s.Gorm(ctx).Raw(`WITH changed AS MATERIALIZED (SELECT purchase_id FROM failure_changes
			WHERE merchant_id = @merchant)
		SELECT date_trunc('month', day::timestamp)::date AS month, ending, count(*) AS n, sum(cents)::bigint AS cents FROM (
			SELECT day, ending, cents FROM failed_purchases WHERE `+where+`
				AND purchase_id NOT IN (SELECT purchase_id FROM changed)
			UNION ALL SELECT day, ending, cents FROM failure_facts WHERE `+where+`
				AND purchase_id IN (SELECT purchase_id FROM changed)) AS failed
		GROUP BY 1, 2 ORDER BY 1, 2`, args).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("how failures ended: %w", err)
	}
	return cohortsOf(out), nil
}
