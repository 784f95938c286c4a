package subscription_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

// second stores another account of a client.
func (h *house) second(clientID uuid.UUID) uuid.UUID {
	h.t.Helper()
	rec, err := h.purchases.Create(ctx, h.who, purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: "ZAR",
		Details: one(0), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	must(h.t, err)
	return rec.ID
}

func (h *house) impact(tokenID uuid.UUID) deletion.Impact {
	h.t.Helper()
	all, err := h.deletions.DeletionImpacts(ctx, h.who, []uuid.UUID{tokenID})
	must(h.t, err)
	return all[0]
}

// deletes deletes a token from the dashboard, with choices by id.
func (h *house) deletes(tokenID uuid.UUID, want map[uuid.UUID]deletion.Choice) deletion.Deletion {
	h.t.Helper()
	d, err := h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{tokenID}, Choices: want})
	must(h.t, err)
	return d
}

func (h *house) mails() int64 { return h.number(`SELECT count(*) FROM mails`) }

// running is a subscriber with a debit that is planned, and another that has none.
func (h *house) running() (clientID, tokenID uuid.UUID, with, without subscription.Subscriber, planned uuid.UUID) {
	h.t.Helper()
	tpl := h.template(subscription.Default())
	clientID, tokenID = h.stored("4000000000")
	added := h.add(tpl, clientID)
	return clientID, tokenID, added.Subscriber, h.add(tpl, clientID, firstOn(day(time.February, 10))).Subscriber,
		added.Purchase.ID
}

func TestTheImpactNamesEachDebitAndSubscriptionWithItsDate(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, with, without, planned := h.running()
	other := h.second(clientID)
	i := h.impact(tokenID)
	if len(i.Uses) != 3 || i.Debits() != 1 || i.Subscriptions() != 2 || i.Cents() != 10000 {
		t.Fatalf("%d uses: %v", len(i.Uses), i.Lines())
	}
	booked := h.get(planned).Collection.ActionDate.Format("Mon 2 Jan 2006")
	for n, words := range []string{"R\u00a0100,00 on " + booked, "billed next on Mon 1 Mar 2027",
		"billed next on Wed 10 Feb 2027"} {
		if !strings.Contains(i.Uses[n].Name(), words) {
			t.Errorf("%q does not say %q", i.Uses[n].Name(), words)
		}
	}
	if got := []uuid.UUID{i.Uses[0].ID(), i.Uses[1].ID(), i.Uses[2].ID()}; got[0] != planned ||
		!slices.Contains(got, with.ID) || !slices.Contains(got, without.ID) {
		t.Errorf("uses %v", got)
	}
	var offered []string
	for _, u := range i.Uses[:2] {
		for _, e := range u.Options {
			offered = append(offered, string(e.Do))
			if e.Do == deletion.UseOther && e.To != other {
				t.Errorf("moves to %s", e.To)
			}
		}
	}
	if want := []string{"drop", "move", "ask", "cancel", "pause", "move", "ask", "invoice",
		"cancel"}; !slices.Equal(offered, want) {
		t.Errorf("offered %v, want %v", offered, want)
	}
}

// Without a choice the least harmful happens: nothing is debited, billed or mailed.
func TestWithoutAChoiceNothingIsMailedAndTheSubscriptionPauses(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, tokenID, with, without, planned := h.running()
	before := h.mails()
	d := h.deletes(tokenID, nil)
	if s := h.sub(without.ID); !s.Held() || s.Status != subscription.Active {
		t.Errorf("while it can be undone: %+v", s)
	}
	h.to(d.Until)
	for _, sub := range []subscription.Subscriber{with, without} {
		if s := h.sub(sub.ID); s.Status != subscription.Paused || s.Why != subscription.WhyDeleted {
			t.Errorf("the subscription is %s %s", s.Status, s.Why)
		}
	}
	if rec := h.get(planned); rec.Status != purchase.Failed || rec.Collection.State != collection.Cancelled {
		t.Errorf("the purchase is %s, its debit %s", rec.Status, rec.Collection.State)
	}
	h.to(day(time.April, 12).At(9, 0))
	if n := h.mails(); n != before {
		t.Errorf("%d mails went out that nobody named", n-before)
	}
	if n := h.number(
		`SELECT count(*) FROM audit_entries WHERE action = 'token.deleted' AND jsonb_array_length(after->'effects') = 4`,
	); n != 1 {
		t.Error("the audit does not keep the effects")
	}
}

func TestWhatIsChosenHappensWithTheDeletion(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, with, without, planned := h.running()
	other := h.second(clientID)
	want := map[uuid.UUID]deletion.Choice{planned: {Do: deletion.UseOther, To: other},
		with.ID: {Do: deletion.UseOther, To: other}, without.ID: {Do: deletion.Cancel}}
	d := h.deletes(tokenID, want)
	if rec := h.get(planned); rec.TokenID != tokenID {
		t.Error("moved before the deletion is final")
	}
	h.to(d.Until)
	rec := h.get(planned)
	if rec.Status != purchase.PendingCharge || rec.TokenID != other || rec.Collection.TokenID != other ||
		rec.Collection.State != collection.Scheduled {
		t.Errorf("%s from %s, debit %+v", rec.Status, rec.TokenID, rec.Collection)
	}
	if s := h.sub(with.ID); s.TokenID != other || s.Status != subscription.Active || s.Unfunded() {
		t.Errorf("moved: %+v", s)
	}
	if s := h.sub(without.ID); s.Status != subscription.Inactive || s.Why != subscription.WhyDeleted {
		t.Errorf("cancelled: %+v", s)
	}
	h.to(day(time.March, 20).At(9, 0))
	if got := h.billed(with.ID); len(got) != 2 || got[0].Status != "paid" {
		t.Errorf("billed: %+v", got)
	}
}

func TestTheClientIsAskedAndTheSubscriptionGoesOnWithTheNewAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, tokenID, _, without, planned := h.running()
	before := h.mails()
	d := h.deletes(tokenID, map[uuid.UUID]deletion.Choice{planned: {Do: deletion.Ask}, without.ID: {Do: deletion.Ask}})
	if h.mails() != before {
		t.Error("mailed before the deletion is final")
	}
	h.to(d.Until)
	if n := h.mails(); n != before+2 {
		t.Errorf("%d mails, want the invoice and the link", n-before)
	}
	if rec := h.get(planned); rec.Status != purchase.Sent {
		t.Errorf("the purchase is %s", rec.Status)
	}
	s := h.sub(without.ID)
	if s.Status != subscription.Paused || s.Why != subscription.WhyAsked || !s.AsksForAccount() {
		t.Fatalf("asked: %+v", s)
	}
	_, err := h.subs.Remind(ctx, h.who, s.ID)
	must(t, err)
	link := h.get(s.FirstPurchaseID)
	h.give(&link, "4000000000")
	h.to(h.store.Now().Add(time.Minute))
	if s = h.sub(s.ID); s.Status != subscription.Active || s.TokenID != link.ID || s.Account != token.Active ||
		s.NextOn.IsZero() {
		t.Fatalf("after the account was given: %+v", s)
	}
	h.to(s.NextOn.At(9, 0))
	if got := h.billed(s.ID); len(got) == 0 || got[len(got)-1].Status != "pending_charge" {
		t.Errorf("billed: %+v", got)
	}
}

func TestUndoTakesBackEverythingThatWasChosen(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, with, without, planned := h.running()
	other := h.second(clientID)
	sub, rec, before := h.sub(with.ID), h.get(planned), h.mails()
	d := h.deletes(tokenID, map[uuid.UUID]deletion.Choice{planned: {Do: deletion.UseOther, To: other},
		with.ID: {Do: deletion.Cancel}, without.ID: {Do: deletion.Ask}})
	h.to(d.Until.Add(-time.Minute))
	_, err := h.deletions.Undo(ctx, h.who, d.ID)
	must(t, err)
	h.to(d.Until.Add(time.Hour))
	if now := h.sub(with.ID); now.Status != sub.Status || now.TokenID != sub.TokenID || now.Version != sub.Version ||
		now.Account != token.Active {
		t.Errorf("the subscription was %+v and is %+v", sub, now)
	}
	if now := h.get(planned); now.TokenID != rec.TokenID || now.Collection.ID != rec.Collection.ID ||
		now.Collection.ActionDate != rec.Collection.ActionDate {
		t.Errorf("the debit was %+v and is %+v", rec.Collection, now.Collection)
	}
	if h.mails() != before {
		t.Error("a mail went out")
	}
}

// A period that begins while the deletion can be undone waits: it is billed after the
// undo, and as was chosen after the deletion.
func TestAPeriodThatBeginsInTheTenMinutesWaits(t *testing.T) {
	t.Parallel()
	for _, undone := range []bool{true, false} {
		h := open(t)
		_, tokenID, _, without, _ := h.running()
		h.to(day(time.February, 9).At(23, 55))
		d := h.deletes(tokenID, nil)
		h.to(day(time.February, 10).At(0, 2))
		if got := h.billed(without.ID); len(got) != 0 {
			t.Fatalf("billed while the account is being deleted: %+v", got)
		}
		if undone {
			_, err := h.deletions.Undo(ctx, h.who, d.ID)
			must(t, err)
		}
		h.to(d.Until.Add(time.Minute))
		if got := h.billed(without.ID); undone && (len(got) != 1 || got[0].Status != "pending_charge") || !undone &&
			len(got) != 0 {
			t.Errorf("undone %v: %+v", undone, got)
		}
	}
}

func TestWhatIsNotPossibleAnyMoreBecomesTheLeastHarmful(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, with, _, planned := h.running()
	other := h.second(clientID)
	want := map[uuid.UUID]deletion.Choice{planned: {Do: deletion.UseOther, To: other},
		with.ID: {Do: deletion.UseOther, To: other}}
	d := h.deletes(tokenID, want)
	h.exec(`UPDATE tokens SET state = 'blocked', blocked_code = '12' WHERE id = $1`, other)
	h.to(d.Until)
	if rec := h.get(planned); rec.Status != purchase.Failed {
		t.Errorf("the purchase is %s", rec.Status)
	}
	if s := h.sub(with.ID); s.Status != subscription.Paused {
		t.Errorf("the subscription is %s", s.Status)
	}
	if n := h.number(
		`SELECT count(*) FROM audit_entries WHERE text LIKE '%What was chosen was no longer possible.%'`); n != 2 {
		t.Errorf("%d entries say so", n)
	}
	_, err := h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{other},
		Choices: map[uuid.UUID]deletion.Choice{planned: {Do: "eat"}}})
	must(t, err) // what does not hang on the account is nobody's choice
}

func TestAChoiceThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, tokenID, with, _, _ := h.running()
	for _, c := range []deletion.Choice{{Do: "eat"}, {Do: deletion.Drop}, {Do: deletion.UseOther, To: tokenID},
		{Do: deletion.UseOther, To: uuid.New()}} {
		_, err := h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{tokenID},
			Choices: map[uuid.UUID]deletion.Choice{with.ID: c}})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	seen := deletion.TotalsOf([]deletion.Impact{h.impact(tokenID)})
	clientID := with.ClientID
	h.second(clientID) // another account: there is more to choose from
	_, err := h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{tokenID}, Seen: &seen})
	if !fault.HasCode(err, "stakes_grew") {
		t.Errorf("it reads otherwise than it was seen: %v", err)
	}
}

func TestBillingAndADeletionAtOnceMailNothingUnnamed(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	for range 8 {
		clientID, tokenID := h.stored("4000000000")
		sub := h.add(tpl, clientID, firstOn(day(time.February, 10))).Subscriber
		h.exec(`UPDATE template_clients SET next_at = $2 WHERE id = $1`, sub.ID, h.store.Now())
		before := h.mails()
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := h.worker().Run(ctx); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() { h.deletes(tokenID, nil) })
		both.Wait()
		if got := h.billed(sub.ID); len(got) > 1 || len(got) == 1 && got[0].Status != "pending_charge" ||
			h.mails() != before {
			t.Errorf("billed %+v, %d mails", got, h.mails()-before)
		}
	}
	h.to(h.store.Now().Add(deletion.UndoTime))
	if n := h.number(`SELECT count(*) FROM template_clients WHERE status = 'active'`); n != 0 {
		t.Errorf("%d subscriptions run without an account", n)
	}
}

func TestTwoDeletionsOfOneTokenAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	h := open(t)
	for range 5 {
		_, tokenID, with, without, planned := h.running()
		var both sync.WaitGroup
		var wrong [2]error
		for n, c := range []deletion.Do{deletion.Ask, deletion.Cancel} {
			both.Go(func() {
				_, wrong[n] = h.deletions.StartDeletion(ctx, h.who, deletion.DeletionInput{Tokens: []uuid.UUID{tokenID},
					Choices: map[uuid.UUID]deletion.Choice{planned: {Do: c}, with.ID: {Do: c}, without.ID: {Do: c}}})
			})
		}
		both.Wait()
		if (wrong[0] == nil) == (wrong[1] == nil) {
			t.Fatalf("%v, %v", wrong[0], wrong[1])
		}
		h.to(h.store.Now().Add(deletion.UndoTime))
		status, why := purchase.Sent, subscription.Paused
		if wrong[0] != nil {
			status, why = purchase.Cancelled, subscription.Inactive
		}
		if rec := h.get(planned); rec.Status != status || h.sub(with.ID).Status != why || h.sub(without.ID).Status != why {
			t.Errorf("%s, %s, %s", rec.Status, h.sub(with.ID).Status, h.sub(without.ID).Status)
		}
	}
}

// A deletion by the API asks nobody: the switches of the subscriber decide.
func TestADeletionByTheAPILeavesTheSubscriptionToItsSwitches(t *testing.T) {
	t.Parallel()
	h := open(t)
	clientID, tokenID, _, without, planned := h.running()
	must(t, h.deletions.DeleteToken(ctx, h.program(), clientID, tokenID))
	if rec := h.get(planned); rec.Status != purchase.Sent {
		t.Errorf("the purchase is %s", rec.Status)
	}
	if s := h.sub(without.ID); s.Status != subscription.Active || !s.Unfunded() {
		t.Errorf("%+v", s)
	}
}
