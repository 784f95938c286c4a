package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/web/templates"
	"debitdesk/models/task"
)

// rowsOf reads a file.
func (b business) rowsOf(who handlertest.Person, href string) [][]string {
	b.t.Helper()
	body := strings.TrimPrefix(b.Page(who, "GET", href, nil).Want(http.StatusOK).Body, "\ufeff")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		b.t.Fatalf("%v: %s", err, body)
	}
	return rows
}

// acted rehearses an act on rows of a list and does it, and gives the rehearsal.
func (b business) acted(who handlertest.Person, list, of, act string, ids ...string) (page string) {
	b.t.Helper()
	to := b.chosen(who, url.Values{"list": {list}, "of": {of}, "id": ids, "act": {act}})
	page, form := b.rehearsed(who, to)
	if form.Get("seen") == "" {
		return page
	}
	b.Page(who, "POST", to, form).Want(http.StatusSeeOther)
	b.Page(who, "POST", to, form).Want(http.StatusSeeOther) // the button is pressed twice
	return page
}

// A file of what was selected holds the selected rows as they are now, and no others: those that have left the
// filter since are there, and those that came are not.
func TestTheFileOfASelectionHoldsWhatWasSelected(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("62001230101")
	var ids []string
	for i := range 5 {
		ids = append(ids, b.bought(client, 1000+i, 30))
	}
	who := b.A.Staff
	choose := url.Values{"list": {"purchases"}, "query": {"status=created&sort=amount"}, "all": {"yes"},
		"act": {"export-csv"}}
	file := b.chosen(who, choose)
	b.API("POST", "/purchases/"+ids[1]+"/cancel/", nil).Want(200)
	b.API("POST", "/purchases/"+ids[3]+"/mark_as_paid/", map[string]any{}).Want(200)
	b.bought(client, 9999, 30)
	rows := b.rowsOf(who, file)
	status, amount := slices.Index(rows[0], "Status"), slices.Index(rows[0], "Amount")
	var got []string
	for _, row := range rows[1:] {
		got = append(got, row[amount]+" "+row[status])
	}
	slices.Sort(got)
	if want := "10.00 Created|10.01 Cancelled|10.02 Created|10.03 Paid|10.04 Created"; !sameWords(got, want) {
		t.Errorf("the file holds %q", got)
	}
	b.Page(
		who,
		"POST",
		"/lists/settings",
		url.Values{"list": {"/purchases"}, "order": {"reference", "status"}, "shown": {"reference", "status"}},
	)
	b.Page(who, "GET", "/purchases", nil).Want(http.StatusOK).Contains(`name="columns" value="reference,status"`)
	choose.Set("columns", "reference,status")
	if rows := b.rowsOf(who, b.chosen(who, choose)); slices.Contains(rows[0], "Currency") ||
		!slices.Contains(rows[0], "Status") {
		t.Errorf("the file has the columns %q", rows[0])
	}

	// A debit is chosen, not its purchase: the file has that debit alone, and the acts are about the purchase.
	debited := b.charged(client, token, 5000, 5)
	list := b.Page(who, "GET", "/purchases/debits", nil).Want(http.StatusOK).Body
	debit := b.text(`SELECT id FROM collections WHERE purchase_id = $1`, debited)
	if !strings.Contains(list, `name="id" value="`+debit) {
		t.Error("the debit cannot be ticked")
	}
	file = b.chosen(who, url.Values{"list": {"debits"}, "id": {debit}, "act": {"export-csv"}})
	if rows := b.rowsOf(who, file); len(rows) != 2 {
		t.Errorf("%d lines", len(rows))
	}
	to := b.chosen(who, url.Values{"list": {"debits"}, "id": {debit}, "act": {"cancel"}})
	page, form := b.rehearsed(who, to)
	for _, want := range []string{"Cancel 1 purchase · R 50,00", "Keep them"} {
		if !strings.Contains(page, want) {
			t.Errorf("the rehearsal does not say %q", want)
		}
	}
	if strings.Contains(page, ">Cancel<") {
		t.Error("a button says “Cancel” alone")
	}
	b.Page(who, "POST", to, form).Want(http.StatusSeeOther)
	if got := b.status(debited); got != "cancelled" {
		t.Errorf("it is %s", got)
	}
}

func sameWords(got []string, want string) bool { return slices.Equal(got, strings.Split(want, "|")) }

// text is one value of the database.
func (b business) text(sql string, args ...any) (text string) {
	b.t.Helper()
	if err := b.Store.Pool.QueryRow(b.t.Context(), "SELECT ("+sql+")::text", args...).Scan(&text); err != nil {
		b.t.Fatal(err)
	}
	return text
}

// Subscribers and templates are paused, resumed, reminded and removed many at once, by the rules of one.
func TestManySubscribersArePausedResumedAndRemoved(t *testing.T) {
	b := newBusiness(t)
	at := templateOf(t, b.Server, plan("Monthly"))
	of := strings.TrimPrefix(at, "/templates/")
	who, id := b.A.Finance, func(href string) string { return href[strings.LastIndexByte(href, '/')+1:] }
	active := []string{id(subscribed(t, b.Server, at, "6200000001")), id(subscribed(t, b.Server, at, "6200000002"))}
	pending := id(b.Page(who, "POST", at+"/subscribers", url.Values{"form_key": {uuid.NewString()},
		"client_id": {clientOf(b.Server, "anna@example.com")}}).Want(http.StatusSeeOther).Header.Get("Location"))
	all := append(slices.Clone(active), pending)
	b.Page(who, "GET", at, nil).
		Want(http.StatusOK).
		Contains(`data-choose="subscribers"`, `value="pause"`, `value="remove"`)
	status := func(want string) {
		t.Helper()
		got := b.text(
			`SELECT string_agg(status, ' ' ORDER BY array_position($1::text[], id::text)) FROM template_clients`,
			all,
		)
		if got != want {
			t.Errorf("they are %s, want %s", got, want)
		}
	}
	if page := b.acted(who, "subscribers", of, "pause", all...); !strings.Contains(page, "Pause 2 subscribers?") ||
		!strings.Contains(page, "can be neither paused nor resumed") {
		t.Error("the rehearsal does not say who is paused, and who is not")
	}
	status("subscription_paused subscription_paused pending")
	if page := b.acted(who, "subscribers", of, "pause", active...); !strings.Contains(page, "It is paused already.") {
		t.Error("what is paused is paused again")
	}
	b.acted(who, "subscribers", of, "resume", active[0])
	status("active subscription_paused pending")
	b.acted(who, "subscribers", of, "remind", all...)
	if n := b.Count(`SELECT count(*) FROM template_clients WHERE reminded_at IS NOT NULL`); n != 1 {
		t.Errorf("%d reminded", n)
	}
	b.acted(who, "subscribers", of, "remove", active[1], pending)
	status("active inactive inactive")
	if n := b.Count(`SELECT count(*) FROM purchases WHERE status = 'cancelled'`); n != 1 {
		t.Errorf("%d first purchases cancelled", n)
	}
	for action, want := range map[string]int{"bulk.pause": 1, "bulk.resume": 1, "bulk.remind": 1, "bulk.remove": 1} {
		if n := b.Count(`SELECT count(*) FROM audit_entries WHERE action = $1`, action); n != want {
			t.Errorf("%s: %d", action, n)
		}
	}
	if n := b.Count(
		`SELECT count(*) FROM audit_entries WHERE action = 'subscriber.changed' AND actor_id = $1`,
		who.ID,
	); n != 6 {
		t.Errorf("%d changes are audited", n)
	}
	// The template, and an invoice template beside it.
	other := templateOf(
		t,
		b.Server,
		plan("Key", "kind", "invoice", "due", "2099-03-01", "method", "any", "force_recurring", ""),
	)
	page := b.acted(who, "templates", "", "pause", of, strings.TrimPrefix(other, "/templates/"))
	if !strings.Contains(page, "Pause 1 template?") || !strings.Contains(page, "it has no subscribers") {
		t.Error("the rehearsal does not say which template is paused")
	}
	b.Page(who, "GET", at, nil).Contains("Paused for all subscribers")
	b.acted(who, "templates", "", "resume", of)
	b.Page(who, "GET", at, nil).Lacks("Paused for all subscribers")
	// Staff may write notes about subscribers, and change none.
	b.Page(b.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("Your role does not allow this.")
	to := b.chosen(b.A.Staff, url.Values{"list": {"subscribers"}, "of": {of}, "id": active, "act": {"pause"}})
	b.Page(b.A.Staff, "GET", to, nil).Want(http.StatusForbidden)
	to = b.chosen(b.A.Staff, url.Values{"list": {"subscribers"}, "of": {of}, "id": active, "act": {"note"}})
	_, form := b.rehearsed(b.A.Staff, to)
	form.Set("text", "Will move house.")
	if back := b.Page(b.A.Staff, "POST", to, form).Want(http.StatusSeeOther).Header.Get("Location"); back != at {
		t.Errorf("goes to %s", back)
	}
	if n := b.Count(`SELECT count(*) FROM notes WHERE object_type = 'subscriber'`); n != 2 {
		t.Errorf("%d notes", n)
	}
	for _, bad := range []url.Values{{"list": {"subscribers"}, "id": active, "act": {"pause"}},
		{"list": {"subscribers"}, "of": {uuid.NewString()}, "id": active, "act": {"pause"}}} {
		b.Page(who, "POST", "/selections", bad).Want(http.StatusNotFound)
	}
	b.Page(b.B.Owner, "POST", "/selections", url.Values{"list": {"subscribers"}, "of": {of}, "id": active}).
		Want(http.StatusNotFound)
	// Templates are deleted: how many subscribers that ends is typed, and once more when there is one more by then.
	to = b.chosen(who, url.Values{"list": {"templates"}, "id": {of, strings.TrimPrefix(other, "/templates/")},
		"act": {"delete"}})
	text, form := b.rehearsed(who, to)
	for _, want := range []string{"Delete 2 templates?", "Type 1, the number of subscribers, to confirm",
		"Deleted; no subscriber is billed from it",
		"Deleted; no subscriber is billed from it", "subscribers will no longer be billed", "Keep them"} {
		if !strings.Contains(text, want) {
			t.Errorf("the rehearsal does not say %q", want)
		}
	}
	b.Page(who, "POST", to, form).Want(http.StatusUnprocessableEntity).Contains("Type 1.", `<a href="#act-confirm">Type 1.</a>`)
	subscribed(t, b.Server, at, "6200000003")
	form.Set("confirm", "1")
	b.Page(who, "POST", to, form).Want(http.StatusConflict).Contains("Type 2, the number of subscribers")
	_, form = b.rehearsed(who, to)
	form.Set("confirm", "2")
	b.Page(who, "POST", to, form).Want(http.StatusSeeOther)
	if n := b.Count(`SELECT count(*) FROM billing_templates WHERE deleted_at IS NULL`); n != 0 {
		t.Errorf("%d templates are left", n)
	}
	if n := b.Count(`SELECT count(*) FROM template_clients WHERE status <> 'inactive'`); n != 0 {
		t.Errorf("%d subscribers go on without a template", n)
	}
}

// Clients who did not confirm are asked again, many at once; who cannot be asked is told with the reason.
func TestManyMandatesAreAskedAgain(t *testing.T) {
	b := business{Server: handlertest.New(t), t: t}
	declined, later := asks(t, b.Server, "4000008002", "10000")
	later(2 * time.Hour)
	_, eft := b.stored("62001230101")
	who := b.A.Staff
	b.Page(who, "GET", "/mandates", nil).
		Want(http.StatusOK).
		Contains(`value="ask-delayed"`, `value="deletion"`, "Only an admin can delete tokens.")
	page := b.acted(who, "mandates", "", "ask-delayed", declined, eft)
	for _, want := range []string{"Ask again to confirm 1 mandate by SMS?",
		"Only DebiCheck mandates are confirmed by the client at the bank."} {
		if !strings.Contains(page, want) {
			t.Errorf("the rehearsal does not say %q", want)
		}
	}
	if n := b.Count(`SELECT count(*) FROM mandate_authentications WHERE mandate_id = $1`, declined); n != 2 {
		t.Errorf("asked %d times", n)
	}
	if page := b.acted(who, "mandates", "", "ask-delayed", declined); !strings.Contains(page,
		"The client is already being asked.") {
		t.Error("who is being asked is asked again")
	}
	for list, one := range map[string]string{"mandates": declined, "tokens": eft} {
		to := b.chosen(who, url.Values{"list": {list}, "id": {one}, "act": {"note"}})
		_, form := b.rehearsed(who, to)
		form.Set("text", "Speaks Sesotho.")
		b.Page(who, "POST", to, form).Want(http.StatusSeeOther)
		of := b.text(`SELECT client_id FROM purchases WHERE id = $1`, one)
		b.Page(who, "GET", "/clients/"+of, nil).Want(http.StatusOK).Contains("Speaks Sesotho.")
	}
	b.Page(who, "GET", "/mandates/"+declined, nil).Want(http.StatusOK).Contains("A note was added.")
	// The tokens of mandates are deleted by the page that asks what becomes of what hangs on them.
	to := b.chosen(b.A.Owner, url.Values{"list": {"mandates"}, "id": {declined, eft}, "act": {"deletion"}})
	b.Page(b.A.Owner, "GET", to, nil).
		Want(http.StatusOK).
		Contains("Delete ", "1 row that you selected is left out: there is no token to delete.")
	b.Page(who, "POST", "/tokens/deletion", url.Values{"id": {eft}, "confirm": {"0101"}}).Want(http.StatusForbidden)
	// The files of both registers hold what was chosen.
	for list, id := range map[string]string{"mandates": declined, "tokens": eft} {
		rows := b.rowsOf(who, b.chosen(who, url.Values{"list": {list}, "id": {id}, "act": {"export-csv"}}))
		if len(rows) != 2 {
			t.Errorf("%d lines of %s", len(rows), list)
		}
	}
	// A client that was deleted was not erased: notes about its mandates are kept, many at once as on their pages.
	b.API("DELETE", "/clients/"+b.text(`SELECT client_id FROM mandates WHERE id = $1`, eft)+"/", nil).Want(204)
	to = b.chosen(who, url.Values{"list": {"mandates"}, "id": {eft}, "act": {"note"}})
	if page, form := b.rehearsed(who, to); form.Get("seen") == "" {
		t.Errorf("the note is refused: %s", page)
	} else {
		form.Set("text", "Moved to Durban.")
		b.Page(who, "POST", to, form).Want(http.StatusSeeOther)
	}
	if n := b.Count(`SELECT count(*) FROM notes WHERE object_id = $1 AND object_type = 'mandate'`, eft); n != 1 {
		t.Errorf("%d notes about the mandate", n)
	}
}

// More subscribers than a person waits for are added in the background. A process that is killed meanwhile adds nobody
// twice and leaves nobody out, and the file accounts for every row.
func TestManySubscribersAreAddedInTheBackground(t *testing.T) {
	b := newBusiness(t)
	at := templateOf(t, b.Server, plan("Monthly"))
	cells := "email\nnobody@example.com\n"
	const n = 60
	for i := range n {
		mail := fmt.Sprintf("m%d@example.com", i)
		clientOf(b.Server, mail)
		cells += mail + "\n"
	}
	who := b.A.Finance
	check := b.Page(who, "POST", at+"/subscribers/check", url.Values{"cells": {cells}}).Want(http.StatusOK).
		Contains("Add 60 subscribers", "They are added in the background").Body
	form := url.Values{"form_key": {between(check, `name="form_key" value="`, `"`)},
		"rows": {html.UnescapeString(between(check, `name="rows" value="`, `"`))}}
	steps := &stepping{worker: b.Tasks.Workers[templates.AddKind]}
	b.Tasks.Workers[templates.AddKind] = steps
	for range 2 { // a double submit
		if to := b.Page(who, "POST", at+"/subscribers/bulk", form).
			Want(http.StatusSeeOther).
			Header.Get(
			"Location",
		); to != "/tasks" {
			t.Fatalf("goes to %s", to)
		}
	}
	if got := b.Count(`SELECT count(*) FROM tasks WHERE kind = 'subscribers'`); got != 1 {
		t.Fatalf("%d tasks", got)
	}
	for kill := 0; b.Count(`SELECT count(*) FROM tasks WHERE state = 'done'`) == 0; kill++ {
		if kill > 8 {
			t.Fatal("it never ends")
		}
		steps.steps, steps.before, steps.after = 0, nil, nil
		if dies := func(step int, _ *task.Task) {
			if step == 1+kill%2 {
				runtime.Goexit()
			}
		}; kill%2 == 0 {
			steps.after = dies // what the step did stands, and nobody learned of it
		} else {
			steps.before = dies
		}
		lost(func() { _ = b.Tasks.TakeUp(context.WithoutCancel(t.Context())) })
		b.Wait(2 * time.Minute)
	}
	if got := b.Count(`SELECT count(*) FROM template_clients`); got != n {
		t.Errorf("%d subscribers", got)
	}
	if twice := b.Count(
		`SELECT count(*) FROM (SELECT client_id FROM template_clients GROUP BY 1 HAVING count(*) > 1) AS x`,
	); twice != 0 {
		t.Errorf("%d twice", twice)
	}
	tasks := b.Page(who, "GET", "/tasks", nil).Want(http.StatusOK).
		Contains("Add 60 subscribers to “Monthly”", "61 rows read = 60 added + 1 skipped + 0 failed.").Body
	rows := b.rowsOf(who, html.UnescapeString(taskFile.FindStringSubmatch(tasks)[1]))
	if len(rows) != n+2 || rows[1][4] != "left out" || rows[2][4] != "added" {
		t.Errorf("%d lines: %v", len(rows), rows[:3])
	}
	// Many pending ones are shown before they are reminded, in the background too.
	b.must(`UPDATE template_clients SET created_at = $1`, b.Store.Now().Add(-8*24*time.Hour))
	b.Page(who, "GET", at+"/pending?act=remind", nil).Want(http.StatusOK).Contains("Show 60 subscribers")
	to := b.Page(who, "POST", at+"/pending", url.Values{"act": {"remind"}, "count": {"60"}}).
		Want(http.StatusSeeOther).
		Header.Get(
		"Location",
	)
	page, remind := b.rehearsed(who, to)
	if !strings.Contains(page, "Remind 60 subscribers?") || !strings.HasSuffix(to, "/remind") {
		t.Errorf("%s does not rehearse", to)
	}
	if to := b.Page(who, "POST", to, remind).Want(http.StatusSeeOther).Header.Get("Location"); to != "/tasks" {
		t.Errorf("goes to %s", to)
	}
}
