package debit_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// What the merchant wants no answer to any more stays without one.

func (h *house) withdrawn(p purchase.Record) {
	h.t.Helper()
	for _, later := range []time.Duration{10 * time.Second, 3 * time.Minute, 50 * time.Hour} {
		h.to(h.store.Now().Add(later))
	}
	m, k, now := h.mandateOf(p.ID), h.token(p.ID), h.get(p.ID)
	if m.State != mandate.Cancelled || k.State != token.Deleted || now.IsRecurringToken ||
		now.Status == purchase.PendingExecute {
		h.t.Errorf("mandate %s, token %s, purchase %s", m.State, k.State, now.Status)
	}
	if n := h.number(
		`SELECT count(*) FROM mandate_authentications WHERE mandate_id = $1 AND (state <> 'withdrawn' OR cancel_due)`,
		p.ID); n != 0 {
		h.t.Errorf("%d requests are not withdrawn, or the bank was not told", n)
	}
	if n := h.ledger(p.ID); n != 0 {
		h.t.Errorf("%d cents were collected", n)
	}
}

func TestAClientWhoIsDeletedIsNotAskedAnyMore(t *testing.T) {
	t.Parallel()
	h := amending(t)
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now, Forget: h.forgets}
	c, err := clients.Create(ctx, h.who, client.Input{Details: client.Details{Email: "n@example.org",
		FullName: "N Dlamini", Phone: "+27821234567", PersonalCode: "8501015009086",
		BankAccount: "4000000000", BankCode: "632005", AccountType: bank.Current}})
	must(t, err)
	most := int64(20000)
	p, err := h.purchases.Create(ctx, h.who, purchase.Input{ClientID: c.ID, BrandID: h.brand, Currency: "ZAR",
		Details: one(14900),
		DirectDebit: &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: "VARIABLE", AuthenticationType: "DELAYED",
			DebitSequence:      "RCUR",
			AdjustmentCategory: "NEVER", DelayedOnFailure: true, MaxAmountCents: &most}},
		Options: purchase.Options{Whitelist: []string{"debicheck"}, ForceRecurring: true}})
	must(t, err)
	h.to(start.Add(time.Minute)) // the bank has it
	must(t, clients.Delete(ctx, h.who, c.ID))
	h.withdrawn(p)
}

func TestAnAbandonedAmendmentAsksNobodyAnyMore(t *testing.T) {
	t.Parallel()
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	a := h.amend(old.ID, toDebiCheck("4000008480", 14900, 20000))
	_, err := h.amendments.Abandon(ctx, h.who, a.ID)
	must(t, err)
	h.withdrawn(h.get(a.NewID))
	if h.token(old.ID).State != token.Active {
		t.Error("the old token is not in use any more")
	}
}

func TestTheMandateOfAClientWhoWasDeletedIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	h := amending(t)
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now, Forget: h.forgets}
	ask := asking{account: "4000008002", cents: 14900}.input(h.brand)
	c, err := clients.Create(ctx, h.who, client.Input{Details: *ask.Client})
	must(t, err)
	ask.Client, ask.ClientID = nil, c.ID
	p, err := h.purchases.Create(ctx, h.who, ask)
	must(t, err)
	h.to(start.Add(time.Minute)) // declined
	must(t, clients.Delete(ctx, h.who, c.ID))
	_, err = h.purchases.AskAgain(ctx, h.who, p.ID, mandate.Delayed)
	refusedAs(t, err, fault.Conflict, "purchase_charge_error")
	if m := h.mandateOf(p.ID); m.State != mandate.Rejected || len(h.asked(p.ID)) != 1 {
		t.Errorf("mandate %s, asked %d times", m.State, len(h.asked(p.ID)))
	}
}

func TestAnAccountThatWasChargedInVainHasNoPartInTheOwnMandate(t *testing.T) {
	t.Parallel()
	h := amending(t)
	other := h.tokenise("4000000000", 0)
	p := h.ask(asking{account: "4000008500", cents: 10000, due: noon(day(10))})
	h.to(start.Add(time.Minute)) // the bank could not ask
	_, err := h.purchases.Charge(ctx, h.who, p.ID, other.ID)
	must(t, err)
	_, err = h.deletions.DeleteTokenOf(ctx, h.program(), other.ID)
	must(t, err)
	_, err = h.purchases.AskAgain(ctx, h.who, p.ID, mandate.RealTime)
	must(t, err)
	h.to(start.Add(2 * time.Minute))
	now := h.get(p.ID)
	if now.Status != purchase.PendingCharge || now.TokenID != uuid.Nil || now.Collection.TokenID != p.ID {
		t.Errorf("%s, charged with %s, debited from %s", now.Status, now.TokenID, now.Collection.TokenID)
	}
	if k, err := h.purchases.Source(ctx, now); err != nil || k.ID != p.ID {
		t.Errorf("the account shown is %s, %v", k.ID, err)
	}
}

func TestDeletingATokenDropsItsOwnFirstDebitWhileThatWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		due    *time.Time
		before purchase.Status
	}{"on its due": {noon(day(10)), purchase.PendingCharge}, "as early as it can": {nil, purchase.PendingExecute}} {
		h := amending(t)
		p := h.ask(asking{account: "4000000000", cents: 10000, due: c.due})
		h.to(start.Add(time.Minute))
		if now := h.get(p.ID); now.Status != c.before || !now.IsRecurringToken {
			t.Fatalf("%s: %s before", name, now.Status)
		}
		impacts, err := h.deletions.DeletionImpacts(ctx, h.who, []uuid.UUID{p.ID})
		must(t, err)
		if len(impacts) != 1 || impacts[0].Debits() != 1 || impacts[0].Cents() != 10000 {
			t.Errorf("%s: the deletion is said to do %+v", name, impacts)
		}
		answer, err := h.deletions.DeleteTokenOf(ctx, h.program(), p.ID)
		must(t, err)
		for _, rec := range []purchase.Record{answer, h.get(p.ID)} {
			if rec.Status != purchase.Failed || rec.IsRecurringToken || lastError(rec) != "recurring_token_expired" ||
				rec.Collection.State != collection.Cancelled {
				t.Errorf("%s: %s, token %t, %s, collection %s", name, rec.Status, rec.IsRecurringToken, lastError(rec),
					rec.Collection.State)
			}
		}
		h.to(day(15).At(12, 0))
		if n := h.ledger(p.ID); n != 0 {
			t.Errorf("%s: %d cents were collected", name, n)
		}
	}
}
