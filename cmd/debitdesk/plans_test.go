package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
	"debitdesk/models/keyfile"
	"debitdesk/models/storetest/multiply"
	"debitdesk/models/storetest/plans"
	"debitdesk/models/upkeep"
)

const (
	plansTimes = 40
	// plansRows is how many rows of a table a statement of a page may read when everything is there twenty times: lists
	// show 50.
	plansRows = 600
	// mostExcepted is how many an excepted statement may: what is counted up to 10 000 reads a few more.
	mostExcepted = 12_000
	// plansOfAnother and plansBlocks are how many rows of a table, and blocks, a statement may read for a merchant without
	// records: it drops what it finds by ids of another, which are still named.
	plansOfAnother = 1_000
	plansBlocks    = 2_000
)

// sortedLists are lists in other orders, narrowed and not.
var sortedLists = []string{
	"/purchases?sort=-due",
	"/purchases?sort=amount",
	"/purchases?sort=client&status=error",
	"/purchases?sort=-amount&status=paid",
	"/purchases?sort=-due&status=error,overdue",
	"/purchases?sort=due&q=nkosi",
	"/purchases?sort=-debit&status=pending_charge",
	"/purchases?sort=-due&attention=failed",
	"/invoices?sort=-number",
	"/invoices?sort=amount",
	"/invoices?sort=-amount&state=overdue",
	"/invoices?sort=-due&state=overdue",
	"/invoices?sort=number&q=nkosi",
	"/clients?sort=created",
	"/clients?sort=name",
	"/clients?sort=-name&q=nkosi",
	"/purchases?due=this-month&sort=-amount",
	"/invoices?due=this-month&sort=due",
	"/tokens?sort=created",
	"/mandates?sort=created&state=active",
	"/audit?sort=created",
	"/audit?when=last-7-days",
	"/developers/requests?when=today",
	"/developers/events?when=today",
	"/batches?uploaded=this-month&state=done",
}

// facetedLists are lists that are narrowed by what stands beside their records.
var facetedLists = []string{
	"/purchases?answer=failed",
	"/purchases?answer=02&status=overdue,error",
	"/purchases?answer=never&sort=-amount",
	"/purchases?bank=250655&health=failing&method=eft",
	"/purchases?debit=next-7-days",
	"/purchases?debit=this-month&answer=collected",
	"/purchases?due=this-month&bank=250655",
	"/purchases?made_by=people&failed_again=on",
	"/purchases?answer=failed&sort=client&status=error",
	"/purchases?answer=failed&attention=failed",
	"/purchases?answer=02&q=nkosi",
	"/purchases?amount_min=100&answer=failed&sort=-due",
	"/invoices?answer=failed",
	"/invoices?bank=250655&due=this-month",
	"/invoices?amount_min=100&method=eft&sort=-amount",
	"/tokens?answer=02",
	"/tokens?debit=next-7-days",
	"/tokens?made_by=people&stored=this-month",
	"/tokens?health=failing&q=nkosi",
	"/mandates?answer=failed&bank=250655",
	"/mandates?health=failing&created=this-month&state=active",
	"/mandates?debit=next-7-days",
	"/clients?health=failing",
	"/clients?bank=250655&answer=02&sort=name",
	"/clients?debit=next-7-days",
	"/clients?added=this-month&method=eft",
}

// The statements of every page are answered from indexes, whatever a merchant's history is: no scan of a table that
// grows, and no reading or sorting of more than a page.
func TestNoPageReadsMoreThanItShows(t *testing.T) {
	t.Parallel()
	env := demoOn(t, 26)
	dsn := env["DATABASE_URL"]
	grow(t, env)
	tables, err := multiply.Growing(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := plans.Listen(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	env["DATABASE_URL"] = l.DSN()
	on := serving(t, env, "--no-workers")
	client, err := walk.SignIn(on.url, "admin@kloofstreet.example", demo.Password)
	if err != nil {
		t.Fatal(err)
	}
	w := walk.Walk{Base: on.url, Client: client, Same: 1, Values: 1, OfOne: 45, Before: l.Doing,
		Start: slices.Concat(sortedLists, facetedLists, walk.Found)}
	pages, err := w.Pages()
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 100 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	l.Doing("")
	statements := l.Statements()
	limits := plans.Limits{Grows: tables, Rows: plansRows, NoSeqScan: true}
	known := 0
	for _, p := range explained(t, dsn, statements, limits) {
		if exempt(p.SQL) && p.Read <= mostExcepted {
			known++
			continue
		}
		t.Errorf("%s: %s\n%s\n%s", p.For, strings.Join(p.Offences, "; "), p.SQL, p.Text)
	}
	t.Logf("%d pages, %d statements, %d of them excepted", len(pages), len(statements), known)

	besideALargeOne := limits
	besideALargeOne.Of, besideALargeOne.As = merchantOf(t, dsn), uuid.New()
	besideALargeOne.Rows, besideALargeOne.Blocks = plansOfAnother, plansBlocks
	var suspects []plans.Statement
	for _, p := range explained(t, dsn, statements, besideALargeOne) {
		suspects = append(suspects, p.Statement)
	}
	besideALargeOne.NoSort = true
	for _, p := range explained(t, dsn, suspects, besideALargeOne) {
		t.Errorf("of a merchant without records, %s: %s\n%s\n%s", p.For, strings.Join(p.Offences, "; "), p.SQL, p.Text)
	}

	ofClients := slices.DeleteFunc(statements, func(s plans.Statement) bool {
		return !strings.Contains(s.SQL, "client_id = $")
	})
	before := len(explained(t, dsn, ofClients, limits))
	if _, err := connected(t, dsn).Exec(t.Context(), "DROP INDEX purchases_by_client, mandates_by_client"); err != nil {
		t.Fatal(err)
	}
	if after := len(explained(t, dsn, ofClients, limits)); after <= before {
		t.Errorf("without two indexes %d statements offend, and %d with them: the check sees nothing", after, before)
	}
}

// explained gives the statements that do what they may not, each once.
func explained(t *testing.T, dsn string, statements []plans.Statement, limits plans.Limits) (out []plans.Plan) {
	t.Helper()
	seen := map[string]int{}
	var some []plans.Statement
	for _, s := range statements {
		if seen[s.SQL]++; seen[s.SQL] <= 2 { // with other values
			some = append(some, s)
		}
	}
	found, err := plans.Explain(t.Context(), dsn, some, limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		if len(p.Offences) > 0 && !slices.ContainsFunc(out, func(o plans.Plan) bool { return o.SQL == p.SQL }) {
			out = append(out, p)
		}
	}
	return out
}

// merchantOf is the merchant whose pages are opened.
func merchantOf(t *testing.T, dsn string) (id uuid.UUID) {
	t.Helper()
	if err := connected(t, dsn).QueryRow(t.Context(), `SELECT id FROM merchants WHERE is_demo`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

func connected(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// grow multiplies the demo in the database of the environment.
func grow(t *testing.T, env map[string]string) {
	t.Helper()
	keys, err := keyfile.Load(filepath.Join(env["DEBITDESK_DATA"], keyfile.Name))
	if err != nil {
		t.Fatal(err)
	}
	box, err := keys.Box()
	if err != nil {
		t.Fatal(err)
	}
	o := multiply.Options{Times: plansTimes, Neighbour: plansTimes / 4, Box: box, Sealed: upkeep.SealedColumns()}
	conn := connected(t, env["DATABASE_URL"])
	const counts = `SELECT (SELECT count(*) FROM purchases WHERE merchant_id = $1),
		(SELECT count(*) FROM clients WHERE merchant_id = $1),
		COALESCE((SELECT sum(n) FROM purchase_counts WHERE merchant_id = $1), 0)::bigint`
	var purchases, clients, counted, times, each int64
	if err := conn.QueryRow(t.Context(), `SELECT id FROM merchants WHERE is_demo`).Scan(&o.Merchant); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), counts, o.Merchant).Scan(&purchases, &clients, &counted); err != nil {
		t.Fatal(err)
	}
	if err := multiply.Fill(t.Context(), env["DATABASE_URL"], o); err != nil {
		t.Fatal(err)
	}
	var broken int // an index of a table by months that none of the months has
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_index WHERE NOT indisvalid`).
		Scan(&broken); err != nil ||
		broken > 0 {
		t.Fatalf("%d indexes were lost: %v", broken, err)
	}
	if err := conn.QueryRow(t.Context(), counts, o.Merchant).Scan(&times, &each, &counted); err != nil {
		t.Fatal(err)
	}
	if times != plansTimes*purchases || each != plansTimes*clients || counted != times {
		t.Fatalf("%d purchases and %d clients became %d and %d, counted as %d", purchases, clients, times, each, counted)
	}
}

// exceptions are statements that may read more than a page, each with its reason, by words that stand in them. What is
// open is measured by the bench at the full size, where `make bench BENCH=pages` prints it.
var exceptions = []struct{ words, because string }{
	{`SELECT count(*) FROM (SELECT 1 FROM`, "counting stops at 10 000 rows"},
	{`LIMIT 10001) AS part GROUP BY status`, "counting stops at 10 000 rows, which the index of due dates answers alone"},
	{`LIMIT 1001) AS part`, "adding up stops at 1 000 rows"},
	{
		`WITH found AS MATERIALIZED (SELECT id FROM purchases`,
		"what is found is sorted up to 5 000 rows, then read in the order of ids",
	},
	{
		`WITH mine AS MATERIALIZED`,
		"asked once before a client is erased; mails without a client are found by their merchant",
	},
	{
		`SELECT at FROM (SELECT submit_at AS at FROM collections`,
		"the next moment of the simulator, which stands still meanwhile",
	},
	{`WITH few AS MATERIALIZED`, "what a filter lets through is sorted where it is at most 10 000 rows"},
	{`WITH walked AS MATERIALIZED`, "the first 500 rows along the index of an order"},
	{
		`) AS walked WHERE`,
		"a search, or a filter without an index, looks at up to 3 000 records for a page and says how far it came",
	},
	{`) AS t WHERE`, "as above, of tokens"},
	{`) AS purchases WHERE`, "as above, of purchases"},
	{`) AS clients WHERE`, "as above, of clients"},
	{`) AS m WHERE`, "as above, of mandates"},
	{`) AS messages WHERE`, "as above, of messages"},
	{`LIMIT 10001) AS part GROUP BY state`, "what an index finds of purchases is counted and summed up to 10 000 of them"},
	{`WITH shared AS (`, "duplicates are looked for among all clients, on a page that is asked for now and then"},
	{`AS invoice_cents`, "what invoices come to is summed up to 1 000 of them"},
	{`(array_agg(id))[count(*)::int]`, "the first 250 rows of a search, and all that are left where those are few"},
	{`OFFSET 2999 LIMIT 1`, "how far it came"},
	{`OFFSET 4999 LIMIT 1`, "as above, in the log of requests"},
	{`OFFSET 1999 LIMIT 1`, "how far it came, where each record is read with another"},
	{`OFFSET 999 LIMIT 1`, "as above"},
	{`AND p.total_cents > 0 AND p.client_id IS NOT NULL`, "arrears are added up from all that is late; 20 000 take 90 ms"},
	{`LIMIT 1000) AS r WHERE`, "refunds owed on an earlier day are looked for among the 1 000 before its end"},
	{`LIMIT $6) AS uses`, "the live mandates of a profile are counted up to 1 000"},
	{
		`WITH there AS MATERIALIZED (SELECT count(*) AS n FROM (SELECT 1`,
		"what a filter looks at, or an order sorts, is counted first, up to 3 000 or 10 000 records",
	},
	{`AS t GROUP BY state`, "tokens in a state are counted up to 10 000 of them"},
	{`AS m GROUP BY state`, "as above, mandates"},
	{
		`FROM invoices i JOIN purchases p ON p.id = i.purchase_id LEFT JOIN invoices cn`,
		"open: the due date of an invoice is its purchase's",
	},
}

func exempt(sql string) bool {
	flat := strings.Join(strings.Fields(sql), " ")
	for _, e := range exceptions {
		if strings.Contains(flat, e.words) {
			return true
		}
	}
	return false
}
