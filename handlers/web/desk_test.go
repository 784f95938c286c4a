package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/followup"
	"debitdesk/models/member"
)

var hrefs = regexp.MustCompile(`<a href="([^"]+)"`)

// worksOff lets the sweep come by until nothing is left: what is noted stays while older transactions of the server go
// on, and other tests have some.
func (b business) worksOff() {
	b.t.Helper()
	for tries := range 10_000 {
		b.must("SELECT fold_figures(1000000)")
		if tries > 1 && b.Count("SELECT count(*) FROM attention_changes") == 0 {
			return
		}
		b.must("SELECT pg_sleep(0.01)") // leaves the processor to the transaction that is under way
	}
	b.t.Fatal("what was noted is not worked off")
}

// partOf is what stands in the box of a page with an id, as text.
func partOf(page, id string) string {
	_, part, found := strings.Cut(page, `id="`+id+`"`)
	if !found {
		return ""
	}
	part, _, _ = strings.Cut(part, "</section>")
	return plain(part)
}

// Whatever leaves the list is told on the day: by whom, or by what it was solved.
func TestWhatLeavesTheListIsListedAsDone(t *testing.T) {
	b := newBusiness(t)
	var failed []string
	for _, account := range []string{"4000009002", "4000019002", "4000029002"} {
		client, token := b.stored(account)
		failed = append(failed, b.charged(client, token, 30007, 4))
	}
	b.later(6)
	b.worksOff()
	b.API("POST", "/purchases/"+failed[0]+"/mark_as_paid/", map[string]any{}).Want(200)
	b.Page(b.A.Staff, "POST", "/purchases/"+failed[1]+"/cancellation", url.Values{}).Want(http.StatusSeeOther)
	closed := []followup.Item{{Kind: "failed", ObjectID: uuid.MustParse(failed[2])}}
	must(t, second(b.Followups.Close(t.Context(), b.A.Staff.Actor(), closed, followup.Agreed)))
	b.worksOff()
	page := b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body
	done := partOf(page, "done")
	for _, want := range []string{"Solved: paid", "Solved: cancelled", "Closed: Agreed with the client", b.A.Staff.Name} {
		if !strings.Contains(done, want) {
			t.Errorf("the list of what is done lacks %q: %s", want, done)
		}
	}
	if got := strings.Count(page, "/undo\""); got != 1 {
		t.Errorf("%d can be undone, want 1", got)
	}
	if strings.Contains(b.Page(b.B.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body, `id="done"`) {
		t.Error("another business sees it")
	}
	b.must(`UPDATE purchases SET status = 'error' WHERE id = $1`, failed[0])
	b.worksOff()
	if done := partOf(b.Page(b.A.Staff, "GET", "/attention", nil).Body, "done"); strings.Contains(done, "Solved: paid") {
		t.Error("what waits again is listed as solved")
	}
	b.later(1)
	b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Lacks("Done today")
}

// What somebody looked after who leaves, is disabled or may only read from now on is nobody's, and can be assigned.
func TestWhatSomebodyLookedAfterWhoLeavesIsNobodys(t *testing.T) {
	for name, leaves := range map[string]func(b business) error{
		"disabled": func(b business) error { return b.Members.Disable(t.Context(), b.A.Owner.Actor(), b.A.Finance.ID) },
		"removed":  func(b business) error { return b.Members.Remove(t.Context(), b.A.Owner.Actor(), b.A.Finance.ID) },
		"only reads": func(b business) error {
			return b.Members.Change(t.Context(), b.A.Owner.Actor(), b.A.Finance.ID, member.Terms{Role: actor.ReadOnly})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBusiness(t)
			client, token := b.stored("4000009002")
			id := b.charged(client, token, 30007, 4)
			b.later(6)
			about := []followup.Object{{Type: followup.Purchase, ID: uuid.MustParse(id)}}
			must(t, second(b.Followups.Assign(t.Context(), b.A.Staff.Actor(), about, b.A.Finance.ID)))
			if got := tabsOf(b.Page(b.A.Staff, "GET", "/attention", nil).Body); got["Without an owner"] != "0" {
				t.Errorf("before: %v", got)
			}
			must(t, leaves(b))
			page := b.Page(b.A.Staff, "GET", "/attention?whose=nobody", nil).Want(http.StatusOK).Contains(id).Body
			if got := tabsOf(page); got["Without an owner"] != "1" {
				t.Errorf("after: %v", got)
			}
			if n := b.Count(
				`SELECT count(*) FROM audit_entries WHERE action LIKE 'membership.%' AND after ->> 'without_an_owner' = '1'`,
			); n != 1 {
				t.Errorf("%d entries say that it was given back", n)
			}
			page = b.asked(page, "owner", url.Values{"owner": {b.A.Staff.ID.String()}})
			if got := tabsOf(page); got["Mine"] != "1" || got["Without an owner"] != "0" {
				t.Errorf("assigned anew: %v", got)
			}
		})
	}
}

// What runs out soon is shown with the moment: strict links, requests to clients, deletions, and disputes that nobody
// looks at any more.
func TestWhatRunsOutSoonIsShown(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000000000")
	strict := b.bought(client, 30007, 1)
	b.must(`UPDATE purchases SET due_strict = true, pass_at = due WHERE id = $1`, strict)
	far := b.bought(client, 30008, 9)
	b.must(`UPDATE purchases SET due_strict = true, pass_at = due WHERE id = $1`, far)
	b.must(
		`INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state,
			requested_at, sent_at, expires_at)
		VALUES (gen_random_uuid(), $1, $2, 9, 'DELAYED', 'delivered', $3, $3, $4)`,
		b.A.ID,
		token,
		b.Store.Now(),
		b.Store.Now().Add(3600e9),
	)
	page := b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body
	if got := tabsOf(page); got["All"] != "0" {
		t.Errorf("what runs out counts as waiting: %v", got)
	}
	ending := partOf(page, "ending")
	for _, want := range []string{"can be paid until", "Send reminder", "has not confirmed the mandate yet", "R 300,07"} {
		if !strings.Contains(ending, want) {
			t.Errorf("what runs out lacks %q: %s", want, ending)
		}
	}
	if strings.Contains(ending, "300,08") {
		t.Error("what runs out in nine days is shown")
	}
	b.Page(b.B.Staff, "GET", "/attention", nil).Want(http.StatusOK).Lacks("About to expire")

	disputed := b.charged(client, token, 40009, 4)
	b.later(6)
	today := calendar.DateOf(b.Store.Now())
	began := today.AddDays(-27).At(9, 0)
	b.must(`UPDATE purchases SET status = 'chargeback' WHERE id = $1`, disputed)
	b.must(
		`UPDATE collections SET state = 'disputed', result_at = $2, proof_until = $3 WHERE purchase_id = $1`,
		disputed,
		began,
		today.AddDays(3),
	)
	b.worksOff()
	b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Lacks("snoozed or closed here")
	item := []followup.Item{{Kind: "disputed", ObjectID: uuid.MustParse(disputed)}}
	must(t, second(b.Followups.Close(t.Context(), b.A.Staff.Actor(), item, followup.NotNeeded)))
	b.worksOff()
	b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains("snoozed or closed here")
}

// A client's page says what is next, holds its files, and shows what happened as one time line with what notes say.
func TestAClientsPageHoldsFilesAndOneTimeLine(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	failed := b.charged(client, token, 30007, 4)
	b.later(6)
	b.charged(client, token, 20005, 40)
	b.bought(client, 10003, 3)
	b.API("POST", "/billing/", fmt.Sprintf(`{"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":40004}]},
		"clients":[{"client_id":%q}]}`, b.A.BrandID, b.Store.Now().Add(240*time.Hour).Unix(), client)).Want(200)
	at := "/clients/" + client
	page := b.Page(b.A.Staff, "GET", at, nil).Want(http.StatusOK).Body
	for _, want := range []string{"Debit on ", "Debit again? Yes, on", "Turns overdue after", "Scheduled purchases"} {
		if next := partOf(page, "next"); !strings.Contains(next, want) {
			t.Errorf("what is next lacks %q: %s", want, next)
		}
	}
	files := partOf(page, "files")
	for _, want := range []string{"Account as of today", "Invoice INV", "R 400,04", "Mandate ",
		"/document.pdf", "/invoice.pdf"} {
		if !strings.Contains(files, want) {
			t.Errorf("the files lack %q: %s", want, files)
		}
	}
	for _, href := range hrefs.FindAllStringSubmatch(files, -1) {
		b.Page(b.A.Staff, "GET", strings.ReplaceAll(href[1], "&amp;", "&"), nil).Want(http.StatusOK)
	}

	odd := b.Page(b.A.Staff, "GET", at+"?part=weather", nil).Want(http.StatusOK).Body
	if got, want := strings.Count(odd, "aria-current"), strings.Count(page, "aria-current"); got != want {
		t.Errorf("a part that nobody knows leaves %d of %d marks of where a person is", got, want)
	}
	about := []followup.Object{{Type: followup.Purchase, ID: uuid.MustParse(failed)}}
	must(t, second(b.Followups.AddNote(t.Context(), b.A.Staff.Actor(), about, "Pays on Friday")))
	for path, id := range map[string]string{at: "notes", "/purchases/" + failed: "notes", "/tokens/" + token: "notes",
		"/mandates/" + token: "notes", at + "?part=notes": "events", at + "?part=people": "events", at + "/notes": "notes"} {
		if got := partOf(b.Page(b.A.Staff, "GET", path, nil).Want(http.StatusOK).Body, id); !strings.Contains(got,
			"Pays on Friday") {
			t.Errorf("%s does not say what the note says: %s", path, got)
		}
	}
	for part, lacks := range map[string]string{"money": "was added", "accounts": "Purchase of", "messages": "was added"} {
		if got := partOf(
			b.Page(b.A.Staff, "GET", at+"?part="+part, nil).Want(http.StatusOK).Body,
			"events",
		); strings.Contains(got, lacks) ||
			strings.Contains(got, "Pays on Friday") {
			t.Errorf("%s shows what is no part of it: %s", part, got)
		}
	}
	b.Page(b.B.Staff, "GET", at+"/notes", nil).Want(http.StatusNotFound)
	b.Page(b.B.Staff, "GET", "/tokens/"+token+"/notes", nil).Want(http.StatusNotFound)
	b.Page(b.A.Reader, "GET", "/tokens/"+token+"/notes?do=note", nil).Want(http.StatusOK).Lacks(`id="act"`, "Add note")
}

// From the page of a thing it is written down, assigned and put off, without scripts.
func TestNotesAreWrittenWhereTheyAreShown(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	failed := b.charged(client, token, 30007, 4)
	b.later(6)
	for path, want := range map[string]string{"/clients/" + client: "",
		"/purchases/" + failed: "Needs attention: the debit failed.",
		"/mandates/" + token:   "", "/tokens/" + token: ""} {
		page := b.Page(b.A.Staff, "GET", path, nil).Want(http.StatusOK).Contains(`href="` + path + `/notes?do=note#act"`)
		if want != "" {
			page.Contains(want)
		}
		to := b.Page(b.A.Staff, "POST", path+"/notes", url.Values{"do": {"owner"}, "owner": {b.A.Finance.ID.String()}}).
			Want(http.StatusSeeOther)
		if got := to.Header.Get("Location"); got != path+"#notes" {
			t.Errorf("%s leads to %s", path, got)
		}
		b.Page(b.A.Staff, "GET", path, nil).Contains("Owner: " + b.A.Finance.Name)
		b.Page(b.A.Staff, "GET", path+"/notes?do=call", nil).Want(http.StatusOK).Contains("How did it end?")
		b.Page(b.A.Staff, "POST", path+"/notes", url.Values{"do": {"call"}}).
			Want(http.StatusUnprocessableEntity).
			Contains("Choose how the call ended.")
		b.Page(b.A.Staff, "POST", path+"/notes", url.Values{"do": {"owner"}, "owner": {b.B.Staff.ID.String()}}).
			Want(http.StatusUnprocessableEntity).Contains("Choose a person of the team.")
	}
	back := "/purchases/" + failed
	asked := b.Page(b.A.Staff, "GET", "/attention/"+failed+"?kind=failed&do=snooze&back="+url.QueryEscape(back), nil).
		Want(http.StatusOK)
	asked.Contains(`name="back" value="` + back + `"`)
	to := b.Page(b.A.Staff, "POST", "/attention/"+failed, url.Values{"kind": {"failed"}, "do": {"snooze"}, "back": {back},
		"until": {dayOf(b).AddDays(2).String()}}).Want(http.StatusSeeOther)
	if got := to.Header.Get("Location"); got != back {
		t.Errorf("the act leads to %s", got)
	}
	b.Page(b.A.Staff, "GET", back, nil).Contains("Snoozed until", b.A.Staff.Name+": the debit failed")
	for _, elsewhere := range []string{"//example.com", "/purchases/../settings", "/settings"} {
		to := b.Page(
			b.A.Staff,
			"POST",
			"/attention/"+failed,
			url.Values{"kind": {"failed"}, "do": {"note"}, "text": {"x"}, "back": {elsewhere}},
		)
		if got := to.Header.Get("Location"); got != "/attention" {
			t.Errorf("back to %s leads to %s", elsewhere, got)
		}
	}
}
