package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// To ask what selected debits would bring on another day moves nothing. It says which of them could not run then, and
// nothing about days that have too few cases.
func TestWhatIfDebitsRanOnAnotherDay(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000000101")
	b.charged(client, token, 10001, 10)
	b.charged(client, token, 10003, 14)
	var first, last string
	if err := b.Store.Pool.QueryRow(t.Context(), `SELECT min(action_date)::text, max(action_date)::text
		FROM collections`).Scan(&first, &last); err != nil || first == last {
		t.Fatal(first, last, err)
	}
	b.Page(b.A.Staff, "GET", "/reports/coming/move", nil).Want(http.StatusOK).Contains("No debits are selected")
	query := "outcome=open&debit_from=" + first + "&debit_to=" + last
	to := b.chosen(b.A.Staff, url.Values{"list": {"debits"}, "query": {query}, "all": {"yes"}})
	if !strings.Contains(to, "selection=") {
		t.Fatalf("leads to %s", to)
	}
	sel, _ := url.Parse(to)
	id := sel.Query().Get("selection")
	to = b.chosen(b.A.Staff, url.Values{"list": {"debits"}, "query": {query}, "selection": {id},
		"act": {"another-day"}})
	if want := "/reports/coming/move?selection=" + id; to != want {
		t.Fatalf("leads to %s, want %s", to, want)
	}
	b.Page(b.A.Staff, "GET", to, nil).Want(http.StatusOK).Contains("2 debits selected").Lacks("Cannot say")
	b.Page(b.A.Staff, "GET", to+"&day="+last, nil).Want(http.StatusOK).Contains("It runs on that day already.",
		"Not enough cases", "Cannot say", "R\u00a0100,01").Lacks("R\u00a0100,03")
	b.Page(b.A.Staff, "GET", to+"&day=2020-01-01", nil).Want(http.StatusOK).Contains("2 debits").Lacks("Cannot say")
	b.Page(b.A.Staff, "GET", to+"&day=31+Feb", nil).Want(http.StatusUnprocessableEntity).Contains("Write a date.")
	b.Page(b.B.Staff, "GET", to+"&day="+last, nil).Want(http.StatusNotFound)
	b.Page(b.A.Reader, "GET", to+"&day="+last, nil).Want(http.StatusNotFound) // another person's selection
	if n := b.Count(`SELECT count(*) FROM collections WHERE action_date = '` + last + `'`); n != 1 {
		t.Errorf("%d debits on the day", n)
	}
}
