package subscription_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/subscription"
)

// world is a few subscribers whose accounts fare differently.
type world struct {
	h    *house
	subs []uuid.UUID
}

var plans = []struct {
	account bank.AccountNumber
	plan    func(*subscription.Plan)
}{
	{"4000000000", func(*subscription.Plan) {}},
	{"4000009002", func(p *subscription.Plan) { p.Period, p.Units = 2, subscription.Weeks }},
	{"4000009500", func(p *subscription.Plan) { p.Period, p.Units, p.DuePeriod = 9, subscription.Days, 1 }},
	{"4000000000", func(p *subscription.Plan) {
		p.Period, p.Units, p.ChargeAtEnd, p.TrialPeriods = 6, subscription.Days, true, 1
	}},
}

func begin(t testing.TB) world {
	w := world{h: open(t)}
	for i, p := range plans {
		plan := subscription.Default()
		p.plan(&plan)
		clientID, _ := w.h.stored(p.account)
		change := func(in *subscription.SubscriberInput) { in.Switches.InvoiceOnChargeFailure = i != 2 }
		w.subs = append(w.subs, w.h.add(w.h.template(plan), clientID, change).Subscriber.ID)
	}
	pending := w.h.add(w.h.template(subscription.Default()), w.h.client())
	w.h.give(pending.Purchase, "4000000000")
	w.subs = append(w.subs, pending.Subscriber.ID)
	return w
}

func (w world) told() (out []string) {
	for _, id := range w.subs {
		s := w.h.sub(id)
		out = append(out, fmt.Sprint(s.Status, s.Anchor, s.Cycle, s.Passed, s.NextOn, w.h.billed(id)))
	}
	return out
}

// Whatever the steps in which the clock goes its way, the same is billed.
func TestAnySplitOfTheWayGivesTheSamePurchases(t *testing.T) {
	t.Parallel()
	end := day(time.March, 12).At(7, 0)
	whole := begin(t)
	whole.h.to(end)
	want := whole.told()
	if len(want) != len(plans)+1 || !slices.ContainsFunc(want, func(s string) bool { return len(s) > 100 }) {
		t.Fatalf("nothing was billed: %v", want)
	}
	worlds := 0
	rapid.Check(t, func(rt *rapid.T) {
		most := thorough.Times(3, 8) // worlds that go the whole way; further draws cost more than they show
		steps := rapid.SliceOfN(rapid.IntRange(1, 20*24*60), 1, 30).Draw(rt, "minutes")
		if worlds++; worlds > most && !rt.Failed() {
			return
		}
		w := begin(t)
		for _, minutes := range steps {
			if at := w.h.store.Now().Add(time.Duration(minutes) * time.Minute); at.Before(end) {
				w.h.to(at)
				if _, err := w.h.subs.Run(ctx); err != nil { // once more changes nothing
					rt.Fatal(err)
				}
			}
		}
		w.h.to(end)
		if got := w.told(); !slices.Equal(got, want) {
			rt.Fatalf("steps %v\ngot  %v\nwant %v", steps, got, want)
		}
	})
}
