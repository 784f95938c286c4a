package exchange

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Store is where the exchange keeps what it did. Lists are bounded by the merchant.
type Store struct{ *database.DB }

// unit is one unit of work. Rows that it gives are locked until it ends.
type unit struct{ *database.Tx }

func (s Store) inTx(ctx context.Context, fn func(unit) error) error {
	return s.InTx(ctx, func(tx *database.Tx) error { return fn(unit{tx}) })
}

// ids are the ids that a statement gives.
func (t unit) ids(sql string, args ...any) (found []uuid.UUID, err error) {
	err = t.Gorm().Raw(sql, args...).Find(&found).Error
	return found, err
}

// idSet is ids as a set.
func (t unit) idSet(sql string, args ...any) (map[uuid.UUID]bool, error) {
	found, err := t.ids(sql, args...)
	set := make(map[uuid.UUID]bool, len(found))
	for _, id := range found {
		set[id] = true
	}
	return set, err
}

// Tally counts and sums what a document says of one merchant.
type Tally struct {
	Count    int
	SumCents int64
}

// Pending is a merchant with items of a kind that leave by now.
type Pending struct {
	MerchantID uuid.UUID
	Kind       Kind
}
