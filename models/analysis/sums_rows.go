package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
)

// Store is where the figures are kept.
type Store struct{ *database.DB }

// sum is what the debits of one day, state, method and brand come to.
type sum struct {
	Day      calendar.Date
	State    collection.State
	Method   bank.Method
	BrandID  uuid.UUID
	Value    string // of sums by a trait, which are of no day
	N, Cents int64
}

// sums reads what is kept by day of the debits that were not withdrawn.
func (s Store) sums(ctx context.Context, merchantID uuid.UUID, q Question) ([]sum, error) {
	return s.sumsOf(ctx, merchantID, q, collection.Names(collection.Outcomes...))
}

// everySum is sums with the debits that were withdrawn.
func (s Store) everySum(ctx context.Context, merchantID uuid.UUID, q Question) ([]sum, error) {
	return s.sumsOf(ctx, merchantID, q, append(collection.Names(collection.Outcomes...), string(collection.Cancelled),
		string(collection.Recalled)))
}

func (s Store) sumsOf(ctx context.Context, merchantID uuid.UUID, q Question, states []string) ([]sum, error) {
	where := `merchant_id = @merchant AND state IN @states
		AND day BETWEEN (@from)::date AND (@to)::date`
	args := asked(merchantID, q, &where)
	args["states"] = states
	var out []sum
	if err := s.Gorm(ctx).Raw(`SELECT day, state, method, brand_id, sum(n)::bigint AS n, sum(cents)::bigint AS cents
		FROM debit_sums WHERE `+where+`
		GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0 ORDER BY 1, 2, 3, 4`, args).Find(&out).Error; err != nil {
		return nil, fmt.Errorf("debits by day: %w", err)
	}
	return out, nil
}

// asked are the values of a question, and what it adds to a condition on debits.
func asked(merchantID uuid.UUID, q Question, where *string) map[string]any {
	args := map[string]any{"merchant": merchantID, "from": q.From, "to": q.To}
	if q.Method != "" {
		*where += " AND method = @method"
		args["method"] = q.Method
	}
	if q.BrandID != uuid.Nil {
		*where += " AND brand_id = @brand"
		args["brand"] = q.BrandID
	}
	return args
}
