package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/followup"
)

// What a client promised to pay of all it owes keeps each failure of that client out of the queue until the day after,
// as a promise about one purchase does, and is kept once all of it is paid.
func TestAPromiseAboutAllThatAClientOwesIsKeptInSight(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	client, token := b.stored("4000009002") // fails on the second day
	ids := []string{b.charged(client, token, 30007, 4), b.charged(client, token, 20000, 4)}
	other, second := b.stored("4000009002")
	b.charged(other, second, 10000, 4)
	b.later(7)
	b.waiting(3, "after the failures")
	ctx, staff, service := t.Context(), b.A.Staff.Actor(), b.Followups
	promise := func(days int) followup.Promise {
		t.Helper()
		p, err := service.AddPromise(ctx, staff, followup.Object{Type: followup.Client, ID: uuid.MustParse(client)},
			followup.Promising{AmountCents: 50007, DueOn: dayOf(b).AddDays(days)})
		must(t, err)
		return p
	}
	first := promise(2)
	b.waiting(1, "until the day of the promise the other client’s failure waits")
	b.Page(b.A.Staff, "GET", "/attention?whose=later", nil).Want(http.StatusOK).Contains("Promised")
	b.later(3)
	b.waiting(2, "the promise waits on the day after it")
	if _, err := service.SettlePromise(ctx, staff, first.ID, followup.Broken); err != nil {
		t.Fatal(err)
	}
	b.waiting(3, "when the promise was broken")
	latest := promise(2)
	b.API("POST", "/purchases/"+ids[0]+"/mark_as_paid/", map[string]any{}).Want(200)
	b.waiting(1, "when a part of it is paid")
	standing := func(want followup.PromiseState) {
		t.Helper()
		all, err := service.Store.PromisesOf(ctx, b.A.ID, uuid.MustParse(client), 10)
		if err != nil || len(all) != 2 || all[0].ID != latest.ID || all[0].Standing(dayOf(b)) != want {
			t.Errorf("the promises are %+v, %v; want the newest one %s", all, err, want)
		}
	}
	standing(followup.Open)
	b.API("POST", "/purchases/"+ids[1]+"/mark_as_paid/", map[string]any{}).Want(200)
	standing(followup.Kept)
	b.later(3)
	b.waiting(1, "when all of it is paid, the promise waits for nobody")
	standing(followup.Kept)
}

// Clients that are merged, and separated again, take what was promised of all they owe with them.
func TestAPromiseAboutEverythingMovesWithItsClient(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	one, token := b.stored("4000009002")
	b.charged(one, token, 30007, 4)
	other, second := b.stored("4000009002")
	b.charged(other, second, 10000, 4)
	b.later(7)
	ctx, staff := t.Context(), b.A.Staff.Actor()
	_, err := b.Followups.AddPromise(ctx, staff, followup.Object{Type: followup.Client, ID: uuid.MustParse(one)},
		followup.Promising{AmountCents: 30007, DueOn: dayOf(b).AddDays(2)})
	must(t, err)
	b.waiting(1, "the other client’s failure")
	at := "/clients/" + one + "/merge"
	seen := regexp.MustCompile(`name="seen" value="([^"]*)"`).FindStringSubmatch(b.Page(b.A.Owner, "GET", at+"?with="+other,
		nil).Want(http.StatusOK).Body)
	b.Page(b.A.Owner, "POST", at, url.Values{"with": {other}, "seen": {seen[1]}}).Want(http.StatusSeeOther)
	b.waiting(0, "of the merged client everything was promised")
}
