package subscription_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
)

// What is kept of subscribers who are billed alike plans the same periods as each subscriber does for itself: with
// months of all lengths, weeks, days, trials, cycles that end, other prices and pauses, while the clock goes on and
// after it is added up; and the list of a day has exactly those who are billed on it.
func TestSubscribersBilledAlikeAreThoseBilledOneByOne(t *testing.T) {
	t.Parallel()
	h := openAt(t, calendar.On(2027, time.January, 31).At(9, 0))
	three := 3
	templates := map[uuid.UUID]subscription.Template{}
	var subs []uuid.UUID
	for _, change := range []func(*subscription.Plan){
		func(*subscription.Plan) {},
		func(p *subscription.Plan) { p.Period, p.Units = 2, subscription.Weeks },
		func(p *subscription.Plan) {
			p.Period, p.Units, p.ChargeAtEnd, p.TrialPeriods = 6, subscription.Days, true, 1
		},
		func(p *subscription.Plan) { p.Units, p.Cycles = subscription.Weeks, &three },
	} {
		plan := subscription.Default()
		change(&plan)
		made := h.template(plan)
		templates[made.ID] = made
		for i := range 4 {
			client, _ := h.stored("4000000000")
			subs = append(subs, h.add(made, client, func(in *subscription.SubscriberInput) {
				if total := int64(777); i == 2 {
					in.Override = &subscription.Override{TotalOverrideCents: &total}
				}
			}).Subscriber.ID)
		}
	}
	_, err := h.subs.SetSubscriberPaused(ctx, h.who, subs[3], true)
	must(t, err)
	planned := 0
	for step := range 5 {
		if step == 2 {
			_, err := h.store.FoldFigures(ctx)
			must(t, err)
		}
		now := calendar.DateOf(h.store.Now())
		from, to := now.AddDays(9), now.AddDays(75)
		want := map[calendar.Date][]uuid.UUID{}
		cents := map[calendar.Date]int64{}
		for _, id := range subs {
			sub := h.sub(id)
			for _, day := range templates[sub.TemplateID].Plan.Upcoming(sub, 40) {
				if day.Before(from) || day.After(to) || sub.Status == subscription.Paused {
					continue
				}
				want[day] = append(want[day], id)
				if cents[day] += templates[sub.TemplateID].TotalCents; sub.Override != nil {
					cents[day] += 777 - templates[sub.TemplateID].TotalCents
				}
			}
		}
		p, err := h.subs.Planned(ctx, h.who, from, to)
		must(t, err)
		n, sum := map[calendar.Date]int{}, map[calendar.Date]int64{}
		for _, turn := range p.Turns {
			n[turn.BilledOn] += int(turn.N)
			sum[turn.BilledOn] += turn.N * turn.Cents
		}
		if !p.MoreFrom.IsZero() || len(n) != len(want) {
			t.Fatalf("step %d: %d days, and one by one %d; more from %s", step, len(n), len(want), p.MoreFrom)
		}
		for day, ids := range want {
			planned += len(ids)
			if n[day] != len(ids) || sum[day] != cents[day] {
				t.Errorf("step %d, %s: %d for %d, and one by one %d for %d", step, day, n[day], sum[day], len(ids), cents[day])
			}
			var listed []uuid.UUID
			for ask := (paging.Ask{Limit: 3}); ; {
				page, err := h.subs.PlannedOn(ctx, h.who, day, ask)
				must(t, err)
				for _, turn := range page.Items {
					listed = append(listed, turn.Subscriber.ID)
				}
				if !page.Older {
					break
				}
				ask.From = listed[len(listed)-1]
			}
			slices.Reverse(listed) // the newest were first
			slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
			if !slices.Equal(listed, ids) {
				t.Errorf("step %d, %s: %v are listed, and %v are billed", step, day, listed, ids)
			}
		}
		h.to(h.store.Now().Add(11 * 24 * time.Hour))
	}
	if planned < 100 {
		t.Errorf("only %d periods were planned", planned)
	}
}

// A day lists everyone who is billed on it, also where more prices of their own are asked than a plan looks at: some
// are looked at in turn, and those who are paused or pay nothing are left out.
func TestADayListsAllSubscribersHoweverManyPricesTheyHave(t *testing.T) {
	t.Parallel()
	h := openAt(t, calendar.On(2027, time.January, 31).At(9, 0))
	made := h.template(subscription.Default())
	client, _ := h.stored("4000000000")
	first := h.add(made, client).Subscriber.ID
	_, err := h.store.Pool.Exec(ctx, `INSERT INTO template_clients SELECT (jsonb_populate_record(s, jsonb_build_object(
			'id', gen_random_uuid(), 'override', jsonb_build_object('total_override', n - n % 7 / 6 * n),
			'status', CASE WHEN n % 5 = 0 THEN 'subscription_paused' ELSE s.status END))).*
		FROM template_clients s, generate_series(1, 640) n WHERE s.id = $1`, first.String())
	must(t, err)
	day := calendar.DateOf(h.sub(first).NextAt)
	want := 1
	for n := 1; n <= 640; n++ {
		if n%5 != 0 && n%7 != 6 {
			want++
		}
	}
	for _, folded := range []bool{false, true} {
		if folded {
			_, err := h.store.FoldFigures(ctx)
			must(t, err)
		}
		seen := map[uuid.UUID]bool{}
		for ask := (paging.Ask{Limit: 50}); ; {
			page, err := h.subs.PlannedOn(ctx, h.who, day, ask)
			must(t, err)
			for _, turn := range page.Items {
				seen[turn.Subscriber.ID] = true
				ask.From = turn.Subscriber.ID
			}
			if !page.Older {
				break
			}
			if len(page.Items) != ask.Limit {
				t.Fatalf("a page of %d has %d, and there are more", ask.Limit, len(page.Items))
			}
		}
		if len(seen) != want {
			t.Errorf("folded %v: %d subscribers are listed, want %d", folded, len(seen), want)
		}
	}
}
