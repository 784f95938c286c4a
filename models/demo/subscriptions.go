package demo

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// Who subscribes to what, by the number of the member. Those who signed up have a
// stored account and are billed at once; the last two have none and stay pending.
var (
	gymMembers    = []int{0, 4, 6, 10, 13, 16, 17, 20}
	gymWaiting    = []int{5, 14}
	weeklyMembers = []int{22, 24}
)

// subscriptions makes two subscriptions and one invoice template, eighteen days ago.
func (st *story) subscriptions() {
	gym := &series{story: st, title: "Gym membership, monthly", cents: 64900,
		plan: subscription.Plan{Period: 1, Units: subscription.Months, DuePeriod: 7, DueUnits: subscription.Days}}
	weekly := &series{story: st, title: "Meal box, delivered weekly", cents: 38500,
		plan: subscription.Plan{Period: 1, Units: subscription.Weeks, DuePeriod: 4, DueUnits: subscription.Days}}
	const made, joined = 19, 18
	st.on(made, morning, gym.make)
	st.on(made, morning, weekly.make)
	st.on(made, morning, st.invoiceTemplate)
	for i, n := range gymMembers {
		st.on(joined-i%3, afternoon, gym.adds(n))
	}
	for i, n := range gymWaiting {
		st.on(12-9*i, afternoon, gym.adds(n))
	}
	for _, n := range weeklyMembers {
		st.on(joined, afternoon, weekly.adds(n))
	}
	if len(st.members) > gymMembers[3] {
		st.on(5, afternoon, func(ctx context.Context) error {
			_, err := st.s.Subscriptions.SetSubscriberPaused(ctx, st.admin, gym.added[gymMembers[3]], true)
			return err
		})
	}
}

// series is one subscription of the gym.
type series struct {
	*story
	title string
	cents int64
	plan  subscription.Plan
	id    uuid.UUID
	added map[int]uuid.UUID // by the number of the member
}

func (s *series) make(ctx context.Context) error {
	t, err := s.s.Subscriptions.Create(ctx, s.admin, subscription.Input{Title: s.title, IsSubscription: true, Plan: s.plan,
		Pattern: s.pattern(s.title, s.cents)})
	s.id, s.added = t.ID, map[int]uuid.UUID{}
	return err
}

func (st *story) pattern(name string, cents int64) purchase.Input {
	return purchase.Input{BrandID: st.brand.ID, UserID: st.admin.ID,
		Options:     purchase.Options{ForceRecurring: true, Whitelist: []string{purchase.EFT}},
		DirectDebit: &purchase.DirectDebitInput{},
		Details: purchase.Details{Products: []purchase.Product{{Name: name, PriceCents: cents,
			Quantity: decimal.NewFromInt(1)}}}}
}

func (s *series) adds(n int) func(context.Context) error {
	return func(ctx context.Context) error {
		if n >= len(s.members) {
			return nil // a small demo
		}
		m := s.members[n]
		added, err := s.s.Subscriptions.Add(ctx, s.admin, s.id, subscription.SubscriberInput{ClientID: m.client.ID,
			Switches: subscription.Switches{InvoiceOnAdd: true, InvoiceOnChargeFailure: true, Receipt: true}})
		s.added[n] = added.Subscriber.ID
		return err
	}
}

// invoiceTemplate is due half a year ahead.
func (st *story) invoiceTemplate(ctx context.Context) error {
	due := calendar.TimeOfDay{Hour: 12}.On(st.today.AddDays(182)).UTC().Truncate(time.Second)
	in := subscription.Input{Title: "Locker key, replacement", Plan: subscription.Default(),
		Pattern: st.pattern("Locker key, replacement", 18000)}
	in.Pattern.Due, in.Pattern.Options, in.Pattern.DirectDebit = &due, purchase.Options{SendReceipt: true}, nil
	_, err := st.s.Subscriptions.Create(ctx, st.admin, in)
	return err
}
