package audit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
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
	"credential", "followup", "history", "invitation", "key", "list", "mandate",
	"membership", "merchant", "profile", "purchase", "statement", "subscriber", "task", "template", "token", "user", "webhook"}

// Found is an entry with its place in the chain; N is 0 while it is not linked.
type Found struct {
	Entry
	N    int64
	Hash []byte
}

// Records are what the page of the audit asks of the store.
type Records interface {
	// AuditPage gives a page, newest first. A search that has looked at many entries
	// without filling the page says how far it came, and goes on from there.
	AuditPage(ctx context.Context, merchantID uuid.UUID, f Filter, ask paging.Ask) (paging.Page[Found], error)
	AuditEntry(ctx context.Context, merchantID, id uuid.UUID) (Found, error)
	// CountAudit counts what a filter lets through, up to limit. It is not known where each
	// entry would have to be looked at.
	CountAudit(ctx context.Context, merchantID uuid.UUID, f Filter, limit int64) (n int64, known bool, err error)
}

// CountLimit is how far entries are counted.
const CountLimit = 1000

// Book shows the record to who may see it.
type Book struct {
	Read Records
}

// List gives a page, newest first.
func (b *Book) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Found], error) {
	if err := who.May(actor.Manage); err != nil {
		return paging.Page[Found]{}, err
	}
	return b.Read.AuditPage(ctx, who.MerchantID, f, ask)
}

// Count tells how many entries there are, up to CountLimit and one more; known is false
// for a search, which counts nothing.
func (b *Book) Count(ctx context.Context, who actor.Actor, f Filter) (n int64, known bool, err error) {
	if err := who.May(actor.Manage); err != nil {
		return 0, false, err
	}
	return b.Read.CountAudit(ctx, who.MerchantID, f, CountLimit+1)
}

// Entry finds one entry.
func (b *Book) Entry(ctx context.Context, who actor.Actor, id uuid.UUID) (Found, error) {
	if err := who.May(actor.Manage); err != nil {
		return Found{}, err
	}
	return b.Read.AuditEntry(ctx, who.MerchantID, id)
}
