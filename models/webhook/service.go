package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/paging"
)

var errNotYet = errors.New("webhooks are not wired")

// Service holds the use cases of webhooks.
type Service struct {
	// Body writes an event as its receiver gets it: the object with event_type added.
	Body func(Event) ([]byte, error)
}

// Create adds a webhook with a key pair of its own.
func (s *Service) Create(context.Context, actor.Actor, Input) (Webhook, error) {
	return Webhook{}, errNotYet
}

// Get gives one webhook; NotFound when it is unknown, deleted or another merchant's.
func (s *Service) Get(context.Context, actor.Actor, uuid.UUID) (Webhook, error) {
	return Webhook{}, errNotYet
}

// List gives the merchant's webhooks, newest first.
func (s *Service) List(context.Context, actor.Actor, paging.Ask) (paging.Page[Webhook], error) {
	return paging.Page[Webhook]{}, errNotYet
}

// Update changes a webhook; change gets the present values.
func (s *Service) Update(_ context.Context, _ actor.Actor, _ uuid.UUID, _ func(*Input)) (Webhook, error) {
	return Webhook{}, errNotYet
}

// Delete ends a webhook; what was on its way to it is dropped.
func (s *Service) Delete(context.Context, actor.Actor, uuid.UUID) error { return errNotYet }

// Events lists what happened, newest first.
func (s *Service) Events(context.Context, actor.Actor, EventFilter, paging.Ask) (paging.Page[Event], error) {
	return paging.Page[Event]{}, errNotYet
}

// Event gives one event with its deliveries, oldest first, and its body; the body is nil when nobody was to get it.
func (s *Service) Event(context.Context, actor.Actor, uuid.UUID) (Event, []Delivery, []byte, error) {
	return Event{}, nil, nil, errNotYet
}

// Deliveries lists deliveries, newest first.
func (s *Service) Deliveries(context.Context, actor.Actor, DeliveryFilter, paging.Ask) (paging.Page[Delivery], error) {
	return paging.Page[Delivery]{}, errNotYet
}

// Delivery gives one delivery with its attempts, oldest first, the body and its signature.
func (s *Service) Delivery(context.Context, actor.Actor, uuid.UUID) (d Delivery, tries []Attempt, body []byte, signature string, err error) {
	return Delivery{}, nil, nil, "", errNotYet
}

// Resend delivers the event of a delivery once more, marked as such.
func (s *Service) Resend(context.Context, actor.Actor, uuid.UUID) (Delivery, error) {
	return Delivery{}, errNotYet
}

// ResendSince delivers once more all events since then that the webhook wants and that have a body, in order.
func (s *Service) ResendSince(_ context.Context, _ actor.Actor, _ uuid.UUID, _ time.Time) (n int, err error) {
	return 0, errNotYet
}

// Test sends an event of type webhook.test to a webhook.
func (s *Service) Test(context.Context, actor.Actor, uuid.UUID) (Delivery, error) {
	return Delivery{}, errNotYet
}

// CompanyKey gives the public half (PEM) of the key that signs success_callback; it is made on first use.
func (s *Service) CompanyKey(context.Context, actor.Actor) (pem string, err error) {
	return "", errNotYet
}

// Failing lists the webhooks whose last delivery was not taken, longest failing first.
func (s *Service) Failing(context.Context, uuid.UUID) ([]Webhook, error) { return nil, errNotYet }

// Run makes every delivery that is due and counts the attempts.
func (s *Service) Run(context.Context) (int, error) { return 0, nil }

// NextDue is the earliest moment after now at which a delivery becomes due.
func (s *Service) NextDue(context.Context) (at time.Time, found bool, err error) {
	return at, false, nil
}

// Overdue tells whether a delivery is due now.
func (s *Service) Overdue(context.Context) (bool, error) { return false, nil }
