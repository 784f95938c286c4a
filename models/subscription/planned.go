package subscription

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// Turn is a period that is not billed yet: on which day it is, and what it comes to as things stand. It is one of a
// subscriber, or as many as are billed alike.
type Turn struct {
	Subscriber Subscriber // zero where it stands for several
	Template   Template
	BilledOn   calendar.Date
	DueOn      calendar.Date
	Cents      int64 // of each
	N          int64 // subscribers that it stands for
	alike      alike
}

// Planned are the periods of some days that are still to be billed, the earliest first.
type Planned struct {
	Turns []Turn
	// MoreFrom is the first day of which not every period is known, since there are more groups of subscribers than are
	// looked at; zero: every period is there.
	MoreFrom calendar.Date
}

// Sum counts the periods and adds them up.
func (p Planned) Sum() (n, cents int64) {
	for _, t := range p.Turns {
		n, cents = n+t.N, cents+t.N*t.Cents
	}
	return n, cents
}

// alike are subscribers that are billed on the same days for the same price.
type alike struct {
	NextAt     time.Time
	TemplateID uuid.UUID
	Status     Status
	MonthDay   int // of their anchors
	Remaining  int // periods that will still be billed; less than 0: endless
	Price      string
	Override   *Override `gorm:"serializer:json"`
	N          int64
}

// group is what decides how a subscriber is billed, as it is kept for many.
func (t Template) group(sub Subscriber) alike {
	g := alike{NextAt: sub.NextAt, TemplateID: sub.TemplateID, Status: sub.Status, MonthDay: sub.Anchor.Day, Remaining: -1,
		Override: sub.Override, N: 1}
	if t.Plan.Cycles != nil {
		g.Remaining = *t.Plan.Cycles - sub.Passed
	}
	return g
}

// planLimit is how many groups of subscribers a plan looks at whose next period is on one of its days, and planBefore
// how many whose next period comes before.
const planLimit, planBefore = 500, 100

// Planned looks ahead, by the rules by which Run bills: what Run would skip is left out. Subscribers that are billed
// alike are one turn.
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
	key := fmt.Sprintf("planned %s %s %s", who.MerchantID, from, to) // a list and its count look at the same
	return paging.Once(ctx, key, func() (Planned, error) { return s.planned(ctx, who.MerchantID, from, to) })
}

func (s *Service) planned(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) (p Planned, err error) {
	groups, moreFrom, err := s.Store.billedAlike(ctx, merchantID, from, to)
	if err != nil {
		return p, err
	}
	p.MoreFrom = moreFrom
	templates, err := s.planOf(ctx, merchantID, groups)
	if err != nil {
		return p, err
	}
	type billed struct {
		day   calendar.Date
		group int
		cents int64
	}
	var order []billed // turns are large: they are made in their order
	for n, g := range groups {
		for _, one := range templates[g.TemplateID].days(g, from, to) {
			order = append(order, billed{one.day, n, one.cents})
		}
	}
	slices.SortStableFunc(order, func(a, b billed) int { return a.day.Compare(b.day) })
	p.Turns = make([]Turn, len(order))
	for n, one := range order {
		g := groups[one.group]
		p.Turns[n] = templates[g.TemplateID].turn(g, one.day, one.cents)
	}
	return p, nil
}

// turnsOf are the periods of some subscribers that will be billed on some days, the earliest first.
func (s *Service) turnsOf(ctx context.Context, merchantID uuid.UUID, subscribers []Subscriber, from,
	to calendar.Date) (out []Turn, err error) {
	groups := make([]alike, len(subscribers))
	for i, sub := range subscribers {
		groups[i] = alike{TemplateID: sub.TemplateID, Override: sub.Override}
	}
	templates, err := s.planOf(ctx, merchantID, groups)
	if err != nil {
		return nil, err
	}
	for _, sub := range subscribers {
		if sub.NextAt.IsZero() || sub.Anchor.IsZero() || sub.Status == Inactive {
			continue
		}
		t := templates[sub.TemplateID]
		for _, turn := range t.turns(t.group(sub), from, to) {
			turn.Subscriber = sub
			out = append(out, turn)
		}
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
	found, err := s.Subscribers(ctx, who, uuid.Nil, SubscriberFilter{ClientID: clientID},
		paging.Ask{Limit: clientSubscribers})
	if err != nil {
		return nil, err
	}
	from := today(s.Now())
	return s.turnsOf(ctx, who.MerchantID, found.Items, from, from.AddDays(clientAhead))
}

// planOf gives the templates of some groups: their plans and prices, and the whole of those with another price for
// some subscribers.
func (s *Service) planOf(ctx context.Context, merchantID uuid.UUID, groups []alike) (map[uuid.UUID]Template, error) {
	templates, err := s.Store.plans(ctx, merchantID, groups)
	if err != nil {
		return nil, err
	}
	whole := map[uuid.UUID]bool{}
	for _, g := range groups {
		if t, known := templates[g.TemplateID]; known && g.Override != nil && !whole[t.ID] {
			if templates[t.ID], err = s.Store.AnyTemplate(ctx, merchantID, t.ID); err != nil {
				return nil, err
			}
			whole[t.ID] = true
		}
	}
	return templates, nil
}

// readsOfPage is how often subscribers are read for a page of a day: more than once where some of those read are not
// billed, such as those whose own price is zero.
const readsOfPage = 5

// PlannedOn gives a page of the subscribers that are billed on a day, the newest first. Where it passed over many who
// are not, the page says how far it came.
func (s *Service) PlannedOn(ctx context.Context, who actor.Actor, day calendar.Date,
	ask paging.Ask) (page paging.Page[Turn], err error) {
	p, err := s.Planned(ctx, who, day, day)
	if err != nil || len(p.Turns) == 0 && p.MoreFrom.IsZero() {
		return page, err
	}
	var turns []Turn
	var reached uuid.UUID
	next := ask
	for range readsOfPage {
		var found []Subscriber
		if found, reached, err = s.Store.subscribersOn(ctx, who.MerchantID, day, p.Turns, next); err != nil {
			return page, err
		}
		some, err := s.turnsOf(ctx, who.MerchantID, found, day, day)
		if err != nil {
			return page, err
		}
		if turns = append(turns, some...); len(turns) >= ask.Fetch() || len(found) < ask.Fetch() {
			break
		}
		next.From = found[len(found)-1].ID
		reached = next.From
	}
	return paging.CutAt(ask, turns[:min(len(turns), ask.Fetch())], reached), nil
}

// turns are the periods that will be billed on some days to subscribers who are billed alike.
func (t Template) turns(g alike, from, to calendar.Date) (out []Turn) {
	for _, one := range t.days(g, from, to) {
		out = append(out, t.turn(g, one.day, one.cents))
	}
	return out
}

func (t Template) turn(g alike, day calendar.Date, cents int64) Turn {
	return Turn{Template: t, BilledOn: day, DueOn: t.Plan.DueOn(day), Cents: cents, N: g.N, alike: g}
}

// billedDay is a day on which such periods will be billed, and what each comes to.
type billedDay struct {
	day   calendar.Date
	cents int64
}

// days are those on which such periods will be billed.
func (t Template) days(g alike, from, to calendar.Date) (days []billedDay) {
	if t.ID == uuid.Nil || !t.DeletedAt.IsZero() {
		return nil
	}
	sub := Subscriber{Status: g.Status, Override: g.Override}
	if why, _ := t.passesOver(sub); why != "" {
		return nil
	}
	next := calendar.DateOf(g.NextAt)
	for day := range t.Plan.onwards(g) {
		if day.After(to) {
			break
		}
		at := Subscriber{Override: g.Override.Every()}
		if day == next {
			at = sub
		}
		cents := t.On(day).priceOf(at)
		if cents != 0 && !day.Before(from) {
			days = append(days, billedDay{day, cents})
		}
	}
	return days
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
	if first := sub.Override.first(); first != nil {
		return *first
	}
	p, _ := sub.Override.apply(t)
	return p.TotalCents
}
