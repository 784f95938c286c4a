package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

// acts posts a form about a thing of the queue.
func (b business) acts(kind, id string, form url.Values) handlertest.Answer {
	b.t.Helper()
	form.Set("kind", kind)
	return b.Page(b.A.Staff, "POST", "/attention/"+id, form)
}

// A call that ends in a promise asks for its day. What was promised is out of the way on that day, too, and is back
// on the next one where it was not paid.
func TestACallThatEndsInAPromiseAsksForItsDay(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	id := b.charged(client, token, 30007, 4)
	b.later(6)
	all := func() string {
		return tabsOf(b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body)["All"]
	}
	b.Page(b.A.Staff, "GET", "/attention/"+id+"?kind=failed&do=call", nil).Want(http.StatusOK).
		Contains(`<option value="">Choose how it ended</option>`, `name="due_on"`, `name="amount"`)
	b.acts("failed", id, url.Values{"do": {"call"}, "outcome": {""}}).Want(http.StatusUnprocessableEntity).
		Contains("Choose how the call ended.", `href="#outcome"`)
	promised := url.Values{"do": {"call"}, "outcome": {"promised"}, "amount": {"300,07"}}
	b.acts("failed", id, promised).Want(http.StatusUnprocessableEntity).
		Contains("Enter the day on which the client promised to pay.", `href="#due_on"`)
	if n := b.Count(`SELECT count(*) FROM notes`); n != 0 || all() != "1" {
		t.Errorf("%d calls are kept that were refused; %s wait", n, all())
	}
	promised.Set("due_on", dayOf(b).AddDays(2).String())
	b.acts("failed", id, promised).Want(http.StatusSeeOther)
	page := b.Page(b.A.Staff, "GET", "/attention?whose=later", nil).Want(http.StatusOK).
		Contains("Call logged. Promised for", "1 thing is for later: snoozed, promised, or followed by a plan.").Body
	if text := plain(page); !strings.Contains(text, "R 300,07") || !strings.Contains(text, "promised to pay") {
		t.Error("the promise is not shown with its sum and the call")
	}
	if n := b.Count(`SELECT count(*) FROM promises WHERE state = 'open' AND amount_cents = 30007`); n != 1 ||
		all() != "0" {
		t.Errorf("%d promises, %s wait", n, all())
	}
	b.later(2)
	if got := all(); got != "0" {
		t.Errorf("on the promised day %s wait", got)
	}
	b.later(1)
	b.Page(b.A.Staff, "GET", "/attention", nil).Contains("The promise was not kept", "Settle promise…",
		"1 thing needs attention.")
	if got := all(); got != "1" {
		t.Errorf("the day after %s wait", got)
	}
}

func TestClosingAsksForTheReason(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	id := b.charged(client, token, 30007, 4)
	b.later(6)
	b.Page(b.A.Staff, "GET", "/attention/"+id+"?kind=failed&do=close", nil).Want(http.StatusOK).
		Contains(`<option value="">Choose the reason</option>`)
	b.acts("failed", id, url.Values{"do": {"close"}, "reason": {""}}).Want(http.StatusUnprocessableEntity).
		Contains("Choose why this is closed.", `href="#reason"`)
	b.Page(b.A.Staff, "POST", "/attention", url.Values{"kind": {"failed"}, "id": {id}, "do": {"close"}, "reason": {""}}).
		Want(http.StatusSeeOther)
	b.Page(b.A.Staff, "GET", "/attention", nil).Contains("Choose why this is closed.", "1 thing needs attention.")
}

func TestLinesOfOneClientStandTogether(t *testing.T) {
	b := newBusiness(t)
	many, its := b.stored("4000009002")
	one, other := b.stored("4000019002")
	b.API("PATCH", "/clients/"+many+"/", map[string]any{"phone": "0821234567"}).Want(200)
	for range 2 {
		b.charged(many, its, 10000, 4)
	}
	b.charged(one, other, 20000, 4)
	b.charged(many, its, 10050, 4)
	b.later(6)
	page := b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body
	head := strings.Index(page, `<li class="queue-client">`)
	if head < 0 || strings.Count(page, `class="queue-client"`) != 1 || strings.Count(page, `class="under"`) != 3 {
		t.Fatalf("%d clients with several lines, %d lines below them", strings.Count(page, `class="queue-client"`),
			strings.Count(page, `class="under"`))
	}
	under := page[head:]
	if text := plain(under[:strings.Index(under, "</li>")]); !strings.Contains(text, "3 lines") ||
		!strings.Contains(text, "R 300,50") || !strings.Contains(text, "Client 4000009002") {
		t.Errorf("above the lines: %s", text)
	}
	if n := strings.Count(page, `href="tel:`); n != 1 {
		t.Errorf("the number is there %d times", n)
	}
	if between := under[:strings.LastIndex(under, `class="under"`)]; strings.Contains(between, "4000019002") {
		t.Error("the lines of another client stand between them")
	}
}

// What is undone is the last thing: one message at a time, whatever was done in the half minute before.
func TestOneMessageAtATimeStandsWithItsUndo(t *testing.T) {
	b := newBusiness(t)
	for _, account := range []string{"4000009002", "4000019002", "4000029002"} {
		client, token := b.stored(account)
		b.charged(client, token, 30007, 4)
	}
	b.later(6)
	for range 3 {
		page := b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body
		page = b.asked(page, "snooze", url.Values{"until": {dayOf(b).AddDays(3).String()}})
		if n := strings.Count(page, "data-toast="); n != 1 {
			t.Fatalf("%d messages", n)
		}
	}
}

func TestALineSaysWhenTheLinkWasSentAndOpened(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	id := b.charged(client, token, 30007, 4)
	b.later(6)
	said := func() string { return plain(b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body) }
	if strings.Contains(said(), "Link sent") {
		t.Error("a link was sent, it says")
	}
	b.must(`INSERT INTO mails (id, merchant_id, object_id, kind, attempt, client_id, purchase_id, recipient, subject,
			text_body, html_body, state, created_at, sent_at)
		VALUES (gen_random_uuid(), $1, $2, 'reminder', 9, $3, $2, 'c@example.com', 's', 't', 'h', 'sent', $4, $4)`,
		b.A.ID, id, client, b.Store.Now())
	if text := said(); !strings.Contains(text, "Link sent ") || !strings.Contains(text, ", not opened yet.") {
		t.Error("it does not say that the link was sent")
	}
	for range 2 {
		b.Call("GET", "/p/"+id+"/", nil, "Accept: text/html").Want(http.StatusOK)
	}
	if !strings.Contains(said(), "; opened ") {
		t.Error("it does not say that the link was opened")
	}
	if n := b.Count(`SELECT count(*) FROM audit_entries
		WHERE action = 'purchase.viewed' AND purchase_id = $1`, id); n != 1 {
		t.Errorf("%d entries that it was opened", n)
	}
}
