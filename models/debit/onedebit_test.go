package debit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// invoiced is a purchase of a client that asks for R 250,00 and leaves storing the
// account to the payer.
func (h *house) invoiced(terms *mandate.Ask) purchase.Record {
	h.t.Helper()
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now}
	who, err := clients.Create(context.Background(), h.who, client.Input{Details: *payer()})
	must(h.t, err)
	in := purchase.Input{ClientID: who.ID, BrandID: h.brand, Currency: "ZAR", Details: one(25000)}
	if terms != nil {
		in.Options.Whitelist, in.DirectDebit = []string{purchase.DebiCheck}, &purchase.DirectDebitInput{Ask: terms}
	}
	rec, err := h.purchases.Create(context.Background(), h.who, in)
	must(h.t, err)
	return rec
}

// gives is the payer on the hosted page.
func (h *house) gives(rec purchase.Record, store bool, number string) purchase.Record {
	h.t.Helper()
	given, err := h.purchases.GiveAccount(context.Background(),
		actor.PayerOf(h.who.MerchantID, "N Dlamini", "192.0.2.1", ""), rec.ID, purchase.Account{
			FullName: "N Dlamini", IDNumber: "8001015009087", Phone: "27821234567", BankCode: "632005", AccountNumber: number,
			Consented: true, Store: store})
	must(h.t, err)
	return given
}

// tokensOf counts what the client's list of tokens holds.
func (h *house) tokensOf(rec purchase.Record) int {
	h.t.Helper()
	page, err := h.purchases.ClientTokens(context.Background(), h.who, rec.ClientID, paging.Ask{Limit: 10})
	must(h.t, err)
	return len(page.Items)
}

func (h *house) chargeFor(rec purchase.Record) error {
	h.t.Helper()
	due := calendar.DateOf(h.store.Now()).AddDays(7).At(12, 0)
	next, err := h.purchases.Create(context.Background(), h.who,
		purchase.Input{ClientID: rec.ClientID, BrandID: h.brand, Currency: "ZAR", Due: &due, Details: one(25000)})
	must(h.t, err)
	_, err = h.purchases.Charge(context.Background(), h.who, next.ID, rec.ID)
	return err
}

func TestWithoutThePayersWordTheDebitRunsOnceAndNoTokenRemains(t *testing.T) {
	h := open(t)
	rec := h.gives(h.invoiced(nil), false, "4000000001")
	if m := h.mandate(rec.ID); !m.OneDebit || !strings.Contains(m.Consent.Text, "for this one debit") ||
		strings.Contains(m.Consent.Text, "Later debits") {
		t.Errorf("the mandate says:\n%s", m.Consent.Text)
	}
	h.to(start.AddDate(0, 0, 4))
	rec = h.get(rec.ID)
	if rec.Status != purchase.Paid || rec.IsRecurringToken || h.tokensOf(rec) != 0 {
		t.Fatalf("%s, token %v, %d tokens of the client", rec.Status, rec.IsRecurringToken, h.tokensOf(rec))
	}
	if err := h.chargeFor(rec); !fault.HasCode(err, "invalid_recurring_token") {
		t.Errorf("charged again: %v", err)
	}
	if _, err := h.purchases.ClientToken(context.Background(), h.who, rec.ClientID, rec.ID); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("the token is found: %v", err)
	}
	if m, k := h.mandate(rec.ID), h.token(rec.ID); m.State != mandate.Cancelled || m.ReasonCode != bank.CodeOnceOffDone ||
		m.EndedAt.IsZero() || !k.UsedUp() {
		t.Errorf("mandate %s %s, token %s", m.State, m.ReasonCode, k.State)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE purchase_id = $1 AND action = 'token.used'`,
		rec.ID); n != 1 {
		t.Errorf("%d entries tell of it", n)
	}
	must(t, h.bank.Force(context.Background(), rec.Collection.ID,
		outcome("", "30"))) // what proves the debit is still of use
	h.to(start.AddDate(0, 0, 6))
	if rec = h.get(rec.ID); rec.Status != purchase.Chargeback || h.token(rec.ID).State != token.Deleted {
		t.Errorf("after a dispute: %s, token %s", rec.Status, h.token(rec.ID).State)
	}
}

func TestWithThePayersWordTheAccountIsStored(t *testing.T) {
	h := open(t)
	rec := h.gives(h.invoiced(nil), true, "4000000001")
	h.to(start.AddDate(0, 0, 4))
	if rec = h.get(rec.ID); rec.Status != purchase.Paid || !rec.IsRecurringToken || h.tokensOf(rec) != 1 ||
		h.mandate(rec.ID).OneDebit {
		t.Fatalf("%s, token %v, %d tokens", rec.Status, rec.IsRecurringToken, h.tokensOf(rec))
	}
	must(t, h.chargeFor(rec))
}

func TestADebitThatFailedUnderAMandateForOneLeavesNoToken(t *testing.T) {
	h := open(t)
	rec := h.gives(h.invoiced(nil), false, "110000002")
	h.to(start.AddDate(0, 0, 4))
	if rec = h.get(rec.ID); rec.Status != purchase.Failed || h.tokensOf(rec) != 0 ||
		!fault.HasCode(h.chargeFor(rec), "invalid_recurring_token") {
		t.Errorf("%s, %d tokens", rec.Status, h.tokensOf(rec))
	}
}

func TestADebiCheckPayerWhoStoresNothingConfirmsAOnceOffMandate(t *testing.T) {
	rate := decimal.NewFromInt(6)
	maximum := int64(37500)
	terms := &mandate.Ask{ValueType: "VARIABLE", AuthenticationType: "REALTIME", DebitSequence: "RCUR",
		AdjustmentCategory: "ANNUALLY", AdjustmentRate: &rate,
		MaxAmountCents: &maximum, AllowDateAdjustment: true}
	for _, store := range []bool{false, true} {
		h := open(t)
		rec := h.gives(h.invoiced(terms), store, "4000000001")
		m := h.mandate(rec.ID)
		if once := m.Terms.DebitSequence == mandate.OnceOff && m.Terms.AdjustmentCategory == mandate.Never &&
			m.OneDebit; once == store {
			t.Fatalf("stored %v: asked for %+v", store, m.Terms)
		}
		h.run()
		must(t, h.bank.ForceMandate(context.Background(), h.asked(rec.ID)[0].ID, "accept"))
		h.run()
		if rec = h.get(rec.ID); rec.IsRecurringToken != store || h.tokensOf(rec) != map[bool]int{true: 1}[store] {
			t.Errorf("stored %v: accepted, token %v", store, rec.IsRecurringToken)
		}
		h.to(start.AddDate(0, 0, 4))
		if rec = h.get(rec.ID); rec.Status != purchase.Paid || rec.IsRecurringToken != store ||
			h.tokensOf(rec) != map[bool]int{true: 1}[store] {
			t.Errorf("stored %v: %s, token %v, %d tokens", store, rec.Status, rec.IsRecurringToken, h.tokensOf(rec))
		}
		if err := h.chargeFor(rec); fault.HasCode(err, "invalid_recurring_token") == store {
			t.Errorf("stored %v: charged again: %v", store, err)
		}
	}
}
