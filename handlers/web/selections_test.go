package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/web/bulk"
	"debitdesk/models/selection"
	"debitdesk/models/task"
)

// failed makes purchases whose debit failed, each of a client of its own.
func (b business) unpaid(n int) (purchases []string) {
	b.t.Helper()
	for i := range n {
		client, token := b.stored(fmt.Sprintf("620%03d39002", b.Count(`SELECT count(*) FROM clients`)+i))
		purchases = append(purchases, b.charged(client, token, 10000+100*i, 5))
	}
	b.later(12)
	for _, id := range purchases {
		if status := b.API("GET", "/purchases/"+id+"/", nil).
			Want(200).
			Text("status"); status == "pending_charge" ||
			status == "pending_execute" {
			b.t.Fatalf("a purchase is %s", status)
		}
	}
	return purchases
}

// chosen posts the form over a list, and gives where it leads.
func (b business) chosen(who handlertest.Person, form url.Values) string {
	b.t.Helper()
	return b.Page(who, "POST", "/selections", form).Want(http.StatusSeeOther).Header.Get("Location")
}

var (
	seenField = regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`)
)

// rehearsed opens the rehearsal, and gives the form of its button.
func (b business) rehearsed(who handlertest.Person, href string) (page string, form url.Values) {
	b.t.Helper()
	page = b.Page(who, "GET", href, nil).Want(http.StatusOK).Body
	form = url.Values{}
	if m := seenField.FindStringSubmatch(page); m != nil {
		form.Set("seen", m[1])
	}
	return plain(page), form
}

func (b business) status(id string) string {
	b.t.Helper()
	return b.API("GET", "/purchases/"+id+"/", nil).Want(200).Text("status")
}

// What was counted is what is acted on: rows that came later are not in it, those that changed are named, and those
// that cannot be done are told with the reason.
func TestAnActHitsWhatWasSelected(t *testing.T) {
	b := newBusiness(t)
	ids := b.unpaid(4)
	who := b.A.Staff
	list := b.Page(who, "GET", "/purchases?attention=failed", nil).Want(http.StatusOK).
		Contains(`data-choose="purchases"`, `value="again"`, `name="id" value="`+ids[0]).Body
	if strings.Contains(list, "that match") {
		t.Error("the page has all rows, and offers more")
	}
	to := b.chosen(who, url.Values{"list": {"purchases"}, "query": {"attention=failed"}, "all": {"yes"}, "act": {"again"}})
	late := b.unpaid(1)[0]
	b.API("POST", "/purchases/"+ids[0]+"/mark_as_paid/", map[string]any{}).Want(200)
	page, form := b.rehearsed(who, to)
	for _, want := range []string{"Debit 3 purchases again", "4 purchases selected", "1 purchase changed",
		"This is possible only while a purchase is not paid. The status of this one is “Paid”.", "R 306,00"} {
		if !strings.Contains(page, want) {
			t.Errorf("the rehearsal does not say %q", want)
		}
	}
	if n := b.Count(`SELECT count(*) FROM collections`); n != 5 {
		t.Fatalf("%d debits after the rehearsal", n)
	}
	// Somebody debits one meanwhile: what would happen is another thing, and nothing does.
	b.API("POST", "/purchases/"+ids[1]+"/cancel/", map[string]any{}).Want(200)
	b.Page(who, "POST", to, form).Want(http.StatusConflict).Contains("Something changed since you opened this page")
	_, form = b.rehearsed(who, to)
	var both sync.WaitGroup
	for range 2 { // the button is pressed twice
		both.Go(func() { b.Page(who, "POST", to, form).Want(http.StatusSeeOther) })
	}
	both.Wait()
	b.Page(who, "POST", to, form).Want(http.StatusSeeOther)
	for i, want := range []string{"paid", "cancelled", "pending_charge", "pending_charge"} {
		if got := b.status(ids[i]); got != want {
			t.Errorf("purchase %d is %s, want %s", i, got, want)
		}
	}
	if got := b.status(late); got != "error" {
		t.Errorf("the purchase that failed later is %s", got)
	}
	for what, want := range map[string]int{`SELECT count(*) FROM collections WHERE state = 'scheduled'`: 2,
		`SELECT count(*) FROM tasks WHERE kind = 'bulk'`:                                                                1,
		`SELECT count(*) FROM audit_entries WHERE action = 'bulk.again'`:                                                1,
		`SELECT count(*) FROM audit_entries WHERE action = 'purchase.charged' AND actor_id = '` + who.ID.String() + `'`: 2} {
		if n := b.Count(what); n != want {
			t.Errorf("%s: %d, want %d", what, n, want)
		}
	}
	b.Page(who, "GET", "/tasks", nil).
		Want(http.StatusOK).
		Contains("Debit 2 purchases again", "2 purchases will be debited again.")
}

// Without scripts a person ticks rows and presses an act; with them the same form keeps what is ticked over pages.
func TestRowsAreSelectedOverPages(t *testing.T) {
	b := newBusiness(t)
	client, _ := b.stored("62001230101")
	var ids []string
	for range 53 {
		ids = append(ids, b.bought(client, 1000, 30))
	}
	who := b.A.Reader
	b.Page(who, "GET", "/purchases?status=created", nil).
		Want(http.StatusOK).
		Contains(`value="yes"`, "Select all 53 purchases that match")
	to := b.chosen(who, url.Values{"list": {"purchases"}, "query": {"status=created"}, "all": {"yes"}})
	if !strings.HasPrefix(to, "/purchases?status=created&selection=") {
		t.Fatalf("goes to %s", to)
	}
	b.Page(who, "GET", to, nil).
		Want(http.StatusOK).
		Contains("53 purchases selected · R\u00a0530,00", " checked", "selection=", "Clear selection").
		Lacks(`class="filters"`)
	sel := to[strings.LastIndexByte(to, '=')+1:]
	// One is taken out on its page, as a script does and as the form without scripts does.
	form := url.Values{"list": {"purchases"}, "query": {"status=created"}, "selection": {sel},
		"shown": {ids[0] + "," + ids[1]}, "id": {ids[1]}}
	b.Page(who, "POST", "/selections", form, "HX-Request: true", "HX-Target: selection").Want(http.StatusOK).
		Contains("52 purchases selected · R\u00a0520,00").Lacks("<html")
	b.chosen(who, form)
	if file := b.chosen(
		who,
		url.Values{"list": {"purchases"}, "query": {"status=created"}, "selection": {sel}, "act": {"export-csv"}},
	); true {
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.Page(who, "GET", file,
			nil).Want(http.StatusOK).Body, "\ufeff"))).
			ReadAll()
		if err != nil || len(rows) != 53 {
			t.Errorf("%d lines, %v", len(rows), err)
		}
	}
	// Nothing ticked, or what cannot be read, selects nothing.
	if to := b.chosen(who, url.Values{"list": {"purchases"}, "act": {"cancel"}}); to != "/purchases" {
		t.Errorf("goes to %s", to)
	}
	b.Page(who, "GET", "/purchases", nil).Contains("Nothing is selected. Tick some rows first.")
	if to := b.chosen(who, url.Values{"list": {"purchases"}, "query": {"status=wrong"}, "all": {"yes"}}); strings.Contains(
		to, "selection") {
		t.Errorf("a filter that is not understood selects: %s", to)
	}
	for _, bad := range []url.Values{{"list": {"secrets"}}, {"list": {"audit entries"}, "all": {"yes"}},
		{"list": {"purchases"}, "id": {"x"}},
		{"list": {"purchases"}, "selection": {"x"}}, {"list": {"purchases"}, "selection": {uuid.NewString()}}} {
		b.Page(b.A.Owner, "POST", "/selections", bad).Want(http.StatusNotFound)
	}
	b.Page(who, "GET", "/purchases?selection="+uuid.NewString(), nil).
		Want(http.StatusOK).
		Contains("This selection is over.")
	// What was searched for is not kept in clear, and after a day nothing is.
	if n := b.Count(
		`SELECT count(*) FROM selections WHERE position(convert_to('created', 'UTF8') in query_sealed) > 0`,
	); n != 0 {
		t.Error("the filters are kept in clear")
	}
	b.Wait(selection.Kept + time.Hour)
	store := selection.Store{DB: b.Store}
	if err := store.Tidy(t.Context(), b.Real()); err != nil || b.Count(`SELECT count(*) FROM selections`) != 0 {
		t.Error("selections are kept", err)
	}
}

// A selection belongs to one person of one business, and an act asks for what it asks for singly.
func TestASelectionIsOnesOwn(t *testing.T) {
	b := newBusiness(t)
	client, _ := b.stored("62001230101")
	id := b.bought(client, 1000, 30)
	to := b.chosen(b.A.Staff, url.Values{"list": {"purchases"}, "id": {id}, "act": {"cancel"}})
	_, form := b.rehearsed(b.A.Staff, to)
	for _, other := range []handlertest.Person{b.A.Finance, b.B.Owner} {
		b.Page(other, "GET", to, nil).Want(http.StatusNotFound)
		b.Page(other, "POST", to, form).Want(http.StatusNotFound)
	}
	b.Page(b.A.Reader, "POST", to, form).Want(http.StatusForbidden)
	b.Page(b.A.Staff, "GET", strings.Replace(to, "cancel", "erase", 1), nil).Want(http.StatusNotFound)
	// Ids of another business lead to no row.
	if to := b.chosen(b.B.Owner, url.Values{"list": {"purchases"}, "id": {id}, "act": {"cancel"}}); to != "/purchases" {
		t.Errorf("goes to %s", to)
	}
	mine := b.chosen(b.B.Owner, url.Values{"list": {"purchases"}, "all": {"yes"}})
	if strings.Contains(mine, "selection") {
		t.Errorf("another business selects ours: %s", mine)
	}
	if got := b.status(id); got != "created" {
		t.Errorf("it is %s", got)
	}
	b.Page(b.A.Staff, "POST", to, form).Want(http.StatusSeeOther)
	if got := b.status(id); got != "cancelled" {
		t.Errorf("it is %s", got)
	}
}

// Notes and owners are given to many rows, what is wrong with them is said first, and the act leads back to the page
// that it came from.
func TestManyRowsAreFollowedUp(t *testing.T) {
	b := newBusiness(t)
	client, _ := b.stored("62001230101")
	ids := []string{b.bought(client, 1000, 30), b.bought(client, 2000, 30)}
	who := b.A.Staff
	for act, field := range map[string]struct{ name, wrong, right, rows string }{
		"note":   {"text", "8001015009087", "Called, no answer.", `SELECT count(*) FROM notes`},
		"assign": {"owner", uuid.NewString(), b.A.Finance.ID.String(), `SELECT count(*) FROM owners`},
	} {
		for list, of := range map[string][]string{"purchases": ids, "clients": {client}} {
			to := b.chosen(who, url.Values{"list": {list}, "id": of, "act": {act}, "back": {"/attention?reason=failed"}})
			if !strings.HasSuffix(to, "?back=%2Fattention%3Freason%3Dfailed") {
				t.Errorf("goes to %s", to)
			}
			page, form := b.rehearsed(who, to)
			if !strings.Contains(page, `href="/attention?reason=failed"`) {
				t.Error("the rehearsal does not lead back")
			}
			form.Set("back", "/attention?reason=failed")
			path, _, _ := strings.Cut(to, "?")
			before := b.Count(field.rows)
			form.Set(field.name, field.wrong)
			b.Page(who, "POST", path, form).Want(http.StatusUnprocessableEntity)
			if n := b.Count(field.rows); n != before {
				t.Errorf("%s: %d rows after a refusal", act, n-before)
			}
			form.Set(field.name, field.right)
			if at := b.Page(who, "POST", path, form).
				Want(http.StatusSeeOther).
				Header.Get(
				"Location",
			); at != "/attention?reason=failed" {
				t.Errorf("%s leads to %s", act, at)
			}
			if n := b.Count(field.rows) - before; n != len(of) {
				t.Errorf("%s of %s: %d rows, want %d", act, list, n, len(of))
			}
		}
	}
	for _, bad := range []string{"//evil.example/", "https://evil.example/", `/\evil.example`, "evil"} {
		if to := b.chosen(
			who,
			url.Values{"list": {"purchases"}, "id": ids, "act": {"note"}, "back": {bad}},
		); strings.Contains(to, "back") {
			t.Errorf("%s is gone back to: %s", bad, to)
		}
	}
}

// However many rows are selected, a rehearsal holds few of them at once, and asks little for each.
func TestTwoThousandRowsAreRehearsed(t *testing.T) {
	b := newBusiness(t)
	client, _ := b.stored("62001230101")
	first := b.bought(client, 1000, 30)
	b.Count(
		`WITH more AS (INSERT INTO purchases SELECT (p2).* FROM (SELECT jsonb_populate_record(p, jsonb_build_object('id',
		gen_random_uuid(), 'payer_sealed', NULL)) AS p2 FROM purchases p, generate_series(1, 1999)
		WHERE p.id = $1) AS made RETURNING 1)
		SELECT count(*) FROM more`,
		first,
	)
	to := b.chosen(
		b.A.Staff,
		url.Values{"list": {"purchases"}, "query": {"status=created"}, "all": {"yes"}, "act": {"cancel"}},
	)
	before := b.Store.Pool.Stat().AcquireCount()
	page, _ := b.rehearsed(b.A.Staff, to)
	asked := b.Store.Pool.Stat().AcquireCount() - before
	if !strings.Contains(page, "Cancel 2 000 purchases · R 20 000,00") || strings.Count(page, "<li>") > 200 {
		t.Error("the rehearsal does not sum up 2 000 rows, or shows them all")
	}
	if asked > 100 {
		t.Errorf("%d questions for 2 000 rows", asked)
	}
	more := regexp.MustCompile(`href="(/selections/[^"]+group=[^"]+)"`).FindStringSubmatch(page)
	if more == nil {
		t.Fatal("the group does not open its rows")
	}
	rows := plain(b.Page(b.A.Staff, "GET", html.UnescapeString(more[1])+"&from=1900", nil).Want(http.StatusOK).Body)
	if !strings.Contains(rows, "1901 to 2000 of 2 000") || strings.Count(rows, `href="/purchases/`) < 100 {
		t.Error("the last rows of the group are not shown")
	}
}

// A process that is killed at any point of a long act does nothing twice and leaves nothing out.
func TestALongActGoesOnAfterAKill(t *testing.T) {
	b := newBusiness(t)
	const n = 60
	for i := range n / 2 { // one mail reminds a client of both
		client := b.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("late%d@example.com", i),
			"full_name": "Late Payer"}).Want(http.StatusCreated).Text("id")
		b.bought(client, 1000, 30)
		b.bought(client, 2000, 30)
	}
	steps := &stepping{worker: b.Tasks.Workers[bulk.Kind]}
	b.Tasks.Workers[bulk.Kind] = steps
	to := b.chosen(
		b.A.Staff,
		url.Values{"list": {"purchases"}, "query": {"status=created"}, "all": {"yes"}, "act": {"remind"}},
	)
	page, form := b.rehearsed(b.A.Staff, to)
	if !strings.Contains(page, "It goes on in the background") {
		t.Error("the page does not say that it goes on in the background")
	}
	if to := b.Page(b.A.Staff, "POST", to, form).Want(http.StatusSeeOther).Header.Get("Location"); to != "/tasks" {
		t.Errorf("goes to %s", to)
	}
	for kill := 0; b.Count(`SELECT count(*) FROM tasks WHERE state = 'done'`) == 0; kill++ {
		if kill > 8 {
			t.Fatal("it never ends")
		}
		steps.steps = 0
		dies := func(step int, _ *task.Task) {
			if step == 1 {
				runtime.Goexit()
			}
		}
		steps.before, steps.after = nil, dies // what the step did stands, and nobody learned of it
		if kill%2 == 1 {
			steps.before, steps.after = func(step int, _ *task.Task) {
				if step == 2 {
					runtime.Goexit()
				}
			}, nil
		}
		lost(func() { _ = b.Tasks.TakeUp(context.WithoutCancel(t.Context())) })
		b.Wait(2 * time.Minute)
	}
	if sent := b.Count(`SELECT count(*) FROM mails WHERE kind = 'reminder'`); sent != n/2 {
		t.Errorf("%d mails, want %d", sent, n/2)
	}
	if twice := b.Count(`SELECT count(*) FROM purchases WHERE mail_count > 1`); twice != 0 {
		t.Errorf("%d clients got two mails", twice)
	}
	tasks := b.Page(b.A.Staff, "GET", "/tasks", nil).
		Want(http.StatusOK).
		Contains("Reminders for 60 purchases are on their way.").
		Body
	file := b.Page(b.A.Staff, "GET", html.UnescapeString(taskFile.FindStringSubmatch(tasks)[1]), nil).
		Want(http.StatusOK).
		Body
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != n+1 || strings.Count(file, ",done,") != n {
		t.Errorf("%d lines, %v: %s", len(rows), err, file)
	}
}

// What fails for a reason of ours while the person waits is tried again in the background, and the person is told so.
func TestAnActThatFailsAtOnceGoesOnInTheBackground(t *testing.T) {
	b := newBusiness(t)
	client, _ := b.stored("62001230101")
	ids := []string{b.bought(client, 1000, 30), b.bought(client, 2000, 30)}
	b.must(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF NEW.object_id = '` + ids[1] + `' THEN RAISE EXCEPTION 'disk full'; END IF; RETURN NEW; END $$`)
	b.must(`CREATE TRIGGER refuse BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION refuse()`)
	to := b.chosen(b.A.Staff, url.Values{"list": {"purchases"}, "id": ids, "act": {"note"}})
	_, form := b.rehearsed(b.A.Staff, to)
	form.Set("text", "Called, no answer.")
	b.Page(b.A.Staff, "POST", to, form).Want(http.StatusSeeOther)
	if n := b.Count(`SELECT count(*) FROM tasks WHERE state IN ('waiting', 'running') AND tries = 1`); n != 1 {
		t.Errorf("%d tasks are tried again, want 1", n)
	}
	b.must(`DROP TRIGGER refuse ON notes`)
	b.must(`UPDATE tasks SET claimed_until = '2000-01-01'`)
	must(t, b.Tasks.TakeUp(t.Context()))
	if n := b.Count(`SELECT count(*) FROM notes`); n != 2 {
		t.Errorf("%d notes, want 2", n)
	}
}
