package subscription_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

func TestTwoWorkersBillEachPeriodOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	const many = 60
	for i := range many {
		clientID, _ := h.stored("4000000000")
		h.add(tpl, clientID, firstOn(day(time.February, 3+i%2)))
	}
	must(t, h.store.Clock.MoveTo(ctx, day(time.February, 4).At(0, 0)))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := h.worker().Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, of := range []string{`SELECT count(*) FROM purchases WHERE subscriber_id IS NOT NULL`,
		`SELECT count(*) FROM billing_periods`,
		`SELECT count(DISTINCT subscriber_id) FROM purchases WHERE subscriber_id IS NOT NULL`,
		`SELECT count(*) FROM collections`,
		`SELECT sum(passed)::bigint FROM template_clients`} {
		if n := h.number(of); n != many {
			t.Errorf("%s: %d, want %d", of, n, many)
		}
	}
	if n, err := h.subs.Run(ctx); n != 0 || err != nil {
		t.Errorf("a further run did %d: %v", n, err)
	}
	if late, err := h.subs.Overdue(ctx); late || err != nil {
		t.Errorf("overdue: %v %v", late, err)
	}
	if at, found, err := h.subs.NextDue(ctx); !found || err != nil || !at.Equal(day(time.March, 3).At(0, 0)) {
		t.Errorf("next: %v %v %v", at, found, err)
	}
}

func TestThePeriodKeyRefusesASecondPurchase(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, _ := h.stored("4000000000")
	sub := h.add(h.template(subscription.Default()), clientID, firstOn(day(time.February, 3))).Subscriber
	h.jump(day(time.February, 3).At(0, 0))
	// As if a worker had died before it moved the subscriber on.
	h.exec(`UPDATE template_clients SET next_at = $2, next_on = '2027-02-03', cycle = 0 WHERE id = $1`, sub.ID,
		h.store.Now())
	if _, err := h.subs.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := h.issued(sub.ID); !slices.Equal(got, []string{"2027-02-03"}) {
		t.Errorf("billed %v", got)
	}
}

func TestWhatWasMissedWhilePausedIsNotBilled(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	a := h.add(tpl, clientID, firstOn(day(time.February, 10))).Subscriber
	b := h.add(tpl, clientID, firstOn(day(time.February, 12))).Subscriber
	h.jump(day(time.February, 12).At(9, 0))
	_, err := h.subs.SetSubscriberPaused(ctx, h.who, a.ID, true)
	must(t, err)
	h.jump(day(time.March, 11).At(9, 0)) // the 10th passes for a
	_, err = h.subs.SetSubscriberPaused(ctx, h.who, a.ID, false)
	must(t, err)
	_, err = h.subs.SetPaused(ctx, h.who, tpl.ID, true)
	must(t, err)
	h.jump(day(time.April, 11).At(9, 0)) // the 12th of March and the 10th of April pass for all
	_, err = h.subs.SetPaused(ctx, h.who, tpl.ID, false)
	must(t, err)
	h.jump(day(time.May, 13).At(9, 0))
	if got := h.issued(a.ID); !slices.Equal(got, []string{"2027-02-10", "2027-05-10"}) {
		t.Errorf("a: %v", got)
	}
	if got := h.issued(b.ID); !slices.Equal(got, []string{"2027-02-12", "2027-04-12", "2027-05-12"}) {
		t.Errorf("b: %v", got)
	}
	periods, err := h.subs.Periods(ctx, h.who, a.ID)
	must(t, err)
	var skipped []string
	for _, p := range periods {
		skipped = append(skipped, p.StartsOn.String()+p.Skipped)
	}
	if want := []string{"2027-05-10", "2027-04-10paused_template", "2027-03-10paused_client",
		"2027-02-10"}; !slices.Equal(skipped, want) {
		t.Errorf("periods %v", skipped)
	}
	if s := h.sub(a.ID); s.Passed != 2 || s.Cycle != 4 || s.NextOn != day(time.June, 10) {
		t.Errorf("a passed %d of %d, next on %s", s.Passed, s.Cycle, s.NextOn)
	}
}

func TestASubscriptionEndsAfterItsCycles(t *testing.T) {
	t.Parallel()
	h := open(t)
	plan, two := subscription.Default(), 2
	plan.Cycles = &two
	clientID, _ := h.stored("4000000000")
	added := h.add(h.template(plan), clientID)
	if added.Purchase == nil || added.Purchase.Status != purchase.PendingCharge || added.Subscriber.Passed != 1 {
		t.Fatalf("added %+v", added)
	}
	h.jump(day(time.June, 1).At(9, 0))
	if s := h.sub(added.Subscriber.ID); s.Status != subscription.Inactive || s.Why != "cycles" || s.Passed != 2 ||
		!s.NextAt.IsZero() {
		t.Errorf("%+v", s)
	}
	if got := h.issued(added.Subscriber.ID); !slices.Equal(got, []string{"2027-02-01", "2027-03-01"}) {
		t.Errorf("billed %v", got)
	}
}

func TestAfterAnOutageEachMissedDateIsBilledOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	plan := subscription.Default()
	plan.Units = subscription.Days
	clientID, _ := h.stored("4000000000")
	sub := h.add(h.template(plan), clientID).Subscriber
	h.jump(day(time.February, 5).At(15, 0))
	if got := h.issued(sub.ID); !slices.Equal(got, []string{"2027-02-01", "2027-02-02", "2027-02-03", "2027-02-04",
		"2027-02-05"}) {
		t.Errorf("billed %v", got)
	}
}

func TestASubscriberHasItsOwnPrice(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	debt, total := int64(500), int64(7700)
	a := h.add(tpl, clientID, func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{DebtCents: &debt}
	})
	b := h.add(tpl, clientID, func(in *subscription.SubscriberInput) {
		in.Override, in.Reference = &subscription.Override{TotalOverrideCents: &total}, "Family"
	})
	if a.Purchase.TotalCents != 10500 || b.Purchase.TotalCents != 7700 || b.Purchase.Reference != "Family" {
		t.Errorf("totals %d and %d, reference %q", a.Purchase.TotalCents, b.Purchase.TotalCents, b.Purchase.Reference)
	}
	if c := b.Purchase.Collection; c.AmountCents != 7700 {
		t.Errorf("%d cents would be debited", c.AmountCents)
	}
	below := int64(-20000)
	_, err := h.subs.Add(ctx, h.who, tpl.ID, subscription.SubscriberInput{ClientID: clientID,
		Override: &subscription.Override{DebtCents: &below}})
	if !fault.HasCode(err, "min_value") {
		t.Errorf("a price below 0: %v", err)
	}
	free := int64(0)
	c := h.add(tpl, clientID, firstOn(day(time.February, 3)), func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{TotalOverrideCents: &free}
	}).Subscriber
	h.jump(day(time.February, 3).At(9, 0))
	if s := h.sub(c.ID); s.Passed != 1 || len(h.billed(c.ID)) != 0 {
		t.Errorf("a free period: %+v", s)
	}
}

func TestAFailureAtTheBankBecomesAPayableInvoice(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	poor, _ := h.stored("4000009002") // never enough money
	on := h.add(tpl, poor)
	off := h.add(tpl, poor, func(in *subscription.SubscriberInput) { in.Switches.InvoiceOnChargeFailure = false })
	returned, _ := h.stored("4000009500") // returned after it was paid
	late := h.add(tpl, returned)
	h.to(day(time.February, 20).At(9, 0))
	for name, p := range map[string]*purchase.Record{"unpaid": on.Purchase, "returned": late.Purchase} {
		rec := h.get(p.ID)
		n := len(rec.History)
		if rec.Status != purchase.Sent || rec.History[n-2].Status != purchase.Failed || !rec.PassAt.IsZero() ||
			rec.Payment != nil || !rec.Payable(h.store.Now()) {
			t.Errorf("%s: %s, history %v, pass at %v", name, rec.Status, rec.History, rec.PassAt)
		}
		if n := h.number(`SELECT count(*) FROM invoices WHERE purchase_id = $1`, p.ID); n != 1 {
			t.Errorf("%s: %d invoices", name, n)
		}
		if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'debit_failed' AND state = 'sent'`,
			p.ID); n != 1 {
			t.Errorf("%s: %d mails", name, n)
		}
	}
	if rec := h.get(off.Purchase.ID); rec.Status != purchase.Failed {
		t.Errorf("without the switch: %s", rec.Status)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1`, off.Purchase.ID); n != 0 {
		t.Errorf("without the switch: %d mails", n)
	}
}

func TestADeletedAccountIsAskedForByInvoice(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, tokenID := h.stored("4000000000")
	on := h.add(tpl, clientID, firstOn(day(time.February, 10))).Subscriber
	off := h.add(tpl, clientID, firstOn(day(time.February, 10)),
		func(in *subscription.SubscriberInput) { in.Switches.InvoiceOnChargeFailure = false }).Subscriber
	must(t, h.deletions.DeleteToken(ctx, h.program(), clientID, tokenID))
	h.to(day(time.February, 10).At(9, 0))
	if got := h.billed(on.ID); len(got) != 1 || got[0].Status != "sent" {
		t.Errorf("with the switch: %+v", got)
	}
	if got := h.billed(off.ID); len(got) != 1 || got[0].Status != "error" {
		t.Errorf("without: %+v", got)
	}
	periods, err := h.subs.Periods(ctx, h.who, on.ID)
	must(t, err)
	rec := h.get(periods[0].PurchaseID)
	if len(rec.Attempts) != 1 || rec.Attempts[0].Error.Code != "recurring_token_expired" ||
		rec.History[1].Status != purchase.Failed {
		t.Errorf("attempts %+v, history %v", rec.Attempts, rec.History)
	}
	// The payer gives another account on that invoice's page: it is charged from then on.
	h.give(&rec, "4000000000")
	h.to(day(time.March, 10).At(9, 0))
	if s := h.sub(on.ID); s.TokenID != rec.ID {
		t.Errorf("charged on %s, want %s", s.TokenID, rec.ID)
	}
	if got := h.billed(on.ID); len(got) != 2 || got[0].Status != "paid" || got[1].Status != "pending_charge" {
		t.Errorf("then: %+v", got)
	}
}

func TestAWaitingChargeThatLosesItsAccountIsInvoiced(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID := h.stored("4000000000")
	p := h.add(h.template(subscription.Default()), clientID).Purchase
	must(t, h.deletions.DeleteToken(ctx, h.program(), clientID, tokenID))
	rec := h.get(p.ID)
	if rec.Status != purchase.Sent || rec.PassAt.IsZero() {
		t.Errorf("%s, pass at %v", rec.Status, rec.PassAt)
	}
}

func TestAClientWhoIsDeletedIsBilledNoMore(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	active := h.add(tpl, clientID, firstOn(day(time.February, 10))).Subscriber
	must(t, h.clients.Delete(ctx, h.who, clientID))
	h.jump(day(time.March, 10).At(9, 0))
	if s := h.sub(active.ID); s.Status != subscription.Inactive || s.Why != "client_deleted" ||
		len(h.billed(active.ID)) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestATemplateThatIsDeletedEndsItsSubscriptions(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	added := h.add(tpl, clientID)
	must(t, h.subs.Delete(ctx, h.who, tpl.ID))
	h.jump(day(time.April, 10).At(9, 0))
	if s := h.sub(added.Subscriber.ID); s.Status != subscription.Inactive || s.Why != "template_deleted" {
		t.Errorf("%+v", s)
	}
	if rec := h.get(added.Purchase.ID); rec.Status != purchase.PendingCharge {
		t.Errorf("the purchase that was made: %s", rec.Status)
	}
	if _, err := h.subs.Get(ctx, h.who, tpl.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("found: %v", err)
	}
}

func TestASubscriberOfATemplateThatIsDeletedAtThatMomentEndsToo(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, _ := h.stored("4000000000")
	for range 25 {
		tpl := h.template(subscription.Default())
		var added subscription.Added
		var refused, kept error
		var both sync.WaitGroup
		both.Go(func() {
			added, refused = h.subs.Add(ctx, h.who, tpl.ID, subscription.SubscriberInput{ClientID: clientID})
		})
		both.Go(func() { kept = h.subs.Delete(ctx, h.who, tpl.ID) })
		both.Wait()
		must(t, kept)
		switch {
		case fault.Is(refused, fault.NotFound):
		case refused != nil:
			t.Fatal(refused)
		default:
			if s := h.sub(added.Subscriber.ID); s.Status != subscription.Inactive {
				t.Fatalf("%s on a template that is gone", s.Status)
			}
		}
	}
}

func TestThePayerStopsASubscription(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, _ := h.stored("4000000000")
	added := h.add(h.template(subscription.Default()), clientID)
	h.exec(
		`INSERT INTO webhooks (id, merchant_id, title, callback, all_events, events, public_key,
			private_key, created_at, updated_at)
		VALUES (gen_random_uuid(), $1, 'Till', 'https://till.example', true, '{}', '', '', now(), now())`,
		h.who.MerchantID,
	)
	payer := actor.PayerOf(h.who.MerchantID, "Nomsa Dlamini", "", "")
	for range 2 { // a second click changes nothing
		s, err := h.subs.CancelByClient(ctx, payer, added.Purchase.ID)
		must(t, err)
		if s.Status != subscription.Paused || s.Why != "payer" {
			t.Errorf("%+v", s)
		}
	}
	if n := h.number(
		`SELECT count(*) FROM events e JOIN deliveries d USING (seq)
			WHERE e.type = 'billing_template_client.subscription_billing_cancelled' AND e.object_id = $1
		AND e.snapshot::text NOT LIKE '%sealed%'`,
		added.Subscriber.ID,
	); n != 1 {
		t.Errorf("%d events are on their way", n)
	}
	var kept []byte
	must(t, h.store.Pool.QueryRow(ctx, `SELECT snapshot FROM events WHERE object_id = $1`,
		added.Subscriber.ID).Scan(&kept))
	if s, err := h.subs.Store.Snapshot(kept); err != nil || s.ID != added.Subscriber.ID ||
		s.Status != subscription.Paused || s.ClientID != clientID || s.CreatedAt.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	h.jump(day(time.March, 2).At(9, 0))
	if got := h.billed(added.Subscriber.ID); len(got) != 1 {
		t.Errorf("billed %v", got)
	}
	plain, err := h.purchases.Create(ctx, h.who, purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: money.ZAR,
		Details: one(100)})
	must(t, err)
	if _, err := h.subs.CancelByClient(ctx, payer, plain.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a purchase of no subscription: %v", err)
	}
	if _, _, known, err := h.subs.SubscriptionOf(ctx, plain.ID); known || err != nil {
		t.Errorf("known %v, %v", known, err)
	}
	tpl, s, known, err := h.subs.SubscriptionOf(ctx, added.Purchase.ID)
	if !known || err != nil || tpl.Title != "Membership" || s.ID != added.Subscriber.ID {
		t.Errorf("%v %v %v", tpl.Title, s.ID, err)
	}
}

func TestANewAccountThatTakesOverIsChargedFromThenOn(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, old := h.stored("4000000000")
	sub := h.add(h.template(subscription.Default()), clientID, firstOn(day(time.February, 10))).Subscriber
	most := int64(12000)
	a, err := h.amendments.Amend(ctx, h.who, old, amendment.Revision{Method: purchase.DebiCheck, PriceCents: 10000,
		DirectDebit: purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: "VARIABLE", AuthenticationType: "REALTIME",
			DebitSequence:      "RCUR",
			AdjustmentCategory: "NEVER", MaxAmountCents: &most, AllowDateAdjustment: true}},
		Account: &purchase.Account{FullName: "Nomsa Dlamini", IDNumber: "8001015009087", Phone: "0821234567",
			BankCode: "632005", AccountNumber: "4000000000", AccountType: bank.Current}})
	must(t, err)
	h.to(h.store.Now().Add(2 * time.Minute)) // the payer accepts
	_, err = h.amendments.TakeOver(ctx, h.who, a.ID, amendment.Agreed{})
	must(t, err)
	if s := h.sub(sub.ID); s.TokenID != a.NewID || s.TokenID == old {
		t.Errorf("charged on %s, want %s", s.TokenID, a.NewID)
	}
	h.jump(day(time.February, 10).At(1, 0))
	periods, err := h.subs.Periods(ctx, h.who, sub.ID)
	must(t, err)
	if rec := h.get(periods[0].PurchaseID); rec.TokenID != a.NewID || rec.Status != purchase.PendingCharge {
		t.Errorf("%s on %s", rec.Status, rec.TokenID)
	}
}

func TestAStrangerFindsNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	sub := h.add(tpl, clientID).Subscriber
	stranger, _ := h.merchant("stranger")
	for name, err := range map[string]error{
		"get":    second(h.subs.Get(ctx, stranger, tpl.ID)),
		"update": second(h.subs.Update(ctx, stranger, tpl.ID, h.asked(subscription.Default()))),
		"pause":  second(h.subs.SetPaused(ctx, stranger, tpl.ID, true)),
		"delete": h.subs.Delete(ctx, stranger, tpl.ID),
		"add":    second(h.subs.Add(ctx, stranger, tpl.ID, subscription.SubscriberInput{ClientID: clientID})),
		"list":   second(h.subs.Subscribers(ctx, stranger, tpl.ID, subscription.SubscriberFilter{}, paging.Ask{Limit: 5})),
		"one":    second(h.subs.Subscriber(ctx, stranger, tpl.ID, sub.ID)),
		"change": second(h.subs.Change(ctx, stranger, tpl.ID, sub.ID, func(*subscription.SubscriberInput) {})),
		"halt":   second(h.subs.SetSubscriberPaused(ctx, stranger, sub.ID, true)),
		"remind": second(h.subs.Remind(ctx, stranger, sub.ID)),
		"remove": second(h.subs.Remove(ctx, stranger, sub.ID)),
		"past":   second(h.subs.Periods(ctx, stranger, sub.ID)),
	} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	staff := h.who
	staff.Role = actor.Staff
	if err := second(h.subs.Create(ctx, staff, h.asked(subscription.Default()))); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
