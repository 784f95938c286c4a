package subscription

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Turn is a period that is not billed yet: on which day it is, and what it comes to as things stand.
type Turn struct {
	Subscriber Subscriber
	Template   Template
	BilledOn   calendar.Date
	DueOn      calendar.Date
	Cents      int64
}

// Planned are the periods of some days that are still to be billed, the earliest first.
type Planned struct {
	Turns []Turn
	// MoreFrom is the first day of which not every period is known, since there are more subscribers than are looked
	// at; zero: every period is there.
	MoreFrom calendar.Date
}

// PlanLimit is how many subscribers a plan looks at.
const PlanLimit = 2000

// Planned looks ahead, by the rules by which Run bills: what Run would skip is left out. Its subscribers have no names.
func (s *Service) Planned(ctx context.Context, who actor.Actor, from, to calendar.Date) (p Planned, err error) {
	if err := who.May(actor.Read); err != nil {
		return p, err
	}
	if now := today(s.Now()); from.Before(now) {
		from = now
	}
	if to.Before(from) {
		return p, nil
	}
	found, err := s.Store.SubscribersUntil(ctx, who.MerchantID, to.AddDays(1).At(0, 0).Add(-time.Microsecond), PlanLimit+1)
	if err != nil {
		return p, err
	}
	if len(found) > PlanLimit {
		p.MoreFrom = found[PlanLimit].NextOn
		found = found[:PlanLimit]
	}
	p.Turns, err = s.turnsOf(ctx, who.MerchantID, found, from, to)
	return p, err
}

// turnsOf are the periods of some subscribers that will be billed on some days, the earliest first.
func (s *Service) turnsOf(ctx context.Context, merchantID uuid.UUID, subscribers []Subscriber, from, to calendar.Date) (out []Turn,
	err error) {
	templates := map[uuid.UUID]Template{}
	for _, sub := range subscribers {
		t, known := templates[sub.TemplateID]
		if !known {
			if t, err = s.Store.AnyTemplate(ctx, merchantID, sub.TemplateID); err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			templates[sub.TemplateID] = t
		}
		out = append(out, t.turns(sub, from, to)...)
	}
	slices.SortStableFunc(out, func(a, b Turn) int { return a.BilledOn.Compare(b.BilledOn) })
	return out, nil
}

// How far ahead the subscriptions of one client are shown, and of how many.
const (
	clientAhead       = 62 // days: the next two months
	clientSubscribers = 10
)

// PlannedOf looks ahead for one client, by the same rules.
func (s *Service) PlannedOf(ctx context.Context, who actor.Actor, clientID uuid.UUID) ([]Turn, error) {
	found, err := s.Subscribers(ctx, who, uuid.Nil, SubscriberFilter{ClientID: clientID}, paging.Ask{Limit: clientSubscribers})
	if err != nil {
		return nil, err
	}
	from := today(s.Now())
	return s.turnsOf(ctx, who.MerchantID, found.Items, from, from.AddDays(clientAhead))
}

// Named gives the subscribers of some turns the names of their clients.
func (s *Service) Named(ctx context.Context, who actor.Actor, turns []Turn) error {
	if err := who.May(actor.Read); err != nil {
		return err
	}
	ids := make([]uuid.UUID, len(turns))
	for i, t := range turns {
		ids[i] = t.Subscriber.ID
	}
	named, err := s.Store.SubscribersOf(ctx, who.MerchantID, ids)
	for i, t := range turns {
		turns[i].Subscriber.ClientName, turns[i].Subscriber.ClientEmail = named[t.Subscriber.ID].ClientName, named[t.Subscriber.ID].ClientEmail
	}
	return err
}

// turns are the periods of one subscriber that will be billed on some days.
func (t Template) turns(sub Subscriber, from, to calendar.Date) (out []Turn) {
	if t.ID == uuid.Nil || !t.DeletedAt.IsZero() {
		return nil
	}
	if why, _ := t.passesOver(sub); why != "" {
		return nil
	}
	cents := t.priceOf(sub)
	if cents == 0 {
		return nil
	}
	for day := range t.Plan.ahead(sub) {
		if day.After(to) {
			break
		}
		if !day.Before(from) {
			out = append(out, Turn{Subscriber: sub, Template: t, BilledOn: day, DueOn: t.Plan.DueOn(day), Cents: cents})
		}
	}
	return out
}

// passesOver says why a period of a subscriber that begins now would not be billed; empty when it would.
func (t Template) passesOver(sub Subscriber) (why, words string) {
	switch {
	case t.Paused:
		return "paused_template", "A period was not billed: the subscription is paused."
	case sub.Status == Paused:
		return "paused_client", "A period was not billed: this subscriber is paused."
	}
	return "", ""
}

// priceOf is what a period of a subscriber comes to.
func (t Template) priceOf(sub Subscriber) int64 {
	p, _ := sub.Override.apply(t)
	return p.TotalCents
}
