package subscription_test

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

func TestAPendingSubscriberTurnsActiveWhenTheAccountIsStored(t *testing.T) {
	t.Parallel()
	trial := subscription.Default()
	trial.TrialPeriods = 1
	for name, c := range map[string]struct {
		plan    subscription.Plan
		cents   int64
		after   purchase.Status // of the first purchase, once the account was given
		active  string          // the day on which the account is stored
		billed  []string        // until 1 May
		product string          // of the first period
	}{
		// given on Wednesday 3 February; the first debit runs on the 8th, when R100 is due
		"EFT with an amount": {subscription.Default(), 10000, purchase.PendingCharge, "2027-02-08",
			[]string{"2027-02-01", "2027-03-08", "2027-04-08"}, "billing_subscriptions_invoice"},
		"EFT, nothing payable yet": {trial, 0, purchase.Preauthorized, "2027-02-03", []string{"2027-03-03", "2027-04-03"},
			"billing_subscriptions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			added := h.add(h.template(c.plan), h.client())
			p := added.Purchase
			if added.Subscriber.Status != subscription.Pending || p == nil || p.TotalCents != c.cents ||
				!p.Options.ForceRecurring || p.Method != "eft" {
				t.Fatalf("added %+v with %+v", added.Subscriber, p)
			}
			h.to(day(time.February, 3).At(10, 0))
			if rec := h.get(p.ID); rec.Status != purchase.Sent {
				t.Errorf("after the mail: %s", rec.Status)
			}
			if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'account_link'`, p.ID); n != 1 {
				t.Errorf("%d welcome mails", n)
			}
			if rec := h.give(p, "4000000000"); rec.Status != c.after {
				t.Errorf("once given: %s", rec.Status)
			}
			h.to(day(time.May, 1).At(0, 0))
			s := h.sub(added.Subscriber.ID)
			if s.Status != subscription.Active || s.TokenID != p.ID || s.Anchor.String() != c.active {
				t.Errorf("%+v", s)
			}
			if got := h.issued(s.ID); !slices.Equal(got, c.billed) {
				t.Errorf("billed %v, want %v", got, c.billed)
			}
			if got := h.billed(s.ID); got[0].Product != c.product || got[0].Status != "paid" || s.Passed != len(got) {
				t.Errorf("first %+v, passed %d", got[0], s.Passed)
			}
		})
	}
}

func TestDebiCheckIsAcceptedAndEachPeriodChargedUnderTheMandate(t *testing.T) {
	t.Parallel()
	h := open(t)
	in, most := h.asked(subscription.Default()), int64(15000)
	in.Pattern.Options.Whitelist = []string{"debicheck"}
	in.Pattern.DirectDebit = &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: "VARIABLE",
		AuthenticationType: "DELAYED", DebitSequence: "RCUR",
		AdjustmentCategory: "NEVER", MaxAmountCents: &most, AllowDateAdjustment: true}}
	tpl, err := h.subs.Create(ctx, h.who, in)
	must(t, err)
	if tpl.Details.DirectDebit.DeductionDay != 0 {
		t.Errorf("the deduction day that was left out became %d", tpl.Details.DirectDebit.DeductionDay)
	}
	added := h.add(tpl, h.client())
	if added.Purchase.Method != "debicheck" || added.Purchase.Details.DirectDebit.DeductionDay != 8 {
		t.Errorf("first purchase %+v", added.Purchase.Details.DirectDebit)
	}
	h.give(added.Purchase, "4000000000")
	h.to(day(time.April, 20).At(9, 0))
	s := h.sub(added.Subscriber.ID)
	if s.Status != subscription.Active || s.TokenID != added.Purchase.ID || s.Passed < 3 {
		t.Errorf("%+v", s)
	}
	for _, b := range h.billed(s.ID) {
		if b.Status != "paid" {
			t.Errorf("%+v", b)
		}
	}
	// A price above the maximum is refused when it is given.
	above := int64(15001)
	_, err = h.subs.Change(ctx, h.who, tpl.ID, s.ID, func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{TotalOverrideCents: &above}
	})
	if !fault.HasCode(err, "max_value") {
		t.Errorf("a price above the maximum: %v", err)
	}
}

func TestAFirstDateIsTheDateOfTheFirstCharge(t *testing.T) {
	t.Parallel()
	h := open(t)
	plan := subscription.Default()
	plan.TrialPeriods, plan.ChargeAtEnd = 2, true
	tpl := h.template(plan)
	in := h.add(tpl, h.client(), firstOn(day(time.February, 15)))
	if in.Purchase.TotalCents != 0 {
		t.Errorf("nothing is payable yet, but %d", in.Purchase.TotalCents)
	}
	late := h.add(tpl, h.client(), firstOn(day(time.February, 15)))
	h.give(in.Purchase, "4000000000")
	h.to(day(time.February, 20).At(9, 0))
	h.give(late.Purchase, "4000000000")
	h.to(day(time.April, 15).At(9, 0))
	if got := h.issued(in.Subscriber.ID); !slices.Equal(got, []string{"2027-02-15", "2027-03-15", "2027-04-15"}) {
		t.Errorf("in time: %v", got)
	}
	if got := h.issued(late.Subscriber.ID); !slices.Equal(got, []string{"2027-03-15", "2027-04-15"}) {
		t.Errorf("after the first date: %v", got)
	}
	_, err := h.subs.Add(ctx, h.who, tpl.ID, subscription.SubscriberInput{ClientID: in.Subscriber.ClientID,
		FirstOn: day(time.April, 14)})
	if !fault.HasCode(err, "min_value") {
		t.Errorf("yesterday: %v", err)
	}
}

func TestWhoPaysTheFirstPurchaseByHandIsInvoicedEachPeriod(t *testing.T) {
	t.Parallel()
	h := open(t)
	added := h.add(h.template(subscription.Default()), h.client())
	_, err := h.purchases.MarkAsPaid(ctx, h.who, added.Purchase.ID, nil)
	must(t, err)
	h.to(day(time.March, 1).At(9, 0))
	s := h.sub(added.Subscriber.ID)
	if s.Status != subscription.Active || s.Anchor != day(time.February, 1) {
		t.Errorf("%+v", s)
	}
	if got := h.billed(s.ID); len(got) != 2 || got[1].Product != "billing_subscriptions_invoice" ||
		got[1].Status != "sent" {
		t.Errorf("%+v", got)
	}
}

func TestAPendingSubscriberIsRemindedAndRemoved(t *testing.T) {
	t.Parallel()
	h := open(t)
	added := h.add(h.template(subscription.Default()), h.client(),
		func(in *subscription.SubscriberInput) { in.Switches.InvoiceOnAdd = false })
	if n := h.number(`SELECT count(*) FROM mails`); n != 0 {
		t.Errorf("%d mails without the switch", n)
	}
	s, err := h.subs.Remind(ctx, h.who, added.Subscriber.ID)
	must(t, err)
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'account_link'`); n != 1 || s.RemindedAt.IsZero() {
		t.Errorf("%d mails, reminded at %v", n, s.RemindedAt)
	}
	s, err = h.subs.Remove(ctx, h.who, added.Subscriber.ID)
	must(t, err)
	if rec := h.get(added.Purchase.ID); s.Status != subscription.Inactive || s.Why != "removed" ||
		rec.Status != purchase.Cancelled {
		t.Errorf("%s (%s), the purchase is %s", s.Status, s.Why, rec.Status)
	}
	if _, err := h.subs.Remove(ctx, h.who, added.Subscriber.ID); !fault.HasCode(err, "subscriber_wrong_status") {
		t.Errorf("again: %v", err)
	}
	if _, err := h.subs.SetSubscriberPaused(ctx, h.who, added.Subscriber.ID, true); !fault.HasCode(err,
		"subscriber_wrong_status") {
		t.Errorf("paused: %v", err)
	}
}

func TestWhoseFirstDebitCameBackIsAskedForAnotherAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	added := h.add(h.template(subscription.Default()), h.client())
	h.to(day(time.February, 3).At(10, 0))
	h.give(added.Purchase, "4000009002") // not enough money, each time
	h.to(day(time.February, 12).At(10, 0))
	if rec := h.get(added.Purchase.ID); rec.Status != purchase.Failed {
		t.Fatalf("the first debit: %s", rec.Status)
	}
	s, err := h.subs.Remind(ctx, h.who, added.Subscriber.ID)
	must(t, err)
	fresh := h.get(s.FirstPurchaseID)
	if fresh.ID == added.Purchase.ID || fresh.TotalCents != added.Purchase.TotalCents ||
		h.get(added.Purchase.ID).Status != purchase.Cancelled {
		t.Fatalf("asked anew with %+v", fresh.Purchase)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'account_link'`, fresh.ID); n != 1 {
		t.Errorf("%d mails with the new link", n)
	}
	h.give(&fresh, "4000000000")
	h.to(day(time.April, 25).At(10, 0))
	if s = h.sub(s.ID); s.Status != subscription.Active || s.TokenID != fresh.ID {
		t.Errorf("%+v", s)
	}
	if got := h.billed(s.ID); len(got) < 2 || got[0].Status != "paid" || s.Passed != len(got) {
		t.Errorf("billed %+v, passed %d", got, s.Passed)
	}
}
