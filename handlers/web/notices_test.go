package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// charges charges a client of merchant A for a day, and gives the id of the last purchase. Details are the client's.
func charges(h *handlertest.Server, n int, day calendar.Date, details string) (id string) {
	client, token := storedFor(h, details)
	for range n {
		id = h.API("POST", "/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Membership","price":30007}]}}`,
			client, h.A.BrandID, day.At(12, 0).Unix())).Want(201).Text("id")
		h.API("POST", "/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token)).Want(200)
	}
	return id
}

// storedFor is a client of merchant A whose account is stored.
func storedFor(h *handlertest.Server, details string) (client, token string) {
	client = h.API("POST", "/clients/", `{"full_name": "Nomsa Dlamini", "bank_account": "6200000001",
		"bank_code": "470010", `+details+`}`).Want(201).Text("id")
	token = h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
		h.A.BrandID)).Want(201).Text("id")
	return client, token
}

func notices(h *handlertest.Server) int {
	return h.Count(`SELECT count(*) FROM mails WHERE kind = 'debit_notice'`)
}

func noticed(version, days, channel string) url.Values {
	return url.Values{"version": {version}, "days": {days}, "channel": {channel}}
}

func nov(d int) calendar.Date { return calendar.On(2026, time.November, d) }

func TestClientsAreToldOfADebitOnceSomeDaysBefore(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/settings/brands/" + h.A.BrandID.String() + "/messages/debit_notice"
	round := func(at time.Time) {
		t.Helper()
		h.At(at)
		if err := h.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	id := charges(h, 1, nov(27), `"email": "nomsa@example.com"`)
	charges(h, 1, nov(27), `"email": "", "phone": "27821234567"`)
	h.Page(h.A.Reader, "GET", at, nil).Contains("No notices are sent.").Lacks(`name="days"`)
	h.Page(h.A.Owner, "POST", at, nil).Want(http.StatusMethodNotAllowed)
	h.Page(h.A.Staff, "POST", at+"/notice", noticed("0", "2", "mail")).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "POST", at+"/notice", noticed("0", "2", "mail")).Want(http.StatusNotFound)
	h.Page(h.A.Owner, "POST", at+"/notice", noticed("0", "8", "fax")).Want(http.StatusUnprocessableEntity).
		Contains("Choose from 1 to 7 days", "Choose e-mail or SMS")
	h.Page(h.A.Owner, "POST", at+"/notice", noticed("0", "2", "mail")).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "POST", at+"/notice", noticed("0", "3", "sms")).Want(http.StatusSeeOther) // too late
	h.Page(h.A.Reader, "GET", at, nil).Contains("Sent 2 days before each debit, at 08:00, by e-mail.")

	round(nov(24).At(9, 0))
	client, token := storedFor(h, `"email": "thandi@example.com"`)
	rec, err := h.Purchases.CreateWith(t.Context(), h.A.Actor, purchase.Input{ClientID: uuid.MustParse(client),
		BrandID: h.A.BrandID, Currency: "ZAR", Details: purchase.Details{Language: "en", Products: []purchase.Product{{
			Name: "Class", PriceCents: 5000, Quantity: decimal.NewFromInt(1)}}}},
		purchase.Then{TokenID: uuid.MustParse(token), Day: nov(27), Mail: true}) // the invoice tells of the debit
	if err != nil || rec.Collection == nil {
		t.Fatal(rec.Collection, err)
	}
	round(nov(25).At(7, 59))
	if n := notices(h); n != 0 {
		t.Fatalf("%d were told too early", n)
	}
	round(nov(25).At(8, 0))
	text := mailed(t, h)
	if !contains(text, "R\u00a0300,07 will be debited on Friday 27 November 2026", "•••• 0001",
		handlertest.BaseURL+"/p/"+id+"/") {
		t.Error(text)
	}
	round(nov(25).At(9, 0))
	round(nov(26).At(9, 0))
	if n := notices(h); n != 1 {
		t.Errorf("%d were told", n)
	}
	if n := h.Count(`SELECT count(*) FROM debit_notices WHERE why = 'no_email' AND channel = ''`); n != 1 {
		t.Errorf("%d could not be told", n)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'notice.changed'`); n != 1 {
		t.Errorf("%d changes are in the audit", n)
	}
	round(calendar.On(2026, time.December, 2).At(9, 0)) // the bank has answered
	late := h.Member(h.A, "late", actor.ReadOnly, nil)  // the sessions of before are over
	h.Page(late, "GET", at, nil).Want(http.StatusOK).Contains("What became of these debits", "Too few debits of each kind")
}

func TestTwoProcessesTellOfEachDebitOnce(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	const debits = 12
	charges(h, debits, nov(27), `"email": "nomsa@example.com"`)
	h.Page(h.A.Owner, "POST", "/settings/brands/"+h.A.BrandID.String()+"/messages/debit_notice/notice",
		noticed("0", "2", "mail")).Want(http.StatusSeeOther)
	h.At(nov(25).At(8, 0))
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := h.Notices.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n := notices(h); n != debits {
		t.Errorf("%d mails about %d debits", n, debits)
	}
}

func TestANoticeBySMSIsWorthNothingOnceTheDebitRan(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	charges(h, 1, nov(27), `"email": "nomsa@example.com", "phone": "27821234567"`)
	h.Page(h.A.Owner, "POST", "/settings/brands/"+h.A.BrandID.String()+"/messages/debit_notice/notice",
		noticed("0", "1", "sms")).Want(http.StatusSeeOther)
	h.At(nov(26).At(8, 0))
	if n, err := h.Notices.Run(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if n := h.Count(`SELECT count(*) FROM sms_messages WHERE kind = 'debit_notice' AND state = 'queued'
		AND expires_at <= '2026-11-26T22:00:00Z'`); n != 1 {
		t.Errorf("%d SMS wait", n)
	}
}

func TestANoticeIsInTheLanguageThatTheClientChoseSince(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	execute := func(change string) {
		t.Helper()
		if _, err := h.Store.Pool.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	execute(`UPDATE brands SET offered_languages = 'af'`)
	charges(h, 1, nov(27), `"email": "nomsa@example.com"`)
	execute(`UPDATE clients SET chosen_language = 'af'`) // after the debit was planned
	h.Page(h.A.Owner, "POST", "/settings/brands/"+h.A.BrandID.String()+"/messages/debit_notice/notice",
		noticed("0", "1", "mail")).Want(http.StatusSeeOther)
	h.At(nov(26).At(8, 0))
	if n, err := h.Notices.Run(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if text := mailed(t, h); !contains(text, "Vrydag 27 November 2026", "Bankrekening: Capitec") {
		t.Error(text)
	}
}
