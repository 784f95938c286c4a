// Package clientstop stops everything that is debited from a client, and lets it go on: "Stop everything" on the
// client's page, and a client who objects to one mandate.
package clientstop

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// Subscriptions are paused by a stop, and go on with its end.
type Subscriptions interface {
	// OfClient lists those of a client that are not over, whatever they are charged on.
	OfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]purchase.Subscribed, error)
	// Stop pauses a subscription because everything of its client is stopped, and Resume lets one that it paused go on;
	// fault.ErrLost when it is not as it was listed.
	Stop(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed) error
	Resume(ctx context.Context, tx *database.Tx, who actor.Actor, of purchase.Subscribed) error
}

// Service holds the use cases of stops.
type Service struct {
	Purchases     *purchase.Service
	Subscriptions Subscriptions // nil: there are none
}

func (s *Service) store() Store { return Store{s.Purchases.Store.DB} }
