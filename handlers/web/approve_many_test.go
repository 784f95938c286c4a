package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
)

// limited sets the sum above which a second approver is needed.
func (b business) limited(cents int) {
	b.t.Helper()
	b.must(`UPDATE merchants SET approve_batches_cents = $1 WHERE id = $2`, cents, b.A.ID)
}

// answer is the form by which somebody answers a request as it is shown to them.
func (b business) answer(who handlertest.Person, at, yes string) url.Values {
	b.t.Helper()
	page := b.Page(who, "GET", at, nil).Want(http.StatusOK).Body
	form := url.Values{"answer": {yes}}
	for _, name := range []string{"rows", "cents", "digest"} {
		form.Set(name, between(page, `name="`+name+`" value="`, `"`))
	}
	return form
}

func (b business) worked() {
	b.t.Helper()
	must(b.t, b.Tasks.TakeUp(b.t.Context()))
}

// What comes to more than one person may debit alone is asked for, and what a second approver saw is what runs: once,
// on the days that are possible then, without what changed since.
func TestManyAreDebitedAgainWhenASecondApproverAgrees(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	ids := b.unpaid(3) // 10 000, 10 100 and 10 200 cents
	b.limited(30_299)
	staff := b.A.Staff
	to := b.chosen(staff, url.Values{"list": {"purchases"}, "query": {"attention=failed"}, "all": {"yes"}, "act": {"again"}})
	page, form := b.rehearsed(staff, to)
	for _, want := range []string{"Ask for approval: debit 3 purchases again", "A second approver is asked",
		`name="reason"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the rehearsal does not say %q", want)
		}
	}
	b.Page(staff, "POST", to, form).Want(http.StatusUnprocessableEntity).Contains("Give a reason")
	form.Set("reason", "Salaries were late.")
	at := b.Page(staff, "POST", to, form).Want(http.StatusSeeOther).Header.Get("Location")
	b.Page(staff, "POST", to, form).Want(http.StatusConflict).Contains("Approval was already asked for")
	if n := b.Count(`SELECT count(*) FROM collections WHERE state = 'scheduled'`) + b.Count(
		`SELECT count(*) FROM tasks`); n != 0 {
		t.Fatalf("%d debits and tasks before anybody agreed", n)
	}
	if n := b.Count(`SELECT count(*) FROM approvals WHERE position(convert_to($1, 'UTF8') IN input_sealed) > 0
		OR subject::text LIKE '%' || $1 || '%'`, ids[0]); n != 0 {
		t.Error("what was asked for lies open")
	}
	b.Page(b.A.Finance, "GET", "/approvals", nil).Want(http.StatusOK).Contains("Debit 3 purchases again, together")
	b.Page(b.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("3 purchases: debited on ")
	b.Page(b.B.Finance, "GET", at, nil).Want(http.StatusNotFound)
	stale := b.answer(b.A.Finance, at, "yes")

	b.later(2) // other days are possible, and one of them is paid
	b.API("POST", "/purchases/"+ids[0]+"/mark_as_paid/", map[string]any{}).Want(200)
	b.Page(b.A.Finance, "POST", at+"/decision", stale).Want(http.StatusConflict).Contains("changed since you looked")
	b.Page(b.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("2 purchases: debited on ",
		"1 purchase: left out. ", "Now: 2 purchases")
	b.Page(staff, "POST", at+"/decision", b.answer(b.A.Finance, at, "yes")).Want(http.StatusForbidden)
	yes := b.answer(b.A.Finance, at, "yes")
	second := b.Member(b.A, "second", actor.Finance, nil)
	var both sync.WaitGroup
	won := make(chan int, 2)
	for _, who := range []handlertest.Person{b.A.Finance, second} {
		both.Go(func() { won <- b.Page(who, "POST", at+"/decision", yes).Status })
	}
	both.Wait()
	if got := <-won + <-won; got != http.StatusSeeOther+http.StatusConflict {
		t.Errorf("two answers at once came to %d", got)
	}
	b.Page(b.A.Owner, "POST", at+"/decision", yes).Want(http.StatusConflict)
	b.worked() // whatever became of the process in which it was decided
	b.worked()
	for i, want := range []string{"paid", "pending_charge", "pending_charge"} {
		if got := b.status(ids[i]); got != want {
			t.Errorf("purchase %d is %s, want %s", i, got, want)
		}
	}
	for what, want := range map[string]int{
		`SELECT count(*) FROM collections WHERE state = 'scheduled'`:                                                      2,
		`SELECT count(*) FROM tasks WHERE state = 'done' AND total = 2 AND failed = 0`:                                    1,
		`SELECT count(*) FROM approvals WHERE state = 'approved' AND input_sealed IS NULL`:                                1,
		`SELECT count(*) FROM audit_entries WHERE action IN ('approval.approved', 'bulk.again')`:                          2,
		`SELECT count(*) FROM audit_entries WHERE action = 'purchase.charged' AND actor_id = '` + staff.ID.String() + `'`: 2,
		`SELECT count(*) FROM mails WHERE kind = 'approval_decided'
			AND text_body LIKE '%in the background%'`: 1} {
		if n := b.Count(what); n != want {
			t.Errorf("%s: %d, want %d", what, n, want)
		}
	}
}

func TestARequestForManyIsWithdrawnOrExpiresAndNothingIsDone(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	b.unpaid(2)
	b.limited(1)
	ask := func() (at string) {
		t.Helper()
		to := b.chosen(b.A.Finance, url.Values{"list": {"purchases"}, "query": {"attention=failed"}, "all": {"yes"},
			"act": {"again"}})
		_, form := b.rehearsed(b.A.Finance, to)
		form.Set("reason", "Salaries were late.")
		return b.Page(b.A.Finance, "POST", to, form).Want(http.StatusSeeOther).Header.Get("Location")
	}
	first := ask()
	b.Page(b.A.Finance, "GET", first, nil).Want(http.StatusOK).Contains("You asked for this")
	b.Page(b.A.Finance, "POST", first+"/decision", b.answer(b.A.Owner, first, "yes")).Want(http.StatusConflict).
		Contains("You asked for this yourself")
	yes := b.answer(b.A.Owner, first, "yes")
	b.Page(b.A.Finance, "POST", first+"/withdrawal", url.Values{}).Want(http.StatusSeeOther)
	b.Page(b.A.Owner, "POST", first+"/decision", yes).Want(http.StatusConflict)
	damaged := ask()
	b.must(`UPDATE approvals SET input_sealed = set_byte(input_sealed, length(input_sealed) - 1,
		(get_byte(input_sealed, length(input_sealed) - 1) + 1) % 256) WHERE state = 'open'`)
	b.Page(b.A.Owner, "GET", damaged, nil).Want(http.StatusOK).Contains("What was asked for cannot be read")
	b.Page(b.A.Owner, "POST", damaged+"/decision", b.answer(b.A.Owner, damaged, "yes")).Want(http.StatusConflict)
	no := b.answer(b.A.Owner, damaged, "no")
	no.Set("words", "It cannot be read.")
	b.Page(b.A.Owner, "POST", damaged+"/decision", no).Want(http.StatusSeeOther)
	late := ask()
	yes = b.answer(b.A.Owner, late, "yes")
	must(t, b.Store.Clock.MoveTo(t.Context(), b.Store.Now().Add(8*24*time.Hour)))
	b.Page(b.A.Owner, "POST", late+"/decision", yes).Want(http.StatusConflict).Contains("already expired")
	ask() // ends what has expired
	b.worked()
	for what, want := range map[string]int{`SELECT count(*) FROM tasks`: 0,
		`SELECT count(*) FROM collections WHERE state = 'scheduled'`:                        0,
		`SELECT count(*) FROM approvals WHERE state <> 'open' AND input_sealed IS NOT NULL`: 0,
		`SELECT count(*) FROM approvals WHERE state = 'expired'`:                            1} {
		if n := b.Count(what); n != want {
			t.Errorf("%s: %d, want %d", what, n, want)
		}
	}
}

func TestManySubscribersAreAddedWhenASecondApproverAgrees(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	at := templateOf(t, b.Server, plan("Monthly"))
	gone := clientOf(b.Server, "anna@example.com")
	clientOf(b.Server, "ben@example.com")
	clientOf(b.Server, "cleo@example.com")
	b.limited(1)
	ask := func() string {
		t.Helper()
		check := b.Page(b.A.Finance, "POST", at+"/subscribers/check",
			url.Values{"cells": {"email\nanna@example.com\nben@example.com\ncleo@example.com\nnobody@example.com\n"}}).
			Want(http.StatusOK)
		form := url.Values{"form_key": {between(check.Body, `name="form_key" value="`, `"`)},
			"rows": {between(check.Body, `name="rows" value="`, `"`)}, "reason": {"New members."}}
		return b.Page(b.A.Finance, "POST", at+"/subscribers/bulk", form).Want(http.StatusSeeOther).Header.Get("Location")
	}
	request := ask()
	b.Page(b.A.Owner, "GET", request, nil).Want(http.StatusOK).Contains("Add 3 subscribers to “Monthly”, together",
		"3 subscribers: added, each at ")
	b.must(`UPDATE billing_templates SET total_cents = total_cents + 1`)
	b.Page(b.A.Owner, "GET", request, nil).Want(http.StatusOK).Contains("Nothing is added at another price.")
	b.Page(b.A.Owner, "POST", request+"/decision", b.answer(b.A.Owner, request, "yes")).Want(http.StatusConflict)
	b.must(`UPDATE billing_templates SET total_cents = total_cents - 1`)
	b.API("POST", "/billing_templates/"+strings.TrimPrefix(at, "/templates/")+"/add_subscriber/",
		map[string]any{"client_id": gone}).Want(http.StatusOK)
	b.Page(b.A.Owner, "GET", request, nil).Want(http.StatusOK).Contains(
		"1 row: left out. This client is already a subscriber of the template.")
	b.Page(b.A.Owner, "POST", request+"/decision", b.answer(b.A.Owner, request, "yes")).Want(http.StatusSeeOther)
	b.worked()
	b.worked()
	if n := b.Count(`SELECT count(*) FROM template_clients`); n != 3 {
		t.Errorf("%d subscribers", n)
	}
	b.Page(b.A.Finance, "GET", "/tasks", nil).Want(http.StatusOK).Contains("Add 2 subscribers to “Monthly”", "2 added")

	clientOf(b.Server, "dan@example.com")
	clientOf(b.Server, "eve@example.com")
	check := b.Page(b.A.Finance, "POST", at+"/subscribers/check",
		url.Values{"cells": {"email\ndan@example.com\neve@example.com\n"}}).Want(http.StatusOK)
	form := url.Values{"form_key": {uuid.NewString()}, "rows": {between(check.Body, `name="rows" value="`, `"`)},
		"reason": {"New members."}}
	request = b.Page(b.A.Finance, "POST", at+"/subscribers/bulk", form).Want(http.StatusSeeOther).Header.Get("Location")
	b.Page(b.A.Owner, "POST", request+"/decision", b.answer(b.A.Owner, request, "yes")).Want(http.StatusSeeOther)
	b.must(`UPDATE billing_templates SET total_cents = total_cents + 1`) // between the decision and the work
	b.worked()
	if n := b.Count(`SELECT count(*) FROM template_clients`); n != 3 {
		t.Errorf("%d subscribers after the price changed", n)
	}
}

func TestAHigherPriceForManyIsAskedForAndChangesOnce(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	at := templateOf(t, b.Server, plan("Monthly"))
	for _, email := range []string{"anna@example.com", "ben@example.com"} {
		b.Page(b.A.Finance, "POST", at+"/subscribers", url.Values{"form_key": {uuid.NewString()},
			"client_id": {clientOf(b.Server, email)}}).Want(http.StatusSeeOther)
	}
	b.limited(2*69900 - 1)
	form := url.Values{"from": {b.Store.Now().AddDate(0, 2, 0).Format(time.DateOnly)}, "price-0": {"699,00"}}
	page := b.Page(b.A.Finance, "POST", at+"/price", form).Want(http.StatusOK).Contains(
		"Ask for approval: change the price and tell 2 clients", "A second approver is asked", `name="reason"`).Body
	form.Set("seen", between(page, `name="seen" value="`, `"`))
	form.Set("save", "yes")
	b.Page(b.A.Finance, "POST", at+"/price", form).Want(http.StatusUnprocessableEntity).Contains("Give a reason",
		"Ask for approval")
	form.Set("reason", "Costs rose.")
	request := b.Page(b.A.Finance, "POST", at+"/price", form).Want(http.StatusSeeOther).Header.Get("Location")
	b.Page(b.A.Finance, "POST", at+"/price", form).Want(http.StatusConflict).Contains("Approval was already asked for")
	price := func() int {
		return b.Count(`SELECT count(*) FROM billing_templates WHERE (price_change ->> 'cents')::int = 69900`)
	}
	b.Page(b.A.Owner, "GET", request, nil).Want(http.StatusOK).Contains("Change the price of “Monthly”",
		"2 subscribers: R\u00a0649,00 → R\u00a0699,00")
	stale := b.answer(b.A.Owner, request, "yes")
	b.Page(b.A.Finance, "POST", at+"/subscribers", url.Values{"form_key": {uuid.NewString()},
		"client_id": {clientOf(b.Server, "cleo@example.com")}}).Want(http.StatusSeeOther)
	b.Page(b.A.Owner, "POST", request+"/decision", stale).Want(http.StatusConflict).Contains("changed since you looked")
	if n := price(); n != 0 {
		t.Fatal("the price changed before anybody agreed")
	}
	b.Page(b.A.Owner, "POST", request+"/decision", b.answer(b.A.Owner, request, "yes")).Want(http.StatusSeeOther)
	b.worked()
	b.worked()
	if n, letters := price(), b.Count(`SELECT count(*) FROM price_letters`); n != 1 || letters != 3 {
		t.Errorf("%d prices changed, %d letters", n, letters)
	}
	if n := b.Count(`SELECT count(*) FROM tasks WHERE kind = 'price' AND state = 'done'`); n != 1 {
		t.Errorf("%d tasks are done", n)
	}
}
