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
