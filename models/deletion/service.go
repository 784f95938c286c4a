// Package deletion deletes stored accounts: what hangs on an account and what becomes of it, the ten minutes in which
// a deletion can be taken back, and its end. The API and the erasure of a client delete at once.
package deletion

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// Subscriptions is what happens to subscriptions when the account is deleted that they are charged on.
type Subscriptions interface {
	// ChargedOn lists the subscriptions that are charged on a token and not over.
	ChargedOn(ctx context.Context, merchantID, tokenID uuid.UUID) ([]purchase.Subscribed, error)
	// OfClient lists those of a client that are not over, whatever they are charged on.
	OfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]purchase.Subscribed, error)
	// LoseAccount does to a subscription what was chosen; fault.ErrLost when it is not
	// as it was listed.
	LoseAccount(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed, e Effect) error
	// EndOf makes the subscribers of a client who is deleted inactive, and gives their ids.
	EndOf(tx *database.Tx, merchantID, clientID uuid.UUID) ([]uuid.UUID, error)
}

// Service holds the use cases of deletions.
type Service struct {
	Purchases     *purchase.Service
	Subscriptions Subscriptions // nil: there are none
}

func (s *Service) store() Store { return Store{s.Purchases.Store.DB} }
