package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/attention"
	banksandbox "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/debit"
	"debitdesk/models/upkeep"
)

// business is a server whose clock moves, with the bank at work.
type business struct {
	*handlertest.Server
	t      *testing.T
	engine *debit.Service
}

func newBusiness(t *testing.T) business {
	t.Helper()
	h := handlertest.New(t)
	g := banksandbox.New(banksandbox.Store{DB: h.Store}, h.Store.Now, h.Purchases.Timetable, h.Purchases.Calendar)
	return business{h, t, &debit.Service{InTx: h.Store.InTx, Store: debit.Store{DB: h.Store}, Bank: g,
		Purchases: h.Purchases, Now: h.Store.Now,
		Timetable: h.Purchases.Timetable, Limits: h.Purchases.Limits}}
}

// later lets time pass, day by day, and the bank answer.
func (b business) later(days int) {
	b.t.Helper()
	for range days {
		if err := b.Store.Clock.MoveTo(b.t.Context(), b.Store.Now().Add(24*time.Hour)); err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.engine.Run(b.t.Context()); err != nil {
			b.t.Fatal(err)
		}
	}
}

// stored gives a client and the token of its account.
func (b business) stored(account string) (client, token string) {
	b.t.Helper()
	client = b.API("POST", "/clients/", map[string]any{"email": "c" + account + "@example.com",
		"full_name": "Client " + account, "bank_account": account, "bank_code": "632005"}).Want(201).Text("id")
	token = b.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
		b.A.BrandID)).Want(201).Text("id")
	return client, token
}

func (b business) bought(client string, cents, days int) string {
	b.t.Helper()
	due := b.Store.Now().Add(time.Duration(days) * 24 * time.Hour)
	// Late in the evening an hour later would be the next day.
	if later := due.Add(time.Hour); calendar.DateOf(later) == calendar.DateOf(due) {
		due = later
	}
	return b.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":%d}]}}`,
		client, b.A.BrandID, due.Unix(), cents)).Want(201).Text(
		"id")
}

func (b business) charged(client, token string, cents, days int) string {
	b.t.Helper()
	id := b.bought(client, cents, days)
	b.API("POST", "/purchases/"+id+"/charge/", map[string]any{"recurring_token": token}).Want(200)
	return id
}

var (
	homeLine = regexp.MustCompile(`<a class="grow" href="([^"]+)"[^>]*>([^<]+)</a>\s*<span class="num">([^<]*)</span>`)
	homeStat = regexp.MustCompile(
		`(?s)<div class="card stat"><p class="label"><a href="([^"]+)"[^>]*>([^<]+)</a></p><p class="value">([^<]*)</p> ?<p class="note">(.*?)</p>`,
	)
	statCount  = regexp.MustCompile(`(?:^|[: >])([0-9][0-9 ]*) (?:of [0-9 ]+ answered )?debits?`)
	foundWords = regexp.MustCompile(`class="found"[^>]*>([^<]+)<`)
	firstCount = regexp.MustCompile(`^[0-9][0-9\x{00a0}]*`)
)

// plain undoes what HTML and the format of numbers do.
func plain(text string) string { return strings.ReplaceAll(html.UnescapeString(text), "\u00a0", " ") }

func countIn(text string) string {
	return strings.TrimSpace(firstCount.FindString(html.UnescapeString(text)))
}

// followed walks every link of the box "Needs attention": the list behind it has
// as many rows as the line says, which come to the sum that it says.
func (b business) followed() (lines map[string]string) {
	b.t.Helper()
	lines = map[string]string{}
	page := b.Page(b.A.Owner, "GET", "/?block=attention", nil).Want(http.StatusOK).Body
	for _, m := range homeLine.FindAllStringSubmatch(page, -1) {
		href, text, sum := html.UnescapeString(m[1]), html.UnescapeString(m[2]), plain(m[3])
		lines[href] = plain(text)
		list := b.Page(b.A.Owner, "GET", strings.SplitN(href, "#", 2)[0], nil).Want(http.StatusOK).Body
		if _, anchor, here := strings.Cut(href, "#"); here {
			group := regexp.MustCompile(`(?s)id="` + anchor + `".*?class="sub">([^<]+)<|(?s)id="` + anchor +
				`".*?class="muted[^"]*">\s*([^<]+)<`).FindStringSubmatch(list)
			if group == nil || countIn(group[1]+group[2]) != countIn(text) {
				b.t.Errorf("%q leads to %s, which says %q", text, href, group)
			}
			continue
		}
		if href == "/approvals" {
			continue
		}
		found := foundWords.FindStringSubmatch(list)
		if found == nil {
			b.t.Errorf("%q leads to %s, which does not say how many it found", text, href)
			continue
		}
		said := plain(found[1])
		if countIn(found[1]) != countIn(text) {
			b.t.Errorf("%q leads to %s with %q", text, href, said)
		}
		if sum != "" && !strings.HasSuffix(said, "· "+sum) {
			b.t.Errorf("%q is %s and leads to %s with %q", text, sum, href, said)
		}
		if rows := strings.Count(list, `class="main-link"`); fmt.Sprint(rows) != countIn(text) {
			b.t.Errorf("%q leads to %s with %d rows", text, href, rows)
		}
		export := regexp.MustCompile(`href="([^"]+/export\?[^"]*format=csv[^"]*)"`).FindStringSubmatch(list)
		if export == nil {
			b.t.Errorf("%s exports nothing", href)
			continue
		}
		file := b.Page(b.A.Owner, "GET", html.UnescapeString(export[1]), nil).Want(http.StatusOK).Body
		if rows := strings.Count(strings.TrimSpace(file), "\n"); fmt.Sprint(rows) != countIn(text) {
			b.t.Errorf("%q is exported with %d rows", text, rows)
		}
	}
	return lines
}

// figured walks every figure of home that leads somewhere: the list behind it has as
// many debits as the note says, and their sum where the figure is one.
func (b business) figured() (stats map[string]string) {
	b.t.Helper()
	stats = map[string]string{}
	page := b.Page(b.A.Owner, "GET", "/", nil).Want(http.StatusOK).Body
	for _, m := range homeStat.FindAllStringSubmatch(page, -1) {
		href, label, value, note := html.UnescapeString(m[1]), m[2], plain(m[3]), plain(m[4])
		stats[label] = value + " | " + note
		said := plain(foundWords.FindStringSubmatch(b.Page(b.A.Owner, "GET", href, nil).Want(http.StatusOK).Body)[1])
		if strings.HasPrefix(href, "/reports/movements?") { // its number of movements is not said, its sum is
			if !strings.HasSuffix(said, "· "+value) {
				b.t.Errorf("%s is %s and leads to %s with %q", label, value, href, said)
			}
			continue
		}
		n := statCount.FindStringSubmatch(note)
		if n == nil && value == "–" {
			n = []string{"", "0"} // nothing was answered, so there is no part of it
		}
		if n == nil || countIn(said) != n[1] {
			b.t.Errorf("%s: %q, %q leads to %s with %q", label, value, note, href, said)
		}
		if strings.HasPrefix(value, "R ") && value != "R 0,00" && !strings.HasSuffix(said, "· "+value) {
			b.t.Errorf("%s is %s and leads to %s with %q", label, value, href, said)
		}
	}
	if len(stats) != 7 {
		b.t.Errorf("%d figures lead somewhere: %v", len(stats), stats)
	}
	return stats
}

func TestAFigureOfDisputesSaysWhichDebitsItCounts(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009030") // disputed on the tenth day
	b.charged(client, token, 10000, 4)
	other, good := b.stored("4000000001")
	b.charged(other, good, 20000, 4)
	b.later(18)
	if n := b.Count(`SELECT count(*) FROM collections WHERE state = 'disputed'`); n != 1 {
		t.Fatal("nothing is disputed")
	}
	b.must(`UPDATE collections SET action_date = $1`, dayOf(b).AddMonths(0, 1)) // this month
	if got := b.figured()["Disputed"]; !strings.HasPrefix(got, "50,0 % | ") ||
		!strings.Contains(got, "1 of 2 answered debits with a debit date from 1 to ") {
		t.Errorf("disputed this month: %s", got)
	}
	b.must(`UPDATE collections SET action_date = $1`, dayOf(b).AddMonths(-1, 1)) // last month
	if got := b.figured()["Disputed"]; !strings.HasPrefix(got, "– | ") || !strings.Contains(got, ": 1 of 2, 50,0 %") {
		t.Errorf("disputed last month: %s", got)
	}
	if lines := b.followed(); lines["/purchases?attention=disputed"] != "1 debit is disputed" {
		t.Errorf("attention: %v", lines)
	}
}

// The page of a disputed purchase says who has the money, what the bank waits for, and how it was decided.
func TestAPageSaysWhereADisputeStands(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009030") // disputed on the tenth day
	early := b.charged(client, token, 10000, 4)
	client, token = b.stored("4000000000")
	late := b.charged(client, token, 20000, 4)
	page := func(id string) handlertest.Answer {
		return b.Page(b.A.Staff, "GET", "/purchases/"+id, nil).Want(http.StatusOK)
	}
	b.later(18)
	page(early).Contains("The client disputed the debit, and the bank gave R\u00a0100,00 back.").
		Lacks("asks for proof of")
	// One that is judged by the rules before 13 April 2026: the bank asks for proof.
	b.must(`UPDATE purchases SET status = 'chargeback' WHERE id = $1`, late)
	b.must(`UPDATE collections SET state = 'disputed', result_code = '30', proof_due = true, proof_until = $2
		WHERE purchase_id = $1`, late, dayOf(b).AddDays(30))
	page(late).Contains("The bank asks for proof of the mandate until",
		"Add the mandate that the client signed, and it is sent to the bank.",
		"/mandates/"+token+"/evidence/new")
	b.must(`UPDATE collections SET state = 'dispute_lost', proof_due = false WHERE purchase_id = $1`, late)
	page(late).Contains("The dispute was decided in favour of the client, and R\u00a0200,00 went back.").
		Lacks("The bank asks for proof of the mandate until")
}

func dayOf(b business) calendar.Date { return calendar.DateOf(b.Store.Now()) }

func TestAFailedDebitStaysInSightWhateverBecomesOfThePurchase(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	id := b.charged(client, token, 30007, 4)
	b.later(6)
	seen := func(when string) {
		t.Helper()
		b.followed()
		b.Page(b.A.Staff, "GET", "/?block=attention", nil).Contains("1 debit failed", "R\u00a0300,07")
		b.Page(b.A.Staff, "GET", "/attention", nil).Contains("Failed debits", "Not enough money (02)", id,
			"until debited again, paid or cancelled")
		if !strings.Contains(b.Page(b.A.Staff, "GET", "/purchases?attention=failed", nil).Want(200).Body, id) {
			t.Errorf("%s: the list of failed purchases lacks it", when)
		}
		b.Page(b.A.Staff, "GET", "/purchases", nil).Contains(`Failed <span class="count">1<`)
	}
	if n := b.Count(`SELECT count(*) FROM purchases WHERE id = $1 AND status = 'error'`, id); n != 1 {
		t.Fatal("the debit did not fail")
	}
	seen("failed")
	for _, status := range []string{"sent", "viewed", "overdue"} {
		b.must(`UPDATE purchases SET status = $2 WHERE id = $1`, id, status)
		seen(status)
	}
	b.later(30)
	seen("a month after")
	b.API("POST", "/purchases/"+id+"/mark_as_paid/", nil).Want(200)
	b.Page(b.A.Staff, "GET", "/?block=attention", nil).Lacks("debit failed").Contains("Nothing is waiting for you.")
	b.Page(b.A.Staff, "GET", "/attention", nil).Lacks("Failed debits")
}

// The number stands on every page, so it must not look at every purchase whose debit was
// cancelled to find the few that failed, nor at every failure that was dealt with.
func TestTheNumberOfWhatNeedsAttentionIsFoundWithoutLookingAtEveryDebit(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	id := b.charged(client, token, 30007, 4)
	b.later(6)
	const copied = 1500
	b.must(
		`INSERT INTO purchases SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'pass_at', NULL,
		'status', 'overdue', 'reference_generated', 'B' || n, 'payer_sealed', NULL))).*
		FROM purchases p, generate_series(1, $2) AS n WHERE p.id = $1`, id, copied)
	b.must(
		`INSERT INTO collections SELECT (jsonb_populate_record(c,
			jsonb_build_object('id', ('ffffffff' || substr(gen_random_uuid()::text, 9))::uuid, 'purchase_id', p.id,
		'state', 'cancelled'))).* FROM purchases p, collections c WHERE p.reference_generated LIKE 'B%'
		AND c.purchase_id = $1`,
		id,
	)
	few := func(what string) {
		t.Helper()
		for noted := 1; noted > 0; { // the sweep comes by until all that was under way has ended, in other tests too
			if _, err := (upkeep.Store{DB: b.Store}).FoldFigures(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := b.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM attention_changes`).Scan(&noted); err != nil {
				t.Fatal(err)
			}
		}
		b.must(`VACUUM (ANALYZE) purchases, collections`)
		var n, before, after int
		err := b.Store.InTx(t.Context(), func(tx *database.Tx) (err error) {
			scans := func(n *int) error { // of this connection, what it did before included
				return b.Store.Pool.QueryRow(tx.Context(), `SELECT sum(idx_scan) + sum(seq_scan) FROM pg_stat_xact_user_tables
					WHERE relname IN ('purchases', 'collections')`).Scan(n)
			}
			if err := scans(&before); err != nil {
				return err
			}
			if n, err = (attention.Store{DB: b.Store}).Count(tx.Context(), b.A.ID, b.Store.Now().AddDate(0, -1,
				0)); err != nil {
				return err
			}
			return scans(&after)
		})
		if err != nil || n != 1 {
			t.Errorf("%s: %d wait, %v", what, n, err)
		}
		if after-before > 100 {
			t.Errorf("%s: %d look-ups for %d purchases", what, after-before, copied)
		}
		b.followed() // and every line leads to exactly what it counts
	}
	few("cancelled debits")
	b.must(`UPDATE purchases SET status = 'paid' WHERE reference_generated LIKE 'B%'`)
	b.must(`UPDATE collections SET state = 'unpaid' WHERE state = 'cancelled'`)
	few("failures that were dealt with")
}

func (b business) must(sql string, args ...any) {
	b.t.Helper()
	if _, err := b.Store.Pool.Exec(b.t.Context(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

func TestEveryLineOfHomeLeadsToExactlyWhatItCounts(t *testing.T) {
	b := newBusiness(t)
	clients, tokens := map[string]string{}, map[string]string{}
	for _, account := range []string{"4000009002", "4000009102", "4000009004", "4000009030", "4000009901", "4000000001",
		"4000000002", "4000000003", "4000008000"} {
		clients[account], tokens[account] = b.stored(account)
	}
	charge := func(account string, cents, days int) string {
		return b.charged(clients[account], tokens[account], cents, days)
	}
	for i, account := range []string{"4000009002", "4000009102", "4000009004", "4000009030", "4000009901", "4000000001"} {
		charge(account, 10000+i, 4)
		charge(account, 20000+i, 11)
		charge(account, 30000+i, 40)
	}
	plan := templateOf(t, b.Server, plan("Gym"))
	for _, account := range []string{"4000009004", "4000000002"} {
		b.Page(b.A.Finance, "POST", plan+"/subscribers",
			url.Values{"form_key": {account}, "client_id": {clients[account]}}).Want(http.StatusSeeOther)
	}
	gone := charge("4000000003", 41000, 35)
	b.followed()
	for range 6 {
		b.later(3)
		b.followed()
		b.figured()
	}
	for _, account := range []string{"4000000002", "4000000003"} { // a subscriber's, and one that a purchase waits for
		b.API("DELETE", "/clients/"+clients[account]+"/recurring_tokens/"+tokens[account]+"/", nil).Want(204)
	}
	b.API("POST", "/purchases/"+charge("4000000001", 500, 30)+"/cancel/", nil).Want(200)
	lines := b.followed()
	for _, kind := range []string{"/purchases?attention=failed", "/purchases?attention=account_gone",
		"/purchases?attention=disputed", "/purchases?attention=silent",
		"/tokens?attention=blocked&state=blocked", "/templates/without-account"} {
		if lines[kind] == "" {
			t.Errorf("nothing is said of %s: %v", kind, lines)
		}
	}
	b.Page(b.A.Staff, "GET", "/attention", nil).Contains("The account was deleted.", gone)
	b.later(20)
	b.followed()
	b.figured()
	b.API("POST", "/purchases/"+gone+"/cancel/", nil).Want(200)
	if left := b.followed()["/purchases?attention=account_gone"]; left != "" {
		t.Errorf("cancelled, and still: %s", left)
	}
}

func contains(body string, texts ...string) bool {
	for _, text := range texts {
		if !strings.Contains(body, text) {
			return false
		}
	}
	return true
}
