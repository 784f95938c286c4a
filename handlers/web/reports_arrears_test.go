package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// What is in arrears stands by its age, comes to what the accounts of the clients owe, and each age leads to its
// purchases.
func TestArrearsStandByTheirAge(t *testing.T) {
	b := newBusiness(t)
	const path = "/reports/arrears"
	b.Page(b.A.Reader, "GET", path, nil).Want(http.StatusOK).Contains("Nothing is in arrears")
	anna, _ := b.stored("4000000101")
	ben, _ := b.stored("4000000202")
	for n, one := range []struct {
		client   string
		cents    int
		ago      int // days since payment was due
		currency string
	}{{anna, 10_000, 1, "ZAR"}, {anna, 20_000, 45, "ZAR"}, {ben, 40_000, 90, "ZAR"}, {ben, 80_000, 91, "ZAR"},
		{ben, 5_000, -1, "ZAR"}, {ben, 700, 10, "USD"}} {
		id := b.bought(one.client, one.cents, 5)
		b.exec(`UPDATE purchases SET due = $2::timestamptz - make_interval(days => $3), currency = $4,
			status = CASE WHEN $3 > 0 THEN 'overdue' ELSE status END WHERE id = $1`, id, b.Store.Now(), one.ago, one.currency)
		if n == 3 { // half of it was paid
			b.Page(b.A.Finance, "POST", "/purchases/"+id+"/payment", url.Values{"amount": {"300,00"}, "method": {"transfer"},
				"paid_on": {b.Store.Now().Format("2006-01-02")}, "form_key": {id}}).Want(http.StatusSeeOther)
		}
	}
	page := b.Page(b.A.Reader, "GET", path, nil).Want(http.StatusOK)
	page.Contains("R\u00a01\u00a0200,00", "4 purchases of 2 clients", "1–30 days", "R\u00a0100,00", "R\u00a0200,00",
		"R\u00a0400,00", "R\u00a0500,00", "1 purchase in USD is not counted here.")
	if before, after, _ := strings.Cut(page.Body, "Clients in arrears"); !strings.Contains(before, "R\u00a0500,00") ||
		strings.Index(after, "/clients/"+ben) > strings.Index(after, "/clients/"+anna) {
		t.Error("the largest arrears are not first")
	}
	hrefs := regexp.MustCompile(`href="(/purchases\?due_[^"]*)"`).FindAllStringSubmatch(page.Body, -1)
	if len(hrefs) < 5 {
		t.Errorf("%d links to purchases", len(hrefs))
	}
	for _, h := range hrefs {
		b.Page(b.A.Reader, "GET", strings.ReplaceAll(h[1], "&amp;", "&"), nil).Want(http.StatusOK).
			Lacks("No purchase matches")
	}
	b.Page(b.A.Reader, "GET", path+"?currency=USD", nil).Want(http.StatusOK).Contains("1 purchase of 1 client",
		"4 purchases in ZAR are not counted here.")
	b.Page(b.B.Owner, "GET", path, nil).Want(http.StatusOK).Contains("Nothing is in arrears").Lacks("in USD")
	b.Page(b.A.Reader, "GET", "/reports", nil).Want(http.StatusOK).Contains(path)
}
