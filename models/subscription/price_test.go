package subscription_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

func (h *house) planPrice(t subscription.Template, in subscription.PriceInput) subscription.PricePlan {
	h.t.Helper()
	p, err := h.subs.PlanPrice(ctx, h.who, t.ID, in)
	must(h.t, err)
	return p
}

func (h *house) changePrice(t subscription.Template, in subscription.PriceInput) subscription.PricePlan {
	h.t.Helper()
	p, err := h.subs.ChangePrice(ctx, h.who, t.ID, in, h.planPrice(t, in).Digest())
	must(h.t, err)
	return p
}

func (h *house) cents(sub subscription.Subscriber) (out []int64) {
	h.t.Helper()
	for _, b := range h.billed(sub.ID) {
		out = append(out, b.Cents)
	}
	return out
}

func TestANewPriceIsBilledFromItsDateOnAndEveryClientHearsOfItOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	one, two := h.add(tpl, clientID).Subscriber, h.add(tpl, clientID).Subscriber // both bill on the 1st
	other, _ := h.stored("4000000001")
	late := h.add(tpl, other, firstOn(day(time.February, 20))).Subscriber
	own := int64(7500)
	special := h.add(tpl, other, func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{TotalOverrideCents: &own}
	}).Subscriber
	in := subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}}
	p := h.planPrice(tpl, in)
	if len(p.Changed) != 3 || len(p.Own) != 1 || p.Clients != 2 || p.Changed[0].Was != 10000 || p.Changed[0].Is != 12000 {
		t.Errorf("planned: %d change, %d do not, %d clients", len(p.Changed), len(p.Own), p.Clients)
	}
	if p.Changed[0].FirstOn != day(time.April, 1) || p.Changed[2].FirstOn != day(time.March, 20) {
		t.Errorf("first billed on %s and %s", p.Changed[0].FirstOn, p.Changed[2].FirstOn)
	}
	for range 2 {
		h.changePrice(tpl, in)
		must(t, h.subs.TellPrices(ctx))
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'price_changed'`); n != 2 {
		t.Errorf("%d mails to two clients", n)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'template.price_planned'`); n != 1 {
		t.Errorf("%d entries", n)
	}
	now, err := h.subs.Get(ctx, h.who, tpl.ID)
	must(t, err)
	if now.TotalCents != 10000 || now.Coming() == nil {
		t.Errorf("before its date it costs %d", now.TotalCents)
	}
	planned, err := h.subs.PlannedOf(ctx, h.who, clientID)
	must(t, err)
	if planned[0].Cents != 10000 || planned[0].BilledOn != day(time.March, 1) {
		t.Errorf("next %d on %s", planned[0].Cents, planned[0].BilledOn)
	}
	h.to(day(time.April, 21).At(10, 0))
	for _, c := range []struct {
		sub  subscription.Subscriber
		want []int64
	}{{one, []int64{10000, 10000, 12000}}, {two, []int64{10000, 10000, 12000}}, {late, []int64{10000, 12000, 12000}},
		{special, []int64{7500, 7500, 7500}}} {
		if got := h.cents(c.sub); !slices.Equal(got, c.want) {
			t.Errorf("billed %v, want %v", got, c.want)
		}
	}
	if now, err = h.subs.Get(ctx, h.who, tpl.ID); err != nil || now.TotalCents != 12000 || now.Coming() != nil {
		t.Errorf("after its date it costs %d (%v)", now.TotalCents, err)
	}
}

// A round that comes late, after the price has begun, bills each period at the price of its own day.
func TestALateRoundBillsEachPeriodAtThePriceOfItsDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	sub := h.add(tpl, clientID).Subscriber
	h.changePrice(tpl, subscription.PriceInput{From: day(time.April, 1), Prices: []int64{12000}})
	h.jump(day(time.May, 2).At(10, 0)) // nothing ran since February
	if got, want := h.cents(sub), []int64{10000, 10000, 12000, 12000}; !slices.Equal(got, want) {
		t.Errorf("billed %v, want %v", got, want)
	}
}

func TestAFixedMandateAndAMaximumBelowTheNewPriceAreNamed(t *testing.T) {
	t.Parallel()
	h := open(t)
	price, most := int64(10000), int64(15000)
	for kind, limit := range map[string]*int64{"FIXED": &price, "VARIABLE": &most} {
		in := h.asked(subscription.Default())
		in.Pattern.Options.Whitelist = []string{"debicheck"}
		in.Pattern.DirectDebit = &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: kind,
			AuthenticationType: "DELAYED", DebitSequence: "RCUR", AdjustmentCategory: "NEVER", MaxAmountCents: limit,
			AllowDateAdjustment: true}}
		made, err := h.subs.Create(ctx, h.who, in)
		must(t, err)
		a := h.add(made, h.client())
		h.give(a.Purchase, "4000000000")
		h.to(h.store.Now().Add(72 * time.Hour))
		p := h.planPrice(made, subscription.PriceInput{From: day(time.April, 1), Prices: []int64{16000}})
		switch {
		case len(p.Changed) != 1:
			t.Errorf("%s: %d change", kind, len(p.Changed))
		case kind == "FIXED" && len(p.Fixed()) != 1:
			t.Errorf("FIXED: %+v", p.Changed)
		case kind == "VARIABLE" && (len(p.Below()) != 1 || !strings.Contains(p.Below()[0].Why, "maximum")):
			t.Errorf("VARIABLE: %+v", p.Changed)
		}
		within := h.planPrice(made, subscription.PriceInput{From: day(time.April, 1), Prices: []int64{14000}})
		if kind == "VARIABLE" && len(within.Below()) != 0 || kind == "FIXED" && len(within.Fixed()) != 1 {
			t.Errorf("%s within the maximum: %+v", kind, within.Changed)
		}
	}
}

func TestAPlannedPriceIsWithdrawnByThePresentOne(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	sub := h.add(tpl, clientID).Subscriber
	in := subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}}
	h.changePrice(tpl, in)
	must(t, h.subs.TellPrices(ctx))
	in.Prices = []int64{10000}
	if p := h.changePrice(tpl, in); !p.Stays || p.Clients != 1 {
		t.Errorf("%+v", p)
	}
	h.to(day(time.April, 3).At(10, 0))
	if got, want := h.cents(sub), []int64{10000, 10000, 10000}; !slices.Equal(got, want) {
		t.Errorf("billed %v, want %v", got, want)
	}
	if _, err := h.subs.PlanPrice(ctx, h.who, tpl.ID, in); err == nil {
		t.Error("the present price was planned")
	}
}

func TestWhatIsWrongWithAPriceComesByField(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	staff := h.who
	staff.Role = actor.Staff
	good := subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}}
	if _, err := h.subs.PlanPrice(ctx, staff, tpl.ID, good); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
	stranger, _ := h.merchant("other")
	if _, err := h.subs.ChangePrice(ctx, stranger, tpl.ID, good, ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	for at, in := range map[string]subscription.PriceInput{
		"from":    {From: day(time.February, 1), Prices: []int64{12000}},
		"price-0": {From: day(time.March, 15)},
	} {
		_, err := h.subs.PlanPrice(ctx, h.who, tpl.ID, in)
		if f, ok := fault.From(err); !ok || !fault.Problems(f.Fields).Has(at) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := h.subs.ChangePrice(ctx, h.who, tpl.ID, good, "another"); !fault.HasCode(err, "stakes_grew") {
		t.Errorf("something else was seen: %v", err)
	}
}

func TestOfManyPricesAtOnceOneIsPlannedAndToldOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	h.add(tpl, clientID)
	in := subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}}
	seen := h.planPrice(tpl, in).Digest()
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			if _, err := h.subs.ChangePrice(ctx, h.who, tpl.ID, in, seen); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	must(t, h.subs.TellPrices(ctx))
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'price_changed'`); n != 1 {
		t.Errorf("%d mails", n)
	}
}
