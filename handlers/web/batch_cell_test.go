package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/client"
)

// A saved cell answers with its row, and with the causes, the counts and the tabs as they are now; a live region reads
// it out.
func TestASavedCellBringsTheCausesAndTheCountsAlong(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo+"nobody else;Carl;100,00;2099-03-01;Levy\n")
	h.Page(h.A.Finance, "GET", at+"/check?show=bad",
		nil).Want(http.StatusOK).Contains(`id="grid-said" class="vh" role="status"`, `id="cell-3-0"`)
	cell := h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"3"}, "column": {"0"}, "text": {"ben@example.com"},
		"was": {"nobody"}, "show": {"bad"}}, "HX-Request: true").Want(http.StatusOK)
	cell.Contains(`<tr id="row-3"`, `id="counts" class="stack" hx-swap-oob="true"`,
		`id="causes" class="stack" hx-swap-oob="true"`, "No such client yet", `id="grid-tabs" hx-swap-oob="true"`,
		`hx-swap-oob="innerHTML:#grid-said"`,
		"Row 3 is saved. It still has 1 problem: no client has the address ben@example.com. 3 rows have problems.")

	// A browser reads no form beside a row of a table: what is beside it stands in a template.
	row, beside, found := strings.Cut(strings.TrimSpace(cell.Body), "</tr><template>")
	if !found || strings.Contains(row, "hx-swap-oob") || !strings.HasSuffix(beside, "</template>") ||
		!strings.Contains(beside, `/fixes"`) {
		t.Errorf("the forms of the causes are lost beside the row:\n%s", cell.Body)
	}

	lost := h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"3"}, "column": {"0"}, "text": {"carl@example.com"},
		"was": {"nobody"}}, "HX-Request: true").Want(http.StatusOK)
	lost.Contains(`value="ben@example.com"`, "Not saved. Row 3, email now says “ben@example.com”")
	if !strings.Contains(lost.Header.Get("HX-Trigger"), `"kind":"bad"`) {
		t.Error("nobody sees that the cell was not saved")
	}
}

// Without scripts the page is opened anew: in the same view, with the focus in the next cell.
func TestASavedCellWithoutScriptsLeadsToTheNextCell(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo+"nobody else;Carl;100,00;2099-03-01;Levy\n")
	to := h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"3"}, "column": {"4"}, "text": {"Levies"},
		"show": {"bad"}, "after": {"2"}}).Want(http.StatusSeeOther).Header.Get("Location")
	if to != at+"/check?after=2&cell=3.4&show=bad" {
		t.Errorf("leads to %s", to)
	}
	page := h.Page(h.A.Finance, "GET", to, nil).Want(http.StatusOK).Contains("Row 3 is saved. It still has 1 problem",
		`name="after" value="2"`)
	if focus := strings.Index(page.Body, "autofocus"); focus < strings.Index(page.Body, `id="cell-4-0"`) ||
		focus > strings.Index(page.Body, `id="cell-4-1"`) {
		t.Error("the next cell has no focus")
	}
}

// A comma too many cuts a value in two: the row shows where the pieces landed, and stays a problem until the extra cell
// is empty.
func TestARowWithExtraCellsIsMended(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(
		t,
		h,
		"email;full name;amount;due;description\na@example.com;Anna;100,00;2099-03-01;Levy;March\nb@example.com;Ben;100,00;2099-03-01;Levy;surplus\n",
	)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("Too few or too many cells", "Extra cell F",
		`value="March"`, "Leave out extra cells, and take missing cells as empty")
	cell := func(column, text string) handlertest.Answer {
		return h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"2"}, "column": {column}, "text": {text}},
			"HX-Request: true").Want(http.StatusOK)
	}
	cell("4", "Levy; March").Contains("The row has 6 cells", "Extra cell F")
	cell("5", "").Lacks("Extra cell F").Contains("Create client")
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"cell_count"}, "column": {"0"}, "revision": {"9"}}).Want(
		http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Lacks("Too few or too many cells</a>",
		"surplus").Contains("No such client yet", "Levy; March")
}

// Where an address is shared, the search begins with it, and the choice holds for every row that has it.
func TestAnAmbiguousClientIsChosen(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for _, name := range []string{"Una Botha", "Otto Botha"} {
		if _, err := h.Clients.Create(t.Context(), h.A.Actor,
			client.Input{Details: client.Details{Email: "botha@example.com", FullName: name}}); err != nil {
			t.Fatal(err)
		}
	}
	at := mapped(
		t,
		h,
		"email;full name;amount;due;description\nbotha@example.com;B;100,00;2099-03-01;Levy\nbotha@example.com;B;200,00;2099-03-01;Levy\n",
	)
	h.Page(h.A.Finance, "GET", at+"/check?show=bad", nil).Want(http.StatusOK).Contains("Which client is it?",
		"choose the client", `/client?row=2&amp;show=bad`).Lacks("ambiguous")
	pick := h.Page(h.A.Finance, "GET", at+"/client?row=2&show=bad", nil).Want(http.StatusOK).Contains("Bill Una Botha",
		"Bill Otto Botha", `value="botha@example.com"`, `/check?show=bad`)
	_, rest, _ := strings.Cut(pick.Body, `name="client_id" value="`)
	id, _, _ := strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(pick.Body, `name="revision" value="`)
	revision, _, _ := strings.Cut(rest, `"`)
	h.Page(h.A.Finance, "POST", at+"/decisions", url.Values{"n": {"2"}, "revision": {revision}, "decision": {"client"},
		"client_id": {id}, "show": {"bad"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("No rows have problems.",
		"It holds for 2 rows of the same person.")
}
