package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// stateOf stands for an outcome, of which no more is kept.
var stateOf = map[collection.Outcome]collection.State{
	collection.OutcomeCollected: collection.Final,
	collection.OutcomeFailed:    collection.Unpaid,
	collection.OutcomeDisputed:  collection.Disputed,
}

// traits reads what the answers of the days came to, by each trait. Sums of whole periods come out, not of days: whole
// months are kept as such.
func (s Store) traits(ctx context.Context, merchantID uuid.UUID, q Question) (map[string][]sum, error) {
	where := "merchant_id = @merchant"
	args := asked(merchantID, q, &where)
	first, last := calendar.WholeMonths(q.From, q.To)
	args["first"], args["last"] = first, last
	days := where + ` AND trait IN ('bank', 'template', 'age') AND day BETWEEN `
	var found []struct {
		Trait, Value string
		Outcome      collection.Outcome
		N, Cents     int64
	}
	err := s.Gorm(ctx).Raw(`SELECT trait, outcome, value, sum(n)::bigint AS n, sum(cents)::bigint AS cents FROM (
			SELECT trait, outcome, value, n, cents FROM debit_trait_days
			WHERE `+days+`(@from)::date AND least((@to)::date, (@first)::date - 1)
			UNION ALL SELECT trait, outcome, value, n, cents FROM debit_trait_days
			WHERE `+days+`greatest((@last)::date, (@from)::date) AND (@to)::date
			UNION ALL SELECT replace(trait, ' by month', '') AS trait, outcome, value, n, cents FROM debit_trait_days
			WHERE `+where+` AND trait IN ('bank by month', 'template by month', 'age by month')
				AND day BETWEEN (@first)::date AND (@last)::date - 1
			UNION ALL SELECT trait, outcome, value, n, cents FROM debit_trait_notes
			WHERE `+days+`(@from)::date AND (@to)::date) AS parts
		GROUP BY 1, 2, 3 HAVING sum(n) <> 0`, args).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("debits by trait: %w", err)
	}
	out := map[string][]sum{}
	for _, f := range found {
		out[f.Trait] = append(out[f.Trait], sum{State: stateOf[f.Outcome], Value: f.Value, N: f.N, Cents: f.Cents})
	}
	return out, nil
}
