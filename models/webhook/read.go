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
func (s *Service) Events(ctx context.Context, who actor.Actor, f EventFilter,
	ask paging.Ask) (paging.Page[Event], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Event]{}, err
	}
	return s.Store.Events(ctx, who.MerchantID, f, ask)
}

// Event gives one event with its newest deliveries, newest first, and its body; the
// body is nil when nobody was to get it.
func (s *Service) Event(ctx context.Context, who actor.Actor, id uuid.UUID) (Event, []Delivery, []byte, error) {
	if err := who.May(actor.Read); err != nil {
		return Event{}, nil, nil, err
	}
	e, err := s.Store.Event(ctx, who.MerchantID, id)
	if err != nil {
		return e, nil, nil, err
	}
	to, err := s.Store.Deliveries(ctx, who.MerchantID, DeliveryFilter{EventID: id}, paging.Ask{Limit: eventDeliveries})
	if err != nil {
		return e, nil, nil, err
	}
	to = paging.Cut(paging.Ask{Limit: eventDeliveries}, to).Items
	body, err := s.body(e)
	return e, to, body, err
}

// Deliveries lists deliveries, newest first.
func (s *Service) Deliveries(ctx context.Context, who actor.Actor, f DeliveryFilter,
	ask paging.Ask) (paging.Page[Delivery], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Delivery]{}, err
	}
	found, err := s.Store.Deliveries(ctx, who.MerchantID, f, ask)
	return paging.Cut(ask, found), err
}

// DeliveriesInFull lists deliveries as Deliveries does, with their bodies and attempts.
func (s *Service) DeliveriesInFull(ctx context.Context, who actor.Actor, f DeliveryFilter,
	ask paging.Ask) (paging.Page[Delivery], error) {
	page, err := s.Deliveries(ctx, who, f, ask)
	if err != nil {
		return page, err
	}
	return page, s.fill(ctx, who.MerchantID, page.Items)
}

// fill reads the bodies and attempts of deliveries of one merchant.
func (s *Service) fill(ctx context.Context, merchantID uuid.UUID, list []Delivery) error {
	var ids, eventIDs []uuid.UUID
	for _, d := range list {
		ids, eventIDs = append(ids, d.ID), append(eventIDs, d.EventID)
	}
	tries, err := s.Store.DeliveryAttempts(ctx, ids)
	if err != nil {
		return err
	}
	events, err := s.Store.EventsInFull(ctx, merchantID, eventIDs)
	if err != nil {
		return err
	}
	for i := range list {
		d := &list[i]
		d.Tries = tries[d.ID]
		if d.Body, err = s.body(events[d.EventID]); err != nil {
			return err
		}
	}
	return nil
}

// Delivery gives one delivery in full, with its signature; that is empty when the
// delivery was dropped with its webhook.
func (s *Service) Delivery(ctx context.Context, who actor.Actor,
	id uuid.UUID) (d Delivery, signature string, err error) {
	if err := who.May(actor.Read); err != nil {
		return d, "", err
	}
	if d, err = s.Store.Delivery(ctx, who.MerchantID, id); err != nil {
		return d, "", err
	}
	full := []Delivery{d}
	if err := s.fill(ctx, who.MerchantID, full); err != nil || full[0].Body == nil {
		return full[0], "", err
	}
	signature, err = s.signature(ctx, d, full[0].Body)
	return full[0], signature, err
}

// body is nil for an event that nobody was to get.
func (s *Service) body(e Event) ([]byte, error) {
	if e.Snapshot == nil {
		return nil, nil
	}
	return s.Body(e)
}
