package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/client"
)

// valueOf is the value of the first input of that name.
func valueOf(body, name string) string {
	_, rest, _ := strings.Cut(body, `name="`+name+`" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func TestAChangeOfARowIsUndoneOnThePage(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Lacks("Changes to the rows")
	h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"3"}, "column": {"0"}, "text": {"ben@example.com"}},
		"HX-Request: true").Want(http.StatusOK).Contains(`id="row-changes" hx-swap-oob="true"`, "Row 3, email: changed.")
	h.Page(h.A.Finance, "POST", at+"/skips", url.Values{"n": {"3"}}).Want(http.StatusSeeOther)
	page := h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("Changes to the rows",
		"1 row left out: row 3.", "Row 3, email: changed.", "Undo: 1 row left out: row 3.", "1 row left out.",
		"Nothing is sent for it.")
	newest := valueOf(page.Body, "change")
	h.Page(h.A.Staff, "POST", at+"/undo", url.Values{"change": {newest}}).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "POST", at+"/undo", url.Values{"change": {"x"}}).Want(http.StatusNotFound)
	h.Page(h.A.Finance, "POST", at+"/undo", url.Values{"change": {newest}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "POST", at+"/undo", url.Values{"change": {newest}}).Want(http.StatusConflict).Contains(
		"This change was undone already")
	page = h.Page(h.A.Finance, "GET", at+"/check?show=bad", nil).Want(http.StatusOK).Contains(`value="ben@example.com"`)
	h.Page(h.A.Finance, "POST", at+"/undo", url.Values{"change": {valueOf(page.Body, "change")}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check?show=bad", nil).Want(http.StatusOK).Contains(`value="nobody"`,
		"The change is undone.").Lacks("Changes to the rows", `value="ben@example.com"`)
}

func TestADraftIsDiscardedAfterAQuestion(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("Discard draft", at+"/discard")
	h.Page(h.A.Staff, "GET", at+"/check", nil).Want(http.StatusOK).Lacks("Discard draft")
	h.Page(h.A.Finance, "GET", at+"/discard", nil).Want(http.StatusOK).Contains("Discard the draft march.csv?",
		"2 rows are deleted")
	h.Page(h.A.Staff, "POST", at+"/discard", nil).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "POST", at+"/discard", url.Values{}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", "/batches", nil).Want(http.StatusOK).Contains("The draft march.csv is discarded.",
		"No batch yet")
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusNotFound)
}

func TestARowWithAnotherNameWarnsAndOffersAnotherClient(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	if _, err := h.Clients.Create(t.Context(), h.A.Actor,
		client.Input{Details: client.Details{Email: "naude@example.com", FullName: "Anton Naude"}}); err != nil {
		t.Fatal(err)
	}
	at := mapped(t, h, "email;full name;amount;due;description\nnaude@example.com;Anton Naude;449,00;2099-03-01;Levy\n"+
		"naude@example.com;Ria Naude;649,00;2099-03-01;Levy\n")
	page := h.Page(h.A.Finance, "GET", at+"/check?show=warned", nil).Want(http.StatusOK).Contains(
		"Warning: Column full name: the file says Ria Naude, the client is Anton Naude.", "Create client", "Choose a client",
		"Rows with warnings")
	if n := strings.Count(page.Body, "Create client"); n != 1 {
		t.Errorf("%d rows offer to create a client", n)
	}
	h.Page(h.A.Finance, "GET", at+"/review", nil).Want(http.StatusOK).Contains(
		"Row 3, column full name: the file says Ria Naude, the client is Anton Naude.", "I checked the warnings",
		"more than a year away")
}
