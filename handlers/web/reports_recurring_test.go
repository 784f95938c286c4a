package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/models/recurring"
)

// What subscriptions bring stands by month and adds up: who joined, who left when the last period that was billed
// ended, and whose price is another. Each figure opens its subscribers.
func TestRecurringRevenueTellsWhoJoinedAndWhoLeft(t *testing.T) {
	b := newBusiness(t)
	const path = "/reports/recurring"
	reckon := func() {
		t.Helper()
		service := recurring.Service{Store: recurring.Store{DB: b.Store}, Now: b.Store.Now}
		for range 2 { // a second time changes nothing
			if err := service.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	moveTo := func(month time.Month, day int) {
		t.Helper()
		at := time.Date(2026, month, day, 8, 0, 0, 0, time.UTC)
		for at.Before(b.Store.Now()) {
			at = at.AddDate(1, 0, 0)
		}
		if err := b.Store.Clock.MoveTo(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Subscriptions.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	b.Page(b.A.Reader, "GET", path, nil).Want(http.StatusOK).Contains("No subscription was billed yet")
	at := templateOf(t, b.Server, plan("Monthly"))
	stays, leaves := subscribed(t, b.Server, at, "6200000001"), subscribed(t, b.Server, at, "6200000002")
	first := b.Store.Now()
	moveTo(first.Month()+1, 5)
	reckon()
	page := b.Page(b.A.Reader, "GET", path, nil).Want(http.StatusOK)
	page.Contains("from 2 subscribers", "R\u00a01\u00a0298,00", first.Format("January 2006"))
	joined := b.Page(b.A.Reader, "GET", path+"/moves?month="+first.Format("2006-01")+"&what=joined", nil)
	joined.Want(http.StatusOK).Contains("Joined in "+first.Format("January 2006"), stays, leaves, "Pays a month", "R\u00a0649,00")

	b.Page(b.A.Finance, "POST", leaves+"/removal", url.Values{}).Want(http.StatusSeeOther)
	third := subscribed(t, b.Server, at, "6200000003")
	moveTo(first.Month()+3, 5)
	reckon()
	page = b.Page(b.A.Reader, "GET", path, nil).Want(http.StatusOK)
	page.Contains("from 2 subscribers")
	second := time.Date(first.Year(), first.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	b.Page(b.A.Reader, "GET", path+"/moves?month="+second.Format("2006-01")+"&what=joined", nil).Want(http.StatusOK).
		Contains(third).Lacks(stays, leaves)
	gone := 0
	for n := 1; n <= 3; n++ { // in the month in which the period ended that was billed last
		month := time.Date(first.Year(), first.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		list := b.Page(b.A.Reader, "GET", path+"/moves?month="+month.Format("2006-01")+"&what=gone", nil).Want(http.StatusOK)
		if strings.Contains(list.Body, leaves) {
			if gone++; n != 1 { // billed in the first month until the same day of the next
				t.Errorf("who left is counted in %s", month.Format("January 2006"))
			}
			list.Contains("Paid a month").Lacks(stays, third)
		}
	}
	if gone != 1 {
		t.Errorf("who left is counted in %d months", gone)
	}
	for _, h := range regexp.MustCompile(`href="(/reports/recurring[^"]*)"`).FindAllStringSubmatch(page.Body, -1) {
		b.Page(b.A.Reader, "GET", strings.ReplaceAll(h[1], "&amp;", "&"), nil).Want(http.StatusOK)
	}
	template := strings.TrimPrefix(at, "/templates/")
	b.Page(b.A.Reader, "GET", path+"?template="+template, nil).Want(http.StatusOK).
		Contains("Monthly", "from 2 subscribers")
	b.Page(b.B.Owner, "GET", path, nil).Want(http.StatusOK).Contains("No subscription was billed yet")
	for _, address := range []string{path + "?template=" + template, path + "/moves?month=2026-10&what=joined&template=x",
		path + "/moves?month=2026-10&what=paid", path + "/moves?month=October&what=joined"} {
		b.Page(b.B.Owner, "GET", address, nil).Want(http.StatusNotFound)
	}
	b.Page(b.B.Owner, "GET", path+"/moves?month="+second.Format("2006-01")+"&what=joined", nil).Want(http.StatusOK).
		Lacks("Thandi Nkosi").Contains("No one joined")
	b.Page(b.A.Reader, "GET", "/reports", nil).Want(http.StatusOK).Contains(path)
}
