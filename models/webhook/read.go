package webhook

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/paging"
)

// eventDeliveries is how many deliveries of one event are shown beside it.
const eventDeliveries = 100

// Events lists what happened, newest first.
func (s *Service) Events(ctx context.Context, who actor.Actor, f EventFilter, ask paging.Ask) (paging.Page[Event], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Event]{}, err
	}
	found, err := s.Read.Events(ctx, who.MerchantID, f, ask)
	return paging.Cut(ask, found), err
}

// Event gives one event with its newest deliveries, newest first, and its body; the
// body is nil when nobody was to get it.
func (s *Service) Event(ctx context.Context, who actor.Actor, id uuid.UUID) (Event, []Delivery, []byte, error) {
	if err := who.May(actor.Read); err != nil {
		return Event{}, nil, nil, err
	}
	e, err := s.Read.Event(ctx, who.MerchantID, id)
	if err != nil {
		return e, nil, nil, err
	}
	to, err := s.Read.Deliveries(ctx, who.MerchantID, DeliveryFilter{EventID: id}, paging.Ask{Limit: eventDeliveries})
	if err != nil {
		return e, nil, nil, err
	}
	to = paging.Cut(paging.Ask{Limit: eventDeliveries}, to).Items
	body, err := s.body(e)
	return e, to, body, err
}

// Deliveries lists deliveries, newest first.
func (s *Service) Deliveries(ctx context.Context, who actor.Actor, f DeliveryFilter, ask paging.Ask) (paging.Page[Delivery], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Delivery]{}, err
	}
	found, err := s.Read.Deliveries(ctx, who.MerchantID, f, ask)
	return paging.Cut(ask, found), err
}

// Delivery gives one delivery with its attempts, oldest first, the body and its
// signature; both are empty when the delivery was dropped with its webhook.
func (s *Service) Delivery(ctx context.Context, who actor.Actor, id uuid.UUID) (d Delivery, attempts []Attempt, body []byte, signature string, err error) {
	if err := who.May(actor.Read); err != nil {
		return d, nil, nil, "", err
	}
	if d, err = s.Read.Delivery(ctx, who.MerchantID, id); err != nil {
		return d, nil, nil, "", err
	}
	if attempts, err = s.Read.DeliveryAttempts(ctx, id); err != nil {
		return d, nil, nil, "", err
	}
	e, err := s.Read.Event(ctx, who.MerchantID, d.EventID)
	if err != nil {
		return d, attempts, nil, "", err
	}
	if body, err = s.body(e); err != nil || body == nil {
		return d, attempts, nil, "", err
	}
	signature, err = s.signature(ctx, d, body)
	return d, attempts, body, signature, err
}

// body is nil for an event that nobody was to get.
func (s *Service) body(e Event) ([]byte, error) {
	if e.Snapshot == nil {
		return nil, nil
	}
	return s.Body(e)
}
