package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

func TestTheListOfClientsShowsTheStoredAccount(t *testing.T) {
	b := newBusiness(t)
	none := strings.TrimPrefix(add(b.Server, url.Values{"full_name": {"Nobody Yet"}, "email": {"nobody@example.com"}}),
		"/clients/")
	client, token := b.stored("4000000001")
	b.charged(client, token, 10000, 4)
	b.later(8)
	b.must(`UPDATE clients SET bank_account_sealed = NULL, bank_account_mask = '', bank_account_hash = NULL WHERE id = $1`,
		client)
	b.Page(b.A.Staff, "GET", "/clients", nil).Want(http.StatusOK).Contains("•••• 0001", "Nobody Yet")
	b.Page(b.A.Staff, "GET", "/clients?account=with", nil).Contains(client).Lacks(none)
	b.Page(b.A.Staff, "GET", "/clients?account=without", nil).Contains(none).Lacks(client)
	rows := b.rowsOf(b.A.Staff, "/clients/export?format=csv&account=with")
	if len(rows) != 2 || !strings.Contains(strings.Join(rows[1], " "), "•••• 0001") {
		t.Errorf("%v", rows)
	}
}

// Debits do not run from a blocked account, whatever the mandate allows.
func TestTheMandateOfABlockedAccountDoesNotSayThatDebitsRun(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009004")
	b.charged(client, token, 10000, 4)
	b.later(8)
	if n := b.Count(`SELECT count(*) FROM tokens WHERE state = 'blocked'`); n != 1 {
		t.Fatalf("%d accounts are blocked", n)
	}
	for _, path := range []string{"/mandates", "/mandates/" + token} {
		b.Page(b.A.Staff, "GET", path, nil).Want(http.StatusOK).Contains("Account blocked", "nothing can be debited").
			Lacks("Debits may run")
	}
	b.must(`UPDATE tokens SET state = 'active', blocked_code = ''`)
	b.Page(b.A.Staff, "GET", "/mandates/"+token, nil).Contains("Debits may run").Lacks("Account blocked")
	b.must(`UPDATE mandates SET state = 'suspended', reason_code = 'MCOC'`)
	b.Page(b.A.Staff, "GET", "/mandates/"+token, nil).Contains("Used once").Lacks("Debits may run")
}

// Many deletions are one box, and what is final first stands first. On the page that asks, what breaks something does.
func TestManyDeletionsAreOneBox(t *testing.T) {
	k := withAccount(t)
	tokens := []string{k.token}
	for _, account := range []string{"4055123457", "4055123458", "4055123459", "4055123460"} {
		tokens = append(tokens, strings.TrimPrefix(
			k.capture(t, func(f map[string]string) { f["account_number"] = account }), "/tokens/"))
	}
	k.made(t) // a debit hangs on the first
	form := url.Values{"id": {tokens[1], tokens[2], tokens[0], tokens[3]}}
	ask := k.Page(k.A.Owner, "GET", "/tokens/deletion?"+form.Encode(), nil).Want(http.StatusOK)
	ask.Contains("3 accounts that no purchase and no subscription uses", "Leave the purchase unpaid")
	if n := strings.Count(ask.Body, `<ul class="breaks">`); n != 1 { // of the one that is used
		t.Errorf("%d lists of what breaks", n)
	}
	for n, last := range []string{"3457", "3458", "3459"} {
		k.Page(k.A.Owner, "POST", "/tokens/deletion", url.Values{"id": {tokens[n+1]}, "confirm": {last}}).
			Want(http.StatusSeeOther)
	}
	page := k.Page(k.A.Owner, "GET", "/tokens", nil).Want(http.StatusOK).Contains("3 deletions can still be undone.").Body
	if n := len(regexp.MustCompile(`<section class="undo`).FindAllString(page, -1)); n != 1 {
		t.Errorf("%d boxes", n)
	}
	if first, last := strings.Index(page, "•••• 3457 of"), strings.Index(page, "•••• 3459 of"); first < 0 || last < first {
		t.Error("what is final first does not stand first")
	}
	if n := strings.Count(page, "/undo\""); n < 3 {
		t.Errorf("%d can be undone", n)
	}
}

// A delivery that waits for its next attempt need not be waited for, and is not sent twice.
func TestADeliveryThatIsRetriedIsSentAtOnce(t *testing.T) {
	h := handlertest.New(t)
	address, status, calls := endpoint(t)
	page := addsWebhook(h, address)
	status.Store(http.StatusServiceUnavailable)
	buys(h)
	delivers(t, h)
	body := h.Page(h.A.Owner, "GET", page, nil).Want(http.StatusOK).Contains("Send now").Body
	link := regexp.MustCompile(`/developers/webhooks/deliveries/[0-9a-f-]{36}`).FindString(body)
	h.Page(h.A.Owner, "GET", link, nil).Contains("Send now").Lacks("Resend this event")
	status.Store(http.StatusOK)
	before, all := calls.Load(), h.Count(`SELECT count(*) FROM deliveries`)
	h.Page(h.A.Staff, "POST", link+"/resend", nil).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "POST", link+"/resend", nil).Want(http.StatusNotFound)
	h.Page(h.A.Owner, "POST", link+"/resend", nil).Want(http.StatusSeeOther)
	delivers(t, h)
	h.Page(h.A.Owner, "GET", link, nil).Contains("Delivered", "Resend this event").Lacks("Send now")
	if calls.Load() != before+1 || h.Count(`SELECT count(*) FROM deliveries`) != all {
		t.Errorf("%d calls, %d deliveries", calls.Load()-before, h.Count(`SELECT count(*) FROM deliveries`)-all)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'webhook.hurried'`); n != 1 {
		t.Errorf("%d entries", n)
	}
}
