package subscription

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Tx is what the use cases of subscriptions write, all in one transaction. A Move
// is a compare-and-set on the version: it ends the transaction with fault.ErrLost
// when another was quicker.
type Tx interface {
	// Context is what reads inside this transaction are given: they go by its connection.
	Context() context.Context
	purchase.Tx

	InsertTemplate(t Template)
	MoveTemplate(t Template)
	// EndSubscribersOf makes all subscribers of a template inactive and counts them.
	EndSubscribersOf(merchantID, templateID uuid.UUID, why string) (int, error)
	InsertSubscriber(s Subscriber)
	MoveSubscriber(s Subscriber)
	// InsertPeriod keeps the period key: the transaction ends with fault.ErrLost when
	// the period was billed or skipped already.
	InsertPeriod(merchantID uuid.UUID, p Period)
	// TellSubscriber keeps an event about a subscriber as it stands in this transaction.
	TellSubscriber(name string, s Subscriber)
}

// Reader finds templates and subscribers. Everything but what the clock makes due
// is bounded by the merchant; unknown ids and those of others are NotFound.
type Reader interface {
	// Template finds a template that was not deleted, with what is counted of it.
	Template(ctx context.Context, merchantID, id uuid.UUID) (Template, error)
	// AnyTemplate finds a template, deleted or not, without its counts.
	AnyTemplate(ctx context.Context, merchantID, id uuid.UUID) (Template, error)
	// Templates lists a page, newest first, one more than the page has.
	Templates(ctx context.Context, merchantID uuid.UUID, f Filter, ask paging.Ask) ([]Template, error)
	// TemplateClient finds a subscriber with the name and e-mail of its client.
	TemplateClient(ctx context.Context, merchantID, id uuid.UUID) (Subscriber, error)
	TemplateClients(ctx context.Context, merchantID, templateID uuid.UUID, f SubscriberFilter,
		ask paging.Ask) (paging.Page[Subscriber], error)
	// CountTemplateClients counts those of all templates, up to limit; less than 0 where a
	// search finds too much to be counted.
	CountTemplateClients(ctx context.Context, merchantID uuid.UUID, f SubscriberFilter, limit int64) (int64, error)
	// SubscribersOn lists the subscribers that are charged on a token and not over.
	SubscribersOn(ctx context.Context, merchantID, tokenID uuid.UUID) ([]Subscriber, error)
	// RunningOf lists the subscriptions of a client that are not over.
	RunningOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]Subscriber, error)
	// SubscribersUntil lists those of a merchant whose next period begins by a moment, the earliest first.
	SubscribersUntil(ctx context.Context, merchantID uuid.UUID, until time.Time, limit int) ([]Subscriber, error)
	// PeriodsOf lists what was billed or skipped, newest first.
	PeriodsOf(ctx context.Context, merchantID, subscriberID uuid.UUID) ([]Period, error)
	PurchaseForPayer(ctx context.Context, id uuid.UUID) (purchase.Purchase, error)

	// DueSubscribers lists those of all merchants with a period that begins by now, or
	// an account that was just stored, in the order of their ids, after one of them.
	// Those whose account is being deleted wait until that is undone or final.
	DueSubscribers(ctx context.Context, after uuid.UUID, limit int) ([]Subscriber, error)
	// NextPeriod is the earliest moment after now at which a period is looked at.
	NextPeriod(ctx context.Context) (at time.Time, found bool, err error)
	// PeriodsOverdue tells whether DueSubscribers would find any.
	PeriodsOverdue(ctx context.Context) (bool, error)
}
