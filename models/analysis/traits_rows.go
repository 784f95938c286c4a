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

// sumsByTrait is a relation of what the answers of the days came to by some traits, beside a day, or the first day of a
// month: whole months are kept as such. It comes with its values.
func sumsByTrait(merchantID uuid.UUID, q Question, traits ...string) (string, map[string]any) {
	where := "merchant_id = @merchant"
	args := asked(merchantID, q, &where)
	args["first"], args["end"] = calendar.WholeMonths(q.From, q.To)
	args["traits"], args["monthly"] = traits, byMonth(traits)
	days := where + ` AND trait IN @traits AND day BETWEEN `
	return `(SELECT trait, day, outcome, value, n, cents FROM debit_trait_days
			WHERE ` + days + `(@from)::date AND least((@to)::date, (@first)::date - 1)
			UNION ALL SELECT trait, day, outcome, value, n, cents FROM debit_trait_days
			WHERE ` + days + `greatest((@end)::date, (@from)::date) AND (@to)::date
			UNION ALL SELECT replace(trait, ' by month', ''), day, outcome, value, n, cents FROM debit_trait_days
			WHERE ` + where + ` AND trait IN @monthly AND day BETWEEN (@first)::date AND (@end)::date - 1
			UNION ALL SELECT trait, day, outcome, value, n, cents FROM debit_trait_notes
			WHERE ` + days + `(@from)::date AND (@to)::date) AS parts`, args
}

func byMonth(traits []string) []string {
	out := make([]string, len(traits))
	for i, t := range traits {
		out[i] = t + " by month"
	}
	return out
}

// traits reads what the answers of the days came to, by each trait. Sums of whole periods come out, not of days.
func (s Store) traits(ctx context.Context, merchantID uuid.UUID, q Question) (map[string][]sum, error) {
	parts, args := sumsByTrait(merchantID, q, "bank", "template", "age")
	var found []struct {
		Trait, Value string
		Outcome      collection.Outcome
		N, Cents     int64
	}
	err := s.Gorm(ctx).Raw(`SELECT trait, outcome, value, sum(n)::bigint AS n, sum(cents)::bigint AS cents FROM `+parts+`
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
