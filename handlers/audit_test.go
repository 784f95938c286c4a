package handlers_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

var entryHref = regexp.MustCompile(`href="(/audit/[0-9a-f-]{36})"`)

func TestTheAuditShowsWhoDidWhatAndThatItHolds(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := h.API("POST", "/clients/",
		`{"email":"thandi@example.com","full_name":"Thandi Nkosi","bank_account":"6200000001","bank_code":"470010"}`).Want(
		201).Text("id")
	h.API("PATCH", "/clients/"+id+"/", `{"full_name":"Thandi Ndlovu"}`).Want(200)
	h.Page(h.A.Owner, "POST", "/clients/"+id+"/numbers", url.Values{}).Want(200)
	list := h.Page(h.A.Owner, "GET", "/audit", nil).Want(200)
	list.Contains("client.created", "client.revealed", "tests (API)", "soon").Lacks("6200000001")
	found := entryHref.FindAllStringSubmatch(list.Body, -1)
	if len(found) < 4 {
		t.Fatalf("%d entries", len(found))
	}
	linked(t, h)
	h.Page(h.A.Owner, "POST", "/audit/check", url.Values{}).Want(200).Contains("The chain holds").Lacks("soon")
	changed := h.Page(h.A.Owner, "GET", "/audit?object="+id+"&area=client&q=changed", nil).Want(200)
	one := entryHref.FindStringSubmatch(changed.Body)
	if one == nil {
		t.Fatalf("no change of the client:\n%s", changed.Body)
	}
	h.Page(h.A.Owner, "GET", one[1], nil).Want(200).Contains("Link of the chain", "/clients/"+id)
	h.Page(h.B.Owner, "GET", one[1], nil).Want(404)
	h.Page(h.A.Owner, "GET", one[1], nil).Want(200).Contains("Place in the log", one[1]+"/proof")
	h.Page(h.A.Owner, "GET", one[1]+"/proof", nil).Want(200).Contains("c2sp.org/tlog-proof@v1",
		"debitdesk/audit/"+h.A.ID.String())
	h.Page(h.B.Owner, "GET", one[1]+"/proof", nil).Want(404)
	h.Page(h.A.Staff, "GET", one[1]+"/proof", nil).Want(403)
	h.Page(h.A.Owner, "GET", "/audit/checkpoint", nil).Want(200).Contains("debitdesk/audit/" + h.A.ID.String())
	h.Page(h.A.Owner, "GET", "/audit?area=nonsense&object=x&kind=y&from=z",
		nil).Want(200).Contains("‘nonsense’ is not an area", "‘x’ is not an id", "‘y’ is not a kind", "‘z’ is not a date")
	h.Page(h.A.Owner, "GET", "/audit?q=nothing+like+it", nil).Want(200).Contains("Nothing matches")
	file := h.Page(h.A.Owner, "GET", "/audit/export?format=csv", nil).Want(200).Contains("client.created",
		"Hash").Lacks("6200000001")
	if n := strings.Count(file.Body, "\n"); n < len(found) {
		t.Errorf("%d lines for %d entries", n, len(found))
	}
	h.Page(h.A.Owner, "GET", "/audit?area=list", nil).Want(200).Contains("audit entries was exported")
}

func TestABrokenChainIsShownWhereItBreaks(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.API("POST", "/clients/", `{"email":"thandi@example.com"}`).Want(201)
	linked(t, h)
	h.Page(h.A.Owner, "POST", "/audit/check", url.Values{}).Want(200).Contains("The chain holds")
	for _, sql := range []string{`ALTER TABLE audit_entries DISABLE TRIGGER ALL`,
		`UPDATE audit_entries SET actor_name = 'Nobody' WHERE action = 'client.created'`,
		`ALTER TABLE audit_entries ENABLE TRIGGER ALL`} {
		if _, err := h.Store.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	h.Page(h.A.Owner, "POST", "/audit/check", url.Values{}).Want(200).Contains("The chain is broken at link",
		"was changed after it was written")
	const alarm = "The audit log was changed outside Debitdesk"
	for _, page := range []string{"/", "/attention"} {
		h.Page(h.A.Owner, "GET", page, nil).Want(200).Contains(alarm)
		h.Page(h.A.Staff, "GET", page, nil).Want(200).Lacks(alarm)
		h.Page(h.B.Owner, "GET", page, nil).Want(200).Lacks(alarm)
	}
}

// linked waits until every entry is in its chain: a transaction of another test that
// began before holds the linking up, as it would on a server.
func linked(t *testing.T, h *handlertest.Server) {
	t.Helper()
	for ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute); ; {
		if err := h.Audit.Link(ctx); err != nil {
			cancel()
			t.Fatal(err)
		}
		if h.Count(
			`SELECT count(*) FROM audit_entries e WHERE NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id)`) == 0 {
			cancel()
			return
		}
	}
}
