// Package trail keeps the audit trail: what people read of it, and the chain of each
// merchant that shows whether an entry was changed or taken away.
package trail

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/paging"
)

// Filter narrows the record of a merchant; its zero value takes all.
type Filter struct {
	Area     string     // the beginning of the action: "purchase", "token"
	Kind     actor.Kind // who acted
	ObjectID uuid.UUID  // of the object, its client or its purchase
	ActorID  uuid.UUID
	IP       string
	Search   string    // in the sentence, the actor's name and the action
	From, To time.Time // both inclusive; zero: open
}

// Areas are the beginnings of actions, as the page offers them.
var Areas = []string{"amendment", "approval", "batch", "billing", "brand", "calendar", "client", "clock", "collection",
	"credential", "followup", "history", "invitation", "key", "list", "mandate", "membership", "merchant", "profile",
	"purchase", "statement", "subscriber", "task", "template", "token", "user", "webhook"}

// Found is an entry with its place in the chain; N is 0 while it is not linked.
type Found struct {
	audit.Entry
	N    int64
	Hash []byte
}

// CountLimit is how far entries are counted.
const CountLimit = 1000

// Book shows the record to who may see it.
type Book struct {
	Store Store
}

// List gives a page, newest first.
func (b *Book) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Found], error) {
	if err := who.May(actor.Manage); err != nil {
		return paging.Page[Found]{}, err
	}
	return b.Store.Page(ctx, who.MerchantID, f, ask)
}

// Count tells how many entries there are, up to CountLimit and one more; known is false
// for a search, which counts nothing.
func (b *Book) Count(ctx context.Context, who actor.Actor, f Filter) (n int64, known bool, err error) {
	if err := who.May(actor.Manage); err != nil {
		return 0, false, err
	}
	return b.Store.count(ctx, who.MerchantID, f, CountLimit+1)
}

// Entry finds one entry.
func (b *Book) Entry(ctx context.Context, who actor.Actor, id uuid.UUID) (Found, error) {
	if err := who.May(actor.Manage); err != nil {
		return Found{}, err
	}
	return b.Store.entry(ctx, who.MerchantID, id)
}
