// Package audit knows what is kept about every change: who, what, before and
// after. It must not hold account or identity numbers in clear.
package audit

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// Entry is one change. Before and After hold only what changed, masked.
type Entry struct {
	ID            uuid.UUID
	MerchantID    uuid.UUID
	At            time.Time
	Actor         actor.Actor    `gorm:"-"`
	Action        string         // verb phrase, stable: "purchase.charged", "token.deleted"
	ObjectType    string         // "client", "purchase", "token", "mandate", "collection", "credential", "user", "list"
	ObjectID      uuid.UUID      `gorm:"not null"`
	ClientID      uuid.UUID      // the client whose time line shows it; zero for none
	PurchaseID    uuid.UUID      // the purchase whose time line shows it; zero for none
	Text          string         // one sentence for the time line, in plain words
	Before, After map[string]any `gorm:"-"`
}

// Log is the part of a transaction that keeps entries; the store fills ID,
// MerchantID, At and the actor.
type Log interface {
	Audit(who actor.Actor, e Entry)
}
