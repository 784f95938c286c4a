package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

var (
	tableHead = regexp.MustCompile(`(?s)<th\s[^>]*scope="col"[^>]*>(.*?)</th>`)
	aTag      = regexp.MustCompile(`<[^>]*>`)
)

// headsOf are the heads of the table of a page.
func headsOf(page string) (out []string) {
	for _, m := range tableHead.FindAllStringSubmatch(page, -1) {
		text := strings.Join(strings.Fields(html.UnescapeString(aTag.ReplaceAllString(m[1], " "))), " ")
		if text != "" { // the head of the check boxes
			out = append(out, strings.TrimSuffix(text, " SAST"))
		}
	}
	return out
}

// choose posts the form of the columns and follows it.
func choose(h *handlertest.Server, who handlertest.Person, list, back string, more url.Values) string {
	values := url.Values{"list": {list}, "back": {back}}
	for name, of := range more {
		values[name] = of
	}
	return h.Page(who, "POST", "/lists/settings", values).Want(http.StatusSeeOther).Header.Get("Location")
}

// What a person chooses for a list is remembered for that person and list, on the page and in the file.
func TestAPersonArrangesAList(t *testing.T) {
	k := fillLists(t)
	page := func(who handlertest.Person, address string) string {
		return k.Page(who, "GET", address, nil).Want(http.StatusOK).Body
	}
	usual := headsOf(page(k.A.Staff, "/purchases"))
	columns := url.Values{"order": {"client", "amount", "status", "due", "created"}, "shown": {"created", "amount"},
		"rows": {"25"}, "density": {"compact"}}
	if to := choose(k.Server, k.A.Staff, "/purchases", "status=created", columns); to != "/purchases?status=created" {
		t.Errorf("leads to %s", to)
	}
	now := page(k.A.Staff, "/purchases?status=created")
	if got := headsOf(now); !slices.Equal(got, []string{"Reference", "Amount, R", "Created"}) {
		t.Errorf("shows %q", got)
	}
	if !strings.Contains(now, "stacks dense") || !strings.Contains(now, "25 of 70") ||
		strings.Count(now, "main-link") != 25 {
		t.Errorf("%d rows, or not compact", strings.Count(now, "main-link"))
	}
	rows := fileRows(t, k.Page(k.A.Staff, "GET", html.UnescapeString(csvLink.FindStringSubmatch(now)[1]), nil))
	if want := []string{"Reference", "For", "Amount", "Currency", "Created (SAST)"}; !slices.Equal(rows[0], want) ||
		!strings.Contains(now, "Export 70\u00a0rows, 5\u00a0columns, SAST") && !strings.Contains(now, "columns, SAST") {
		t.Errorf("the file has %q", rows[0])
	}
	if all := fileRows(t, k.Page(k.A.Staff, "GET", "/purchases/export?format=csv&columns=all", nil)); len(all[0]) < 11 {
		t.Errorf("all columns are %q", all[0])
	}
	if got := headsOf(page(k.A.Reader, "/purchases")); !slices.Equal(got, usual) {
		t.Errorf("somebody else sees %q", got)
	}
	columns.Set("up", "created")
	if to := choose(k.Server, k.A.Staff, "/purchases", "", columns); to != "/purchases?display=open" {
		t.Errorf("leads to %s", to)
	}
	columns["order"] = []string{"client", "amount", "status", "created", "due"}
	columns.Set("up", "status")
	choose(k.Server, k.A.Staff, "/purchases", "", columns)
	choose(k.Server, k.A.Reader, "/clients", "", url.Values{"order": {"added"}, "shown": {"added"}}) // for themselves
	if got := headsOf(page(k.A.Reader, "/clients")); !slices.Equal(got, []string{"Client", "Added"}) {
		t.Errorf("a person who only looks sees %q", got)
	}
	choose(k.Server, k.A.Staff, "/purchases", "", url.Values{"reset": {"1"}})
	if got := headsOf(page(k.A.Staff, "/purchases")); !slices.Equal(got, usual) {
		t.Errorf("after all it shows %q", got)
	}
	k.Page(k.A.Staff, "GET", "/purchases?columns=amount,colour", nil).Want(http.StatusOK).
		Contains("‘colour’ is not a column of this list. It was left out.")
	k.Page(k.A.Staff, "POST", "/lists/settings", url.Values{"list": {"//elsewhere.example"}}).Want(http.StatusNotFound)
}

var viewLink = regexp.MustCompile(`href="(/[a-z]+\?[^"]*view=([0-9a-f-]{36}))"[^>]*class="saved"`)

// A view keeps filters, order and columns. It can be shared, pinned, renamed, replaced and deleted, and the deletion
// undone; who may do what is the rule of models/listview.
func TestAListIsSavedAsAView(t *testing.T) {
	k := fillLists(t)
	page := func(who handlertest.Person, address string) handlertest.Answer {
		return k.Page(who, "GET", address, nil).Want(http.StatusOK)
	}
	page(k.A.Staff, "/purchases").Lacks("Name of the view")
	page(k.A.Staff, "/purchases?status=paid").Lacks("Name of the view")
	const query = "amount_min=10%2C50&columns=amount&sort=-amount"
	page(k.A.Staff, "/purchases?"+query).Contains("Name of the view")
	save := url.Values{"list": {"/purchases"}, "back": {query}, "query": {query}, "name": {" Large  ones "}}
	to := k.Page(k.A.Staff, "POST", "/lists/views", save).Want(http.StatusSeeOther).Header.Get("Location")
	shown := page(k.A.Staff, to).Contains("Large ones", "This view").Lacks("Name of the view").Body
	if got := headsOf(shown); !slices.Equal(got, []string{"Reference", "Amount, R"}) || listed(k.Server, to)[0] != "INV-7" {
		t.Errorf("the view shows %q, first %q", got, listed(k.Server, to)[0])
	}
	link := viewLink.FindStringSubmatch(page(k.A.Staff, "/purchases").Body)
	if link == nil || html.UnescapeString(link[1]) != to {
		t.Fatalf("the tab leads to %v, want %s", link, to)
	}
	page(k.A.Staff, to+"&status=created").Contains("Replace “Large ones”")
	page(k.A.Reader, "/purchases").Lacks("Large ones")
	page(k.A.Reader, to).Contains("That saved view no longer exists.")
	at := "/lists/views/" + link[2]
	about := func(more ...string) url.Values {
		values := url.Values{"list": {"/purchases"}, "back": {""}}
		for i := 0; i < len(more); i += 2 {
			values.Set(more[i], more[i+1])
		}
		return values
	}
	k.Page(k.A.Reader, "POST", at+"/deletion", about()).Want(http.StatusNotFound)
	k.Page(k.A.Staff, "POST", at, about("name", "Large", "shared", "1")).Want(http.StatusSeeOther)
	page(k.A.Reader, to).Contains("Large", "Shared by")
	k.Page(k.A.Reader, "POST", at+"/deletion", about()).Want(http.StatusForbidden).Contains("This view belongs to")
	k.Page(k.A.Reader, "POST", "/lists/views", about("name", "For all", "query", "q=a", "shared", "1")).
		Want(http.StatusForbidden)
	if n := k.Count(`SELECT count(*) FROM list_views`); n != 1 {
		t.Errorf("%d views: who only looks shares none", n)
	}
	k.Page(k.A.Reader, "POST", at+"/pin", about("pinned", "1")).Want(http.StatusSeeOther)
	page(k.A.Reader, "/").Contains(`hx-get="` + at + `/count"`)
	if got := strings.TrimSpace(
		k.Page(k.A.Reader, "GET", at+"/count", nil, "HX-Request: true").Want(http.StatusOK).Body,
	); got != "21" {
		t.Errorf("the pin counts %q", got)
	}
	k.Page(k.A.Staff, "POST", at+"/replacement", about("query", "status=created")).Want(http.StatusSeeOther)
	page(k.A.Staff, "/purchases").Contains(`href="/purchases?status=created&amp;view=`)
	k.Page(k.B.Owner, "POST", at+"/deletion", about()).Want(http.StatusNotFound)
	k.Page(k.A.Owner, "POST", at+"/deletion", about()).Want(http.StatusSeeOther) // an admin may
	page(k.A.Reader, "/purchases").Lacks(link[2])
	k.Page(k.A.Owner, "POST", at+"/restoration", nil).Want(http.StatusSeeOther)
	page(k.A.Reader, "/purchases").Contains(link[2])
	if n := k.Count(`SELECT count(*) FROM audit_entries WHERE action LIKE 'view.%'`); n != 5 {
		t.Errorf("%d entries in the audit", n)
	}
	if n := k.Count(
		`SELECT count(*) FROM list_views WHERE position(convert_to('status', 'UTF8') in query_sealed) > 0`,
	); n != 0 {
		t.Error("what a view is filtered by is kept in clear")
	}
}

// What a person saved for themselves goes when they leave the team. A shared view stays, says so, and an admin
// can change it; a pinned view of a list that is no longer open to a person leaves the menu.
func TestViewsOfAPersonWhoLeft(t *testing.T) {
	k := fillLists(t)
	save := func(who handlertest.Person, list, name, query string, shared ...string) string {
		to := k.Page(who, "POST", "/lists/views", url.Values{"list": {list}, "back": {query},
			"query": {query}, "name": {name},
			"shared": shared}).
			Want(http.StatusSeeOther).
			Header.Get(
			"Location",
		)
		return to
	}
	own := save(k.A.Staff, "/purchases", "Mine", "status=created")
	ours := save(k.A.Staff, "/purchases", "Ours", "amount_min=10&columns=client,result,colour", "1")
	choose(k.Server, k.A.Staff, "/purchases", "", url.Values{"order": {"client"}, "shown": {"client"}})
	k.Page(k.A.Reader, "GET", ours, nil).
		Want(http.StatusOK).
		Contains("who can change it", "‘colour’ is not a column").
		Lacks("who has left")
	if got := headsOf(k.Page(k.A.Reader, "GET", ours, nil).Body); !slices.Equal(got,
		[]string{"Reference", "Client", "Status"}) {
		t.Errorf("the view shows %q", got)
	}
	k.Page(k.A.Owner, "POST", "/settings/people/"+k.A.Staff.ID.String()+"/removal",
		url.Values{"confirm": {k.A.Staff.Email}}).Want(http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM list_views`) + k.Count(`SELECT count(*) FROM list_settings`); n != 1 {
		t.Errorf("%d of what the person chose is left, want the shared view alone (%s)", n, own)
	}
	k.Page(k.A.Reader, "GET", ours, nil).Want(http.StatusOK).Contains("who has left the team. An admin can change it.")
	id := ours[strings.Index(ours, "view=")+5:]
	about := url.Values{"list": {"/purchases"}, "back": {""}, "name": {"Large"}, "shared": {"1"}}
	k.Page(k.A.Owner, "POST", "/lists/views/"+id, about).Want(http.StatusSeeOther)
	k.Page(k.A.Reader, "GET", "/purchases", nil).Want(http.StatusOK).Contains("Large")

	audit := save(k.A.Owner, "/audit", "Tokens lately", "area=token&when=today", "1")
	id = audit[strings.Index(audit, "view=")+5:]
	k.Page(k.A.Reader, "POST", "/lists/views/"+id+"/pin", url.Values{"list": {"/audit"}, "back": {""}, "pinned": {"1"}})
	k.Page(k.A.Reader, "GET", "/purchases", nil).Want(http.StatusOK).Lacks("Tokens lately")
	k.Page(k.A.Owner, "POST", "/lists/views/"+id+"/deletion", about).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", "/audit", nil).Want(http.StatusOK).Lacks("view=" + id)
}
