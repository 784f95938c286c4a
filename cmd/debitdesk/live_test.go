package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// atNine moves the clock to the next nine o'clock, when payers can be asked in real time.
func (s *site) atNine(t *testing.T) {
	t.Helper()
	now := s.app.Store.Now()
	nine := calendar.TimeOfDay{Hour: 9}
	at := nine.On(calendar.DateOf(now))
	if !at.After(now) {
		at = nine.On(calendar.DateOf(now).AddDays(1))
	}
	if err := s.app.Store.Clock.MoveTo(t.Context(), at); err != nil {
		t.Fatal(err)
	}
}

// asks makes a DebiCheck purchase and gives the address of its mandate.
func (s *site) asks(t *testing.T, account bank.AccountNumber) string {
	t.Helper()
	ctx := t.Context()
	most := int64(20000)
	in := purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "Nomvula Dlamini", Phone: "+27821234567",
			PersonalCode: "8501015009086", BankAccount: account,
			BankCode: "632005", AccountType: bank.Current},
		Currency: "ZAR", Details: purchase.Details{Language: "en",
			Products: []purchase.Product{{Name: "Membership", PriceCents: 14900, Quantity: decimal.NewFromInt(1)}}},
		DirectDebit: &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: "VARIABLE", AuthenticationType: "REALTIME",
			DebitSequence:      "RCUR",
			AdjustmentCategory: "NEVER", MaxAmountCents: &most}},
		Options: purchase.Options{Whitelist: []string{"debicheck"}, ForceRecurring: true},
	}
	var merchantID uuid.UUID
	if err := s.app.Store.Pool.QueryRow(ctx, `SELECT merchant_id, id FROM brands`).Scan(&merchantID,
		&in.BrandID); err != nil {
		t.Fatal(err)
	}
	rec, err := s.app.Services.Purchases.Create(ctx, actor.OperatorOf(merchantID), in)
	if err != nil {
		t.Fatal(err)
	}
	return "/mandates/" + rec.ID.String()
}

// looksAway puts another tab before this one, as far as its scripts can tell.
func (b *tab) looksAway(away bool) {
	b.t.Helper()
	b.do("look away", chromedp.Evaluate(`Object.defineProperty(document, "hidden", {value: `+strconv.FormatBool(away)+
		`, configurable: true}),
		document.dispatchEvent(new Event("visibilitychange"))`, nil))
}

// The panel of a mandate, as staff watch it: nothing is reloaded.
func TestTheStateOfAMandateIsSeenAsItChanges(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.atNine(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()

	owner.open(site.asks(t, "4055555555"))
	owner.sees("Waiting for the client’s answer")
	owner.sees("Accepted by the client")
	owner.sees("Accepted in the banking app")
	owner.sees("Active")
	owner.loses("Waiting for the client")

	nobody := site.asks(t, "4055558120")
	owner.open(nobody)
	owner.sees("is on the client’s phone")
	owner.looksAt("mandate-live")
	plain := site.tab(t, chromium)
	plain.signIn()
	plain.withoutScripts()
	plain.open(nobody)
	plain.sees("left to answer")
	plain.sees("Refresh to see whether there is an answer")
	owner.looksAway(true)
	if err := site.app.Store.Clock.MoveTo(t.Context(), site.app.Store.Now().Add(121*time.Second)); err != nil {
		t.Fatal(err)
	}
	colleague := site.tab(t, chromium)
	colleague.signIn()
	colleague.open(nobody)
	colleague.sees("No answer from the client")
	plain.click("Refresh to see whether there is an answer")
	plain.sees("No answer from the client")
	if got := owner.text("main h2"); got != "Waiting for the client’s answer" {
		t.Errorf("a tab that nobody looks at holds a stream: it says %q", got)
	}
	owner.looksAway(false)
	owner.sees("No answer from the client")
	owner.looksAt("mandate-no-answer")

	owner.click("Send again (1 of 3 used)")
	owner.sees("Waiting for the client’s answer")
	if at := owner.address(); at != nobody {
		t.Errorf("sent again, and now at %s", at)
	}
}
