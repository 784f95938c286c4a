package web_test

import (
	"net/http"
	"regexp"
	"testing"

	"debitdesk/models/calendar"
)

// A tab leads to all of its concern, and so it counts them all, however narrowly the list is looked at.
func TestATabCountsWhatItLeadsTo(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002") // fails on the second day
	b.charged(client, token, 30007, 4)
	b.later(7)
	tab := regexp.MustCompile(`(?s)href="/purchases\?attention=failed"[^>]*>\s*Failed\s*<[^>]*>([^<]*)<`)
	for _, query := range []string{"", "&failed_since=" + calendar.DateOf(b.Store.Now()).AddDays(1).String()} {
		page := b.Page(b.A.Staff, "GET", "/purchases?attention=failed"+query, nil).Want(http.StatusOK)
		found := tab.FindStringSubmatch(page.Body)
		if found == nil || found[1] != "1" {
			t.Errorf("%s: the tab says %q", query, found)
		}
		if query != "" {
			page.Lacks("300,07")
		}
	}
}

func TestHowDebitsWentIsShownAndOpened(t *testing.T) {
	b := newBusiness(t)
	b.Page(b.A.Staff, "GET", "/reports/debits", nil).Want(http.StatusOK).Contains("No debit on these days")
	b.Page(b.A.Staff, "GET", "/reports/coming", nil).Want(http.StatusOK).Contains("Nothing is planned")
	fails, failing := b.stored("4000009002")
	pays, paying := b.stored("4000000101")
	b.charged(fails, failing, 30007, 4)
	b.charged(pays, paying, 10001, 5)
	b.Page(b.A.Staff, "GET", "/reports/coming", nil).Want(http.StatusOK).Contains(
		"R\u00a0400,08 is planned; there is too little to judge by", "There are too few answered debits yet")
	b.later(20)
	page := b.Page(b.A.Staff, "GET", "/reports/debits?than=none", nil).Want(http.StatusOK)
	page.Contains("R\u00a0400,08", "R\u00a0100,01", "1 debit, 50,0\u00a0% of those answered", "Not enough money (02)",
		"Still owed", "Too few")
	page.Lacks("Compared with", "Before")
	rows := b.Page(b.A.Staff, "GET",
		"/purchases/debits?outcome=failed&debit_from=2020-01-01&debit_to=2030-01-01&month_day=32", nil).Want(http.StatusOK)
	rows.Contains("a number from 1 to 31")
	weekday := (int(calendar.DateOf(b.Store.Now()).Weekday())+6)%7 + 1
	found := 0
	for day := 1; day <= 7; day++ {
		if list := b.Page(b.A.Staff, "GET", "/purchases/debits?debit_from=2020-01-01&debit_to=2030-01-01&weekday="+
			string(rune('0'+(weekday+day)%7+1)), nil).Want(http.StatusOK); regexp.MustCompile(`300,07`).MatchString(list.Body) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("the debit stands under %d weekdays", found)
	}
	b.Page(b.A.Staff, "GET", "/reports/debits?from=2026-11-02&to=2026-11-01", nil).Want(http.StatusOK).Contains(
		"The last day is before the first")
	b.Page(b.A.Staff, "GET", "/reports/debits?from=2010-01-01&to=2026-11-01", nil).Want(
		http.StatusUnprocessableEntity).Contains("Choose at most three years.")
	b.Page(b.B.Staff, "GET", "/reports/debits", nil).Want(http.StatusOK).Contains("No debit on these days")
}
