package subscription_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

func TestEverythingThatIsWrongWithATemplateIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	none := 0
	_, err := h.subs.Create(ctx, h.who, subscription.Input{Title: strings.Repeat("x", 257), IsSubscription: true,
		Plan:    subscription.Plan{Period: 0, Units: "years", DuePeriod: 257, DueUnits: "", TrialPeriods: 257, Cycles: &none},
		Pattern: purchase.Input{BrandID: h.brand}})
	f, _ := fault.From(err)
	var got []string
	for _, p := range f.Fields {
		got = append(got, p.Path+"="+p.Code)
	}
	slices.Sort(got)
	want := []string{"number_of_billing_cycles=min_value", "purchase.products=required",
		"subscription_due_period=max_value", "subscription_due_period_units=invalid_choice",
		"subscription_period=min_value", "subscription_period_units=invalid_choice", "subscription_trial_periods=max_value",
		"title=max_length"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	in := h.asked(subscription.Default())
	in.IsSubscription = false
	if _, err := h.subs.Create(ctx, h.who, in); !fault.HasCode(err, "required") {
		t.Errorf("one-time without due: %v", err)
	}
	for _, n := range []int{1, 256} {
		plan := subscription.Default()
		plan.Period, plan.DuePeriod, plan.TrialPeriods = n, n, n
		if _, err := h.subs.Create(ctx, h.who, h.asked(plan)); err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func TestThePlanIsReadOnlyOnceASubscriberWasLaunched(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	change := h.asked(subscription.Default())
	change.Plan.Period, change.Title, change.IsSubscription, change.Paused = 2, "Renamed", false, true
	changed, err := h.subs.Update(ctx, h.who, tpl.ID, change)
	must(t, err)
	if changed.Plan.Period != 2 || !changed.IsSubscription || !changed.Paused || changed.Version != tpl.Version+1 {
		t.Errorf("%+v", changed)
	}
	_, err = h.subs.SetPaused(ctx, h.who, tpl.ID, false)
	must(t, err)
	clientID, _ := h.stored("4000000000")
	h.add(tpl, clientID)
	change.Plan.Period, change.Title = 300, "Again" // wrong, and not looked at any more
	_, err = h.subs.Update(ctx, h.who, tpl.ID, change)
	must(t, err)
	got, err := h.subs.Get(ctx, h.who, tpl.ID)
	must(t, err)
	if got.Plan.Period != 2 || got.Title != "Again" || !got.Launched || !got.HasActive || got.Locked() == "" ||
		got.Counts[subscription.Active] != 1 {
		t.Errorf("%+v", got)
	}
}

func TestAOneTimeTemplateSendsInvoices(t *testing.T) {
	t.Parallel()
	h := open(t)
	due := day(time.February, 26).At(12, 0)
	in := h.asked(subscription.Default())
	in.IsSubscription, in.Pattern.Due, in.Pattern.Options.SendReceipt = false, &due, true
	tpl, err := h.subs.Create(ctx, h.who, in)
	must(t, err)
	clientID := h.client()
	rec, err := h.subs.SendInvoice(ctx, h.who, tpl.ID,
		subscription.SubscriberInput{ClientID: clientID, Reference: "March"})
	must(t, err)
	h.to(day(time.February, 1).At(10, 0))
	sent := h.get(rec.ID)
	if sent.Status != purchase.Sent || sent.Product != purchase.ByInvoices || !sent.Due.Equal(due) ||
		sent.TemplateID != tpl.ID || sent.Reference != "March" || !sent.Options.SendReceipt {
		t.Errorf("%+v", sent.Purchase)
	}
	if n := h.number(`SELECT count(*) FROM template_clients`); n != 0 {
		t.Errorf("%d recipients were stored", n)
	}
	if n := h.number(`SELECT count(*) FROM invoices WHERE purchase_id = $1`, rec.ID); n != 1 {
		t.Errorf("%d invoices", n)
	}
	if _, err := h.subs.Add(ctx, h.who, tpl.ID, subscription.SubscriberInput{ClientID: clientID}); !fault.HasCode(err,
		"template_not_subscription") {
		t.Errorf("a subscriber: %v", err)
	}
	if _, err := h.subs.SendInvoice(ctx, h.who, h.template(subscription.Default()).ID,
		subscription.SubscriberInput{ClientID: clientID}); !fault.HasCode(err, "template_is_subscription") {
		t.Errorf("an invoice of a subscription: %v", err)
	}
	if _, err := h.subs.SendInvoice(ctx, h.who, tpl.ID, subscription.SubscriberInput{}); !fault.HasCode(err, "required") {
		t.Errorf("without a client: %v", err)
	}
	if _, err := h.subs.SendInvoice(ctx, h.who, tpl.ID,
		subscription.SubscriberInput{ClientID: uuid.New()}); !fault.HasCode(err, "does_not_exist") {
		t.Errorf("an unknown client: %v", err)
	}
	h.to(due.Add(time.Minute))
	if _, err := h.subs.SendInvoice(ctx, h.who, tpl.ID, subscription.SubscriberInput{ClientID: clientID}); !fault.HasCode(
		err, "due_not_greater_than_now") {
		t.Errorf("after its due: %v", err)
	}
}

func TestNumbersOfASubscriberAreSealed(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	sub := h.add(tpl, clientID, func(in *subscription.SubscriberInput) {
		in.Debit = subscription.Debit{Fields: map[string]any{"tracking_period": 3}, DebtorAccount: "4000000000",
			DebtorID: "8001015009087"}
	}).Subscriber
	if n := h.number(
		`SELECT count(*) FROM template_clients c WHERE to_jsonb(c)::text LIKE '%4000000000%'
			OR to_jsonb(c)::text LIKE '%8001015009087%'`,
	); n != 0 {
		t.Error("a number lies open in the row")
	}
	if n := h.number(`SELECT count(*) FROM audit_entries a WHERE to_jsonb(a)::text LIKE '%4000000000%'`); n != 0 {
		t.Error("a number lies open in the audit")
	}
	changed, err := h.subs.Change(ctx, h.who, tpl.ID, sub.ID, func(in *subscription.SubscriberInput) {
		in.Debit.DebtorAccount = "•••• 0000" // as it was answered
		in.Reference = "New"
	})
	must(t, err)
	if got := h.sub(sub.ID); got.Debit.DebtorAccount.Reveal() != "4000000000" ||
		got.Debit.DebtorID.Reveal() != "8001015009087" || got.Reference != "New" || changed.Reference != "New" {
		t.Errorf("%+v", got)
	}
	paused := true
	changed, err = h.subs.Change(ctx, h.who, uuid.Nil, sub.ID,
		func(in *subscription.SubscriberInput) { in.Paused = &paused })
	must(t, err)
	if changed.Status != subscription.Paused {
		t.Errorf("%s", changed.Status)
	}
}

func TestListsAreCutAndFiltered(t *testing.T) {
	t.Parallel()
	h := open(t)
	yes := true
	var all []subscription.Template
	for range 5 {
		all = append(all, h.template(subscription.Default()))
	}
	page, err := h.subs.List(ctx, h.who, subscription.Filter{IsSubscription: &yes, BrandID: h.brand, Search: "member"},
		paging.Ask{Limit: 3})
	must(t, err)
	if len(page.Items) != 3 || !page.Older || page.Items[0].ID != all[4].ID {
		t.Errorf("%d of 5, older %v", len(page.Items), page.Older)
	}
	rest, err := h.subs.List(ctx, h.who, subscription.Filter{}, paging.Ask{Limit: 3, From: page.Items[2].ID})
	must(t, err)
	if len(rest.Items) != 2 || rest.Older {
		t.Errorf("%d left", len(rest.Items))
	}
	for range 4 {
		h.add(all[0], h.client())
	}
	subs, err := h.subs.Subscribers(ctx, h.who, all[0].ID, subscription.SubscriberFilter{Status: subscription.Pending,
		Search: "nomsa"}, paging.Ask{Limit: 3})
	must(t, err)
	if len(subs.Items) != 3 || !subs.Older || subs.Items[0].ClientName != "Nomsa Dlamini" {
		t.Errorf("%d, %+v", len(subs.Items), subs.Items[0])
	}
	none, err := h.subs.Subscribers(ctx, h.who, all[0].ID, subscription.SubscriberFilter{Status: subscription.Active},
		paging.Ask{Limit: 3})
	must(t, err)
	if len(none.Items) != 0 {
		t.Errorf("%d active", len(none.Items))
	}
	list, err := h.purchases.List(ctx, h.who, purchase.Filter{SubscriberID: subs.Items[0].ID}, paging.Ask{Limit: 3})
	must(t, err)
	if len(list.Items) != 1 {
		t.Errorf("%d purchases of a subscriber", len(list.Items))
	}
}
