package subscription

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Service holds the use cases of templates and subscribers, and bills the periods
// that begin.
type Service struct {
	Purchases *purchase.Service
	Now       func() time.Time
}

// Input is a template as it was asked for.
type Input struct {
	Problems fault.Problems // of its shape, reported with the rest
	Pattern  purchase.Input // BrandID, Details, DirectDebit, Options, Currency, DueStrict, Issued, Due, UserID

	Title          string
	IsSubscription bool
	Plan           Plan
	Paused         bool
}

// SubscriberInput is one client of a template as it was asked for.
type SubscriberInput struct {
	Problems  fault.Problems
	ClientID  uuid.UUID
	FirstOn   calendar.Date // date of the first charge; zero: as the plan says, from the day the account is stored
	Whitelist []string      // nil: as the template says
	Switches  Switches
	Reference string
	Override  *Override
	Debit     Debit
	Paused    *bool // Change only: nil leaves it
}

// Added is a new subscriber, and the purchase that was made for it.
type Added struct {
	Subscriber Subscriber
	Purchase   *purchase.Record // nil: nothing is payable yet and the account is known
}

// Filter narrows the list of templates; its zero value takes all.
type Filter struct {
	IsSubscription *bool
	BrandID        uuid.UUID
	Search         string
}

// SubscriberFilter narrows the list of a template's subscribers.
type SubscriberFilter struct {
	Status   Status // empty: all
	Search   string
	ClientID uuid.UUID // zero: of all clients
}

func later() error { return fault.New(fault.Unavailable, "unavailable", "Not at this moment.") }

func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Template, error) {
	return Template{}, later()
}
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Template, error) {
	return Template{}, later()
}
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Template], error) {
	return paging.Page[Template]{}, later()
}
func (s *Service) Update(ctx context.Context, who actor.Actor, id uuid.UUID, in Input) (Template, error) {
	return Template{}, later()
}
func (s *Service) SetPaused(ctx context.Context, who actor.Actor, id uuid.UUID, paused bool) (Template, error) {
	return Template{}, later()
}
func (s *Service) Delete(ctx context.Context, who actor.Actor, id uuid.UUID) error { return later() }
func (s *Service) SendInvoice(ctx context.Context, who actor.Actor, id uuid.UUID, in SubscriberInput) (purchase.Record, error) {
	return purchase.Record{}, later()
}
func (s *Service) Add(ctx context.Context, who actor.Actor, id uuid.UUID, in SubscriberInput) (Added, error) {
	return Added{}, later()
}
func (s *Service) Subscribers(ctx context.Context, who actor.Actor, templateID uuid.UUID, f SubscriberFilter, ask paging.Ask) (paging.Page[Subscriber], error) {
	return paging.Page[Subscriber]{}, later()
}
func (s *Service) Subscriber(ctx context.Context, who actor.Actor, templateID, id uuid.UUID) (Subscriber, error) {
	return Subscriber{}, later()
}
func (s *Service) Change(ctx context.Context, who actor.Actor, templateID, id uuid.UUID, change func(*SubscriberInput)) (Subscriber, error) {
	return Subscriber{}, later()
}
func (s *Service) SetSubscriberPaused(ctx context.Context, who actor.Actor, id uuid.UUID, paused bool) (Subscriber, error) {
	return Subscriber{}, later()
}
func (s *Service) Remind(ctx context.Context, who actor.Actor, id uuid.UUID) (Subscriber, error) {
	return Subscriber{}, later()
}
func (s *Service) Remove(ctx context.Context, who actor.Actor, id uuid.UUID) (Subscriber, error) {
	return Subscriber{}, later()
}
func (s *Service) Periods(ctx context.Context, who actor.Actor, id uuid.UUID) ([]Period, error) {
	return nil, later()
}
func (s *Service) CancelByPayer(ctx context.Context, who actor.Actor, purchaseID uuid.UUID) (Subscriber, error) {
	return Subscriber{}, later()
}
func (s *Service) SubscriptionOf(ctx context.Context, purchaseID uuid.UUID) (Template, Subscriber, bool, error) {
	return Template{}, Subscriber{}, false, nil
}
func (s *Service) Run(ctx context.Context) (int, error) { return 0, nil }
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	return at, false, nil
}
func (s *Service) Overdue(ctx context.Context) (bool, error) { return false, nil }
