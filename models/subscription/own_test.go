package subscription_test

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// debiCheck is a template of R100 a period whose mandates have a value type and a maximum.
func (h *house) debiCheck(value string, most int64) subscription.Template {
	h.t.Helper()
	in := h.asked(subscription.Default())
	in.Pattern.Options.Whitelist = []string{"debicheck"}
	in.Pattern.DirectDebit = &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: value,
		AuthenticationType: "DELAYED", DebitSequence: "RCUR", AdjustmentCategory: "NEVER", MaxAmountCents: &most,
		AllowDateAdjustment: true}}
	t, err := h.subs.Create(ctx, h.who, in)
	must(h.t, err)
	return t
}

func own(fields map[string]any) func(*subscription.SubscriberInput) {
	return func(in *subscription.SubscriberInput) { in.Debit.Fields = fields }
}

func first(cents int64) func(*subscription.SubscriberInput) {
	return func(in *subscription.SubscriberInput) { in.First = &cents }
}

// wrongWith is what adding a client to a template is refused for.
func (h *house) wrongWith(t subscription.Template, change ...func(*subscription.SubscriberInput)) (found []string) {
	h.t.Helper()
	in := subscription.SubscriberInput{ClientID: h.client(), Switches: mails}
	for _, c := range change {
		c(&in)
	}
	_, err := h.subs.Add(ctx, h.who, t.ID, in)
	refusal, _ := fault.From(err)
	if err == nil {
		return nil
	}
	for _, f := range refusal.Fields {
		found = append(found, f.Path+"="+f.Code)
	}
	slices.Sort(found)
	return found
}

func TestASubscribersOwnTermsWinFieldByField(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.debiCheck("VARIABLE", 15000)
	added := h.add(tpl, h.client(), own(map[string]any{"max_amount_cents": int64(12000), "tracking_period": int64(3),
		"allow_date_adjustment": false}))
	asked := added.Purchase.Details.DirectDebit.Terms
	if asked.MaxAmountCents != 12000 || asked.ValueType != mandate.Variable || asked.AllowDateAdjustment ||
		asked.Authentication != mandate.Delayed {
		t.Errorf("the client is asked for %+v", asked)
	}
	h.give(added.Purchase, "4000000000")
	h.to(day(time.March, 20).At(9, 0))
	if n := h.number(`SELECT count(*) FROM mandates WHERE terms ->> 'max_amount_cents' = '12000'`); n != 1 {
		t.Errorf("%d mandates at the bank have the client’s own maximum", n)
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE tracking_days <> 3`); n != 0 {
		t.Errorf("%d debits are tracked for other days than the subscriber’s", n)
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE tracking_days = 3`); n < 2 {
		t.Errorf("%d debits ran", n)
	}
}

func TestATemplateWithoutTermsTakesASubscriberWhoBringsThemAll(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	all := map[string]any{"value_type": "USAGEBASED", "authentication_type": "DELAYED", "adjustment_category": "NEVER",
		"max_amount_cents": int64(50000)}
	added := h.add(tpl, h.client(), own(all))
	if dd := added.Purchase.Details.DirectDebit; added.Purchase.Method != "debicheck" || dd.Terms == nil ||
		dd.Terms.MaxAmountCents != 50000 || dd.Terms.DebitSequence != mandate.Recurring || dd.ProfileCode != "TEST1" {
		t.Errorf("asked by %q for %+v", added.Purchase.Method, dd)
	}
	for name, c := range map[string]struct {
		fields map[string]any
		want   []string
	}{
		"half": {map[string]any{"max_amount_cents": int64(50000)}, []string{"subscription_adjustment_category=required",
			"subscription_authentication_type=required", "subscription_value_type=required"}},
		"a fixed maximum above the price": {map[string]any{"value_type": "FIXED", "authentication_type": "DELAYED",
			"adjustment_category": "NEVER", "max_amount_cents": int64(50000)},
			[]string{"subscription_max_amount_cents=max_value"}},
		"another profile": {map[string]any{"creditor_profile_code": "NOBODYS"},
			[]string{"subscription_creditor_profile_code=does_not_exist"}},
		"too many repeats": {map[string]any{"realtime_auth_retries": int64(3)},
			[]string{"subscription_realtime_auth_retries=max_value"}},
	} {
		if got := h.wrongWith(tpl, own(c.fields)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	byEFT := func(in *subscription.SubscriberInput) { in.Whitelist = []string{"eft"} }
	if got := h.wrongWith(tpl, own(map[string]any{"value_type": "FIXED"}), byEFT); !slices.Equal(got,
		[]string{"subscription_value_type=invalid"}) {
		t.Errorf("by EFT: %v", got)
	}
	if got := h.wrongWith(tpl, own(map[string]any{"tracking_period": int64(3)}), byEFT); !slices.Equal(got,
		[]string{"subscription_tracking_period=invalid"}) {
		t.Errorf("tracking by EFT: %v", got)
	}
}

func TestTheAccountThatASubscriberBringsIsAskedFor(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, stored := h.stored("4000000000")
	tpl := h.template(subscription.Default())
	other := func(in *subscription.SubscriberInput) {
		in.Debit.DebtorAccount, in.Debit.DebtorID = "62000000017", "8001015009087"
		in.Debit.Fields = map[string]any{"debtor_branch_code": "250655", "debtor_account_type": "SAVINGS",
			"debtor_first_name": "Sipho", "debtor_last_name": "Nkosi"}
	}
	added := h.add(tpl, clientID, other)
	if who := added.Purchase.Payer; added.Subscriber.TokenID == stored || who.FullName != "Sipho Nkosi" ||
		who.BankAccount.Reveal() != "62000000017" || who.BankCode != "250655" || who.AccountType != bank.Savings {
		t.Errorf("charged on %s, asked of %+v", added.Subscriber.TokenID, who)
	}
	if got := h.wrongWith(tpl, func(in *subscription.SubscriberInput) {
		in.Debit.DebtorID = "8001015009088"
		in.Debit.Fields = map[string]any{"debtor_phone_number": "12"}
	}); len(got) != 2 || got[0] != "subscription_debtor_id_number=invalid" &&
		got[1] != "subscription_debtor_phone_number=invalid" {
		t.Errorf("wrong particulars: %v", got)
	}
}

func TestTheFirstPeriodMayComeToAnotherTotal(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	added := h.add(tpl, clientID, first(4321))
	lines := added.Purchase.Details.Products
	if added.Purchase.TotalCents != 4321 || added.Purchase.Collection.AmountCents != 4321 || len(lines) != 1 ||
		lines[0].Name != "Membership: first period, pro rata" {
		t.Errorf("the first period is %d in %+v", added.Purchase.TotalCents, lines)
	}
	later := h.add(tpl, clientID, first(2500), firstOn(day(time.February, 10)))
	turns, err := h.subs.PlannedOf(ctx, h.who, clientID)
	must(t, err)
	var planned []int64
	for _, turn := range turns {
		if turn.Subscriber.ID == later.Subscriber.ID {
			planned = append(planned, turn.Cents)
		}
	}
	if !slices.Equal(planned, []int64{2500, 10000}) {
		t.Errorf("the plan shows %v", planned)
	}
	h.to(day(time.March, 12).At(9, 0))
	for _, s := range []subscription.Subscriber{added.Subscriber, later.Subscriber} {
		got := h.billed(s.ID)
		if len(got) != 2 || got[1].Cents != 10000 {
			t.Errorf("billed %+v", got)
		}
		if now := h.sub(s.ID); now.FirstCents == nil || now.Override != nil {
			t.Errorf("afterwards %v, %+v", now.FirstCents, now.Override)
		}
	}
}

func TestAFixedMandateTakesNoOtherFirstAmountThanItsPrice(t *testing.T) {
	t.Parallel()
	h := open(t)
	fixed, varies := h.debiCheck("FIXED", 10000), h.debiCheck("VARIABLE", 15000)
	if got := h.wrongWith(fixed, first(5000)); !slices.Equal(got, []string{"subscription_first_amount_cents=invalid"}) {
		t.Errorf("FIXED: %v", got)
	}
	if got := h.wrongWith(varies, first(15001)); !slices.Equal(got,
		[]string{"subscription_first_amount_cents=max_value"}) {
		t.Errorf("above the maximum: %v", got)
	}
	added := h.add(varies, h.client(), first(5000))
	if added.Purchase.TotalCents != 5000 || added.Purchase.Details.DirectDebit.Terms.PriceCents != 10000 {
		t.Errorf("the first debit is %d, the client confirms %+v", added.Purchase.TotalCents,
			added.Purchase.Details.DirectDebit.Terms)
	}
	if got := h.wrongWith(fixed, first(10000)); got != nil {
		t.Errorf("the price itself: %v", got)
	}
}

func TestAChangeReachesWhatIsAskedNextAndNoMandateInForce(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.debiCheck("VARIABLE", 15000)
	added := h.add(tpl, h.client())
	change := func(fields map[string]any) error {
		_, err := h.subs.Change(ctx, h.who, tpl.ID, added.Subscriber.ID,
			func(in *subscription.SubscriberInput) { in.Debit.Fields = fields })
		return err
	}
	must(t, change(map[string]any{"max_amount_cents": int64(11000)}))
	asked := h.get(added.Purchase.ID)
	if most := asked.Details.DirectDebit.Terms.MaxAmountCents; most != 11000 {
		t.Errorf("the client is still asked for a maximum of %d", most)
	}
	h.give(&asked, "4000000000")
	h.to(day(time.February, 20).At(9, 0))
	if s := h.sub(added.Subscriber.ID); s.Status != subscription.Active {
		t.Fatalf("%+v", s)
	}
	err := change(map[string]any{"max_amount_cents": int64(14000)})
	if !fault.HasCode(err, "mandate_in_force") {
		t.Errorf("another maximum than the client confirmed: %v", err)
	}
	must(t, change(map[string]any{"max_amount_cents": int64(11000), "tracking_period": int64(0)}))
	_, err = h.subs.Change(ctx, h.who, tpl.ID, added.Subscriber.ID, first(5000))
	if !fault.HasCode(err, "invalid") {
		t.Errorf("a first amount after the first period: %v", err)
	}
}

func TestEachOrderThatIsToBeConfirmedIsAskedForByInvoice(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	clientID, _ := h.stored("4000000000")
	added := h.add(tpl, clientID, func(in *subscription.SubscriberInput) { in.Switches.ConfirmEachOrder = true })
	h.to(day(time.March, 2).At(9, 0))
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id IN (SELECT id FROM purchases
		WHERE subscriber_id = $1)`, added.Subscriber.ID); n != 0 || len(h.billed(added.Subscriber.ID)) != 2 {
		t.Errorf("%d debits, billed %+v", n, h.billed(added.Subscriber.ID))
	}
}

func TestAnUnansweredRequestIsRepeatedAsOftenAsTheSubscriberSays(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.debiCheck("VARIABLE", 15000)
	added := h.add(tpl, h.client(), own(map[string]any{"authentication_type": "REALTIME",
		"realtime_auth_retries": int64(1)}))
	h.give(added.Purchase, "4000008480") // its client never answers
	h.to(h.store.Now().Add(time.Hour))
	if n := h.number(`SELECT count(*) FROM mandate_authentications WHERE method = 'REALTIME'`); n != 2 {
		t.Errorf("the client was asked %d times", n)
	}
}

func TestAPeriodThatTheMandateDoesNotAllowNeedsAttention(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.debiCheck("FIXED", 10000)
	added := h.add(tpl, h.client())
	h.give(added.Purchase, "4000000000")
	h.to(day(time.February, 20).At(9, 0))
	waits := func() int64 {
		h.t.Helper()
		_, err := h.subs.Run(ctx)
		must(h.t, err)
		return h.number(`SELECT count(*) FROM attention_facts WHERE kind = 'terms' AND object_id = $1`, added.Subscriber.ID)
	}
	if n, s := waits(), h.sub(added.Subscriber.ID); n != 0 || s.Status != subscription.Active || s.Unfit != "" {
		t.Fatalf("%d before anything changed: %+v", n, s)
	}
	in := h.asked(subscription.Default())
	in.Pattern.Details = one(6990)
	in.Pattern.Options.Whitelist = []string{"debicheck"}
	most := int64(6990)
	in.Pattern.DirectDebit = &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: "FIXED",
		AuthenticationType: "DELAYED", DebitSequence: "RCUR", AdjustmentCategory: "NEVER", MaxAmountCents: &most}}
	_, err := h.subs.Update(ctx, h.who, tpl.ID, in)
	must(t, err)
	if n, s := waits(), h.sub(added.Subscriber.ID); n != 1 || s.Unfit == "" {
		t.Errorf("%d after the price changed: %q", n, s.Unfit)
	}
	total := int64(10000)
	_, err = h.subs.Change(ctx, h.who, tpl.ID, added.Subscriber.ID, func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{Products: one(10000).Products, TotalOverrideCents: &total}
	})
	must(t, err)
	if n := waits(); n != 0 {
		t.Error("the old price was agreed, and it still waits")
	}
}

func TestAStoredAccountWhoseMandateDoesNotAllowThePriceIsNotTaken(t *testing.T) {
	t.Parallel()
	h := open(t)
	cheap := h.debiCheck("FIXED", 10000)
	clientID := h.client()
	added := h.add(cheap, clientID)
	h.give(added.Purchase, "4000000000")
	h.to(day(time.February, 20).At(9, 0))
	if s := h.sub(added.Subscriber.ID); s.Status != subscription.Active {
		t.Fatalf("%+v", s)
	}
	dear := int64(6990)
	again := h.add(cheap, clientID, func(in *subscription.SubscriberInput) {
		in.Override = &subscription.Override{Products: one(dear).Products}
	})
	if again.Subscriber.Status != subscription.Pending || again.Purchase == nil {
		t.Errorf("%+v", again.Subscriber)
	}
}
