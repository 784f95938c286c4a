package web_test

import (
	"html"
	"net/http"
	"regexp"
	"testing"

	"debitdesk/handlers/web/words"
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
	if why := reasonLink.FindStringSubmatch(page.Body); why == nil {
		t.Error("the reason leads to no debits")
	} else if list := b.Page(b.A.Staff, "GET", html.UnescapeString(why[1]), nil).Want(http.StatusOK); !regexp.MustCompile(
		`id="list-foot"[^>]*data-cents="30007" data-count="1"`).MatchString(list.Body) {
		t.Errorf("%s does not open the one debit", why[1])
	}
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

	// What is kept by bank and age follows a mandate that changes, and opens what it counts.
	b.charged(pays, paying, 10002, 4)
	b.later(20)
	for token, code := range map[string]string{paying: "470010", failing: ""} {
		if _, err := b.Store.Pool.Exec(t.Context(), `UPDATE mandates SET bank_code = $2 WHERE id = $1::text::uuid`, token,
			code); err != nil {
			t.Fatal(err)
		}
	}
	page = b.Page(b.A.Staff, "GET", "/reports/debits", nil).Want(http.StatusOK)
	page.Contains("By bank", "Capitec", "Erased with the client", "By age of the mandate", "First debit", "Under 3 months")
	if opened := b.opensAlike(page.Body, traitFigure); opened != 4 {
		t.Errorf("%d groups were opened", opened)
	}
	for _, where := range []string{"bank=FNB", "template=x", "age=old"} {
		b.Page(b.A.Staff, "GET", "/purchases/debits?"+where, nil).Want(http.StatusOK).Contains("The filter was ignored.")
	}
}

// opensAlike opens the figures of a page that lead to a list, and tells how many there were: each list has as many rows
// and as much money as its figure says.
func (b business) opensAlike(page string, figure *regexp.Regexp) (opened int) {
	b.t.Helper()
	for _, m := range figure.FindAllStringSubmatch(page, -1) {
		list := listFoot.FindString(b.Page(b.A.Staff, "GET", html.UnescapeString(m[1]), nil).Want(http.StatusOK).Body)
		count := countAttr.FindString(m[2])
		if opened++; count != `data-count="0"` &&
			(countAttr.FindString(list) != count || centsAttr.FindString(list) != centsAttr.FindString(m[2])) {
			b.t.Errorf("%s says %s and its list %s", m[1], m[2], list)
		}
	}
	return opened
}

var (
	traitFigure = regexp.MustCompile(`<a href="(/purchases/debits[^"]*(?:bank|template|age)=[^"]*)"([^>]*data-c[^>]*)>`)
	reasonLink  = regexp.MustCompile(`<a href="(/purchases/debits[^"]*reason=02[^"]*)"`)
	monthFigure = regexp.MustCompile(
		`<a href="(/(?:purchases/debits|reports/movements)[^"]*)"([^>]*data-c[^>]*)>`)
	listFoot  = regexp.MustCompile(`id="list-foot"([^>]*)>`)
	countAttr = regexp.MustCompile(`data-count="(\d+)"`)
	centsAttr = regexp.MustCompile(`data-cents="(-?\d+)"`)
	elsewhere = regexp.MustCompile(`(?s)Booked in another month.*?<td class="num nowrap">\s*([^<]*?)\s*</td>`)
)

// What the debits of a month brought, and what the ledger has of it, differ by what was booked in another month;
// that is added up once more, movement by movement. Each figure opens as many rows as it says.
func TestAMonthAgreesWithTheLedgerAndItsFiguresOpen(t *testing.T) {
	b := newBusiness(t)
	today := calendar.DateOf(b.Store.Now())
	last := today.LastDayOfMonth().DaysSince(today)
	if last < 5 {
		last = calendar.On(today.Year, today.Month+1, 1).LastDayOfMonth().DaysSince(today)
	}
	fails, failing := b.stored("4000009002")
	pays, paying := b.stored("4000000101")
	objects, objecting := b.stored("4000009034") // disputed, after it was collected
	b.charged(fails, failing, 30007, last)
	b.charged(objects, objecting, 20001, last)
	b.charged(pays, paying, 10003, 4)
	b.later(last + 20)
	opened, moved := 0, false
	for month := calendar.On(today.Year, today.Month, 1); !month.After(calendar.DateOf(b.Store.Now())); {
		next := month.LastDayOfMonth().AddDays(1)
		var want int64
		if err := b.Store.Pool.QueryRow(t.Context(), `SELECT
				coalesce(sum(e.amount_cents) FILTER (WHERE e.day >= $1 AND e.day < $2), 0)::bigint
				- coalesce(sum(e.amount_cents) FILTER (WHERE c.action_date >= $1 AND c.action_date < $2), 0)::bigint
			FROM ledger_entries e JOIN collections c ON c.id = e.collection_id
			WHERE e.refund_id IS NULL AND e.merchant_id = $3`, month, next, b.A.ID.String()).Scan(&want); err != nil {
			t.Fatal(err)
		}
		address := "?month=" + month.String()[:7]
		page := b.Page(b.A.Staff, "GET", "/reports/months"+address, nil).Want(http.StatusOK).Body
		got := elsewhere.FindStringSubmatch(page)
		if moved = moved || want != 0; got == nil || got[1] != words.Sum(want, "ZAR") {
			t.Errorf("%s: booked in another month %q, want %q", month, got, words.Sum(want, "ZAR"))
		}
		opened += b.opensAlike(page, monthFigure)
		b.Page(b.A.Staff, "GET", "/reports/months/export"+address, nil).Want(http.StatusOK).Contains(
			"Month,Method,State,Reason,Code,Debits,Amount")
		month = next
	}
	if opened < 8 || !moved {
		t.Errorf("%d figures were opened; something was booked in another month: %v", opened, moved)
	}
	b.Page(b.A.Staff, "GET", "/reports/months?month=nonsense", nil).Want(http.StatusUnprocessableEntity).Contains(
		"Write the month as")
	b.Page(b.B.Staff, "GET", "/reports/months?month="+today.String()[:7], nil).Want(http.StatusOK).Contains("No debit in")
}
