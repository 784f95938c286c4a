package debit_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/simulation"
)

// debicheck makes a purchase of R149 whose mandate the payer is asked to confirm,
// for at most R200. The account stands at Absa, or at FNB when it has 11 digits.
func (h *house) debicheck(account bank.AccountNumber, how mandate.Method, fallback bool) purchase.Record {
	h.t.Helper()
	who := asksPayer(account)
	return h.asks(purchase.Input{Client: &who}, how, fallback)
}

// asksPayer is who is asked, with an account.
func asksPayer(account bank.AccountNumber) client.Details {
	branch := "632005"
	if len(account.Reveal()) == 11 {
		branch = "250655"
	}
	return client.Details{Email: "n@example.org", FullName: "N Dlamini", Phone: "+27821234567",
		PersonalCode: "8501015009086", BankAccount: account, BankCode: branch, AccountType: bank.Current}
}

// asks makes the purchase of debicheck for the client that the input names.
func (h *house) asks(in purchase.Input, how mandate.Method, fallback bool) purchase.Record {
	h.t.Helper()
	most := int64(20000)
	in.BrandID, in.Currency, in.Details = h.brand, "ZAR", one(14900)
	in.DirectDebit = &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: "VARIABLE",
		AuthenticationType: string(how), DebitSequence: "RCUR", AdjustmentCategory: "NEVER", DelayedOnFailure: fallback,
		MaxAmountCents: &most}}
	in.Options = purchase.Options{Whitelist: []string{"debicheck"}, ForceRecurring: true}
	rec, err := h.purchases.Create(context.Background(), h.who, in)
	must(h.t, err)
	return rec
}

func (h *house) mandateOf(id uuid.UUID) mandate.Mandate {
	h.t.Helper()
	m, err := mandate.Store{DB: h.store}.Mandate(context.Background(), h.who.MerchantID, id)
	must(h.t, err)
	return m
}

// The whole suffix table for DebiCheck, played through the product: what becomes of
// the mandate within the payer's time, and of the purchase by the end.
func TestTheSuffixTableOfDebiCheckThroughTheProduct(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.purchases.Window, h.purchases.Limits = mandate.DefaultWindow(), mandate.DefaultLimits()
	h.debits.Limits = h.purchases.Limits

	type ends struct{ realTime, delayed, fallback string } // "mandate purchase"
	same := func(e string) ends { return ends{e, e, e} }
	table := map[string]ends{
		"8002": same("rejected error"),
		"8003": same("rejected error"),
		"8120": {"no_response error", "active paid", "active paid"},
		"8480": {"no_response error", "no_response error", "registered_unauthenticated paid"},
		"8500": same("failed error"),
		"8700": same("active error"),
		"9901": same("active pending_execute"),
		"7001": same("active error"),
		"7002": same("active error"),
		"7004": same("active error"),
	}
	for _, suffix := range strings.Fields("0000 7003 7005 7006 8001 9030 9032 9034 9036 9202 9430 9500 9900") {
		table[suffix] = same("active paid")
	}
	for _, suffix := range strings.Fields("9002 9003 9004 9005 9006 9008 9010 9012 9016 9018 9022 9026 9056 9102 9302") {
		table[suffix] = same("active error")
	}
	type asked struct {
		suffix, kind, want string
		id                 uuid.UUID
	}
	var all []asked
	for suffix, want := range table {
		for _, c := range []struct {
			kind, carrier string
			how           mandate.Method
			fallback      bool
			want          string
		}{
			{"real time", "400000", mandate.RealTime, false, want.realTime},
			{"delayed", "6200000", mandate.Delayed, false, want.delayed},
			{"real time with the fallback", "400001", mandate.RealTime, true, want.fallback},
		} {
			id := h.debicheck(bank.AccountNumber(c.carrier+suffix), c.how, c.fallback).ID
			all = append(all, asked{suffix, c.kind, c.want, id})
		}
	}
	suspended := h.debicheck("4000008600", mandate.RealTime, false).ID
	_, err := h.controls.Move(context.Background(), h.who, simulation.ClockMove{Advance: time.Second})
	must(t, err)

	h.to(start.Add(5 * time.Minute))
	if state := h.mandateOf(suspended).State; state != mandate.ActiveState {
		t.Errorf("8600 at first: %s", state)
	}
	h.to(start.Add(21 * time.Hour))
	if m := h.mandateOf(suspended); m.State != mandate.Suspended || m.ReasonCode != bank.CodeDebtorCancelled {
		t.Errorf("8600 on the next morning: %s %s", m.State, m.ReasonCode)
	}
	h.to(start.Add(60 * 24 * time.Hour))
	for _, a := range all {
		m, p := h.mandateOf(a.id), h.get(a.id)
		status := p.Status
		if status == purchase.Overdue { // what was not confirmed in the hour of its due can still be paid another way
			status = purchase.Failed
		}
		if got := string(m.State) + " " + string(status); got != a.want {
			t.Errorf("%s %s: %s, want %s", a.suffix, a.kind, got, a.want)
		}
		if m.State == mandate.ActiveState && (len(m.BankReference) != 23 || m.AcceptedAt.IsZero()) {
			t.Errorf("%s %s: accepted as %q at %s", a.suffix, a.kind, m.BankReference, m.AcceptedAt)
		}
		if sum := h.ledger(a.id); sum != shown(p.Purchase) {
			t.Errorf("%s %s: the ledger says %d, the purchase %d", a.suffix, a.kind, sum, shown(p.Purchase))
		}
		if c := p.Collection; c != nil {
			fell := slices.Contains([]string{"8120", "8480"}, a.suffix) && a.kind == "real time with the fallback"
			if c.Disputable != fell {
				t.Errorf("%s %s: disputable is %t", a.suffix, a.kind, c.Disputable)
			}
		}
	}
	if n := h.number(
		`SELECT count(*) FROM sandbox_answers WHERE kind = 'dispute_rejected' AND delivered_at IS NOT NULL`); n != 5*3 {
		t.Errorf("%d disputes were refused", n)
	}
	if n := h.number(
		`SELECT count(*) FROM tokens t JOIN mandates m ON m.id = t.mandate_id
			WHERE t.state = 'active' AND m.state NOT IN ('active', 'registered_unauthenticated')`,
	); n != 0 {
		t.Errorf("%d tokens live without a mandate", n)
	}
}
