package subscription_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/models/upkeep"
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
			_, err := upkeep.Store{DB: h.store}.FoldFigures(ctx)
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
			_, err := upkeep.Store{DB: h.store}.FoldFigures(ctx)
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

// A day lists everyone who is billed on it, also where those before them are thousands whose subscription is paused: a
// page says how far it came, and the next goes on there. Nor does it matter how many subscriptions bill on that day.
func TestADayListsThoseBehindManyWhoAreNotBilled(t *testing.T) {
	t.Parallel()
	h := openAt(t, calendar.On(2027, time.January, 31).At(9, 0))
	free := int64(0)
	client, _ := h.stored("4000000000")
	billed := h.template(subscription.Default())
	first := h.add(billed, client).Subscriber
	paused := h.template(subscription.Default())
	last := h.add(paused, client).Subscriber
	_, err := h.subs.SetPaused(ctx, h.who, paused.ID, true)
	must(t, err)
	ofNothing := h.add(billed, client, func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{TotalOverrideCents: &free}
	}).Subscriber
	for _, more := range []struct {
		of    uuid.UUID
		older string // the smaller, the older
		n     int
	}{{first.ID, "8000", 1}, {last.ID, "9000", 3_100}, {ofNothing.ID, "a000", 300}} {
		_, err = h.store.Pool.Exec(ctx, `INSERT INTO template_clients SELECT (jsonb_populate_record(s, jsonb_build_object(
				'id', '00000000-0000-7000-' || $2::text || '-' || lpad(n::text, 12, '0')))).*
			FROM template_clients s, generate_series(1, $3::int) n WHERE s.id = $1`, more.of.String(), more.older, more.n)
		must(t, err)
	}
	_, err = h.store.Pool.Exec(ctx, `WITH made AS (INSERT INTO billing_templates
			SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
			FROM billing_templates t, generate_series(1, 540) WHERE t.id = $1 RETURNING id)
		INSERT INTO template_clients SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(),
			'template_id', made.id))).*
		FROM template_clients s, made WHERE s.id = $2`, billed.ID.String(), first.ID.String())
	must(t, err)
	day := calendar.DateOf(first.NextAt)
	for _, newer := range []bool{false, true} {
		seen, short, pages := map[uuid.UUID]bool{}, 0, 0
		for ask := (paging.Ask{Limit: 50, Newer: newer}); ; {
			page, err := h.subs.PlannedOn(ctx, h.who, day, ask)
			must(t, err)
			if pages++; pages > 40 {
				t.Fatal("the pages do not end")
			}
			for _, turn := range page.Items {
				seen[turn.Subscriber.ID] = true
			}
			if len(page.Items) < ask.Limit {
				short++
			}
			id := func(turn subscription.Turn) uuid.UUID { return turn.Subscriber.ID }
			next, more := page.After(ask, id)
			if newer {
				next, more = page.Before(ask, id)
			}
			if !more {
				break
			}
			ask = next
		}
		if len(seen) != 542 || short < 2 {
			t.Errorf("newer %v: %d subscribers are listed on %d pages, %d of them not full; want 542", newer, len(seen), pages,
				short)
		}
	}
}
