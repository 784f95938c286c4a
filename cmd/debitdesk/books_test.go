package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/demo"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/journal/files/filestest"
	"debitdesk/models/merchant"
	"debitdesk/models/report"
)

// TestTheBooksOfABusinessAreExportedClosedAndChecked goes the whole way from the terminal, over months with every kind
// of movement.
func TestTheBooksOfABusinessAreExportedClosedAndChecked(t *testing.T) {
	t.Parallel()
	v := lived(t)
	v.invoiced()
	config := v.app.Config
	env := map[string]string{"DATABASE_URL": config.DatabaseURL, "DEBITDESK_DATA": config.Data}
	books := func(args ...string) line { return typed(t, env, "", append([]string{"books"}, args...)...) }
	today := calendar.DateOf(v.app.Store.Now())
	first, last := today.AddDays(-400).String(), today.String()
	export := func(format, by, file string) line {
		return books("export", "--merchant", "gym", "--from", first, "--to", last, "--format", format, "--by", by, file)
	}

	for _, format := range files.Names() {
		for _, by := range []string{"entry", "day"} {
			if format == "xero-invoices" && by == "day" {
				if got := export(format, by, "-"); got.code != exitFailed || !strings.Contains(got.err, "never put together") {
					t.Errorf("invoices by day: %+v", got)
				}
				continue
			}
			one, again := export(format, by, "-"), export(format, by, "-")
			if one.code != exitOK || one.out != again.out || len(one.out) < 200 {
				t.Errorf("%s by %s: %+v", format, by, one)
			}
			for _, secret := range []string{"4000000101", "4000009500", "12345678"} {
				if strings.Contains(one.out, secret) {
					t.Errorf("%s by %s has the account number %s", format, by, secret)
				}
			}
		}
	}
	name := filepath.Join(t.TempDir(), "book")
	if got := export("csv", "entry", name); got.code != exitOK || !strings.HasPrefix(got.out, name) {
		t.Fatalf("%+v", got)
	}
	if got := export("csv", "entry", name); got.code != exitFailed {
		t.Errorf("a file that was there was written over: %+v", got)
	}
	judged(t, func(format string) string { return export(format, "entry", "-").out })
	judged(t, func(format string) string { return export(format, "day", "-").out })
	v.balances(t, today)
	v.invoices(t, export("xero-invoices", "entry", "-").out)

	if got := books("check"); got.code != exitOK || !strings.HasPrefix(got.out, "gym: every entry comes to zero") {
		t.Errorf("check: %+v", got)
	}
	before := journal.MonthOf(calendar.On(today.Year, today.Month-1, 1))
	for _, c := range []struct {
		month string
		code  int
	}{{"2026-13", exitUsage}, {journal.MonthOf(today).String(), exitFailed}, {before.String(), exitOK},
		{before.String(), exitFailed}} {
		if got := books("close", "--merchant", "gym", "--month", c.month); got.code != c.code {
			t.Errorf("close %s: %+v", c.month, got)
		}
	}
	if got := books("check", "--merchant", "gym"); got.code != exitOK {
		t.Errorf("check: %+v", got)
	}
	v.exec(`SET session_replication_role = replica; UPDATE journal_entries SET clr = clr + 1, ar = ar - 1
		WHERE n = (SELECT min(n) FROM journal_entries WHERE clr > 0); SET session_replication_role = DEFAULT`)
	if got := books("check"); got.code != exitFailed || !strings.Contains(got.out, "gym: transit") ||
		!strings.Contains(got.out, "gym: closed month "+before.String()) {
		t.Errorf("a changed cent was not found: %+v", got)
	}
	v.exec(`SET session_replication_role = replica; UPDATE journal_entries SET clr = clr - 1, ar = ar + 1
		WHERE n = (SELECT min(n) FROM journal_entries WHERE clr > 0); SET session_replication_role = DEFAULT`)
}

// balances holds what moved by the journal against what Reports say of every day.
func (v *vault) balances(t *testing.T, today calendar.Date) {
	t.Helper()
	m, err := merchant.Store{DB: v.app.Store}.MerchantBySlug(t.Context(), "gym")
	must(t, err)
	who := actor.OperatorOf(m.ID)
	money := &report.Money{Store: report.Store{DB: v.app.Store}}
	for day := today.AddDays(-120); !day.After(today); day = day.AddDays(1) {
		var moved int64
		must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(clr + bank), 0)::bigint FROM journal_entries
			WHERE day <= $1::date`, day.String()).Scan(&moved))
		b, err := money.BalanceAsOf(t.Context(), who, day)
		must(t, err)
		if got := b["ZAR"].NetCents().String(); got != fmt.Sprint(moved) {
			t.Errorf("%s: Reports say %s, the journal %d", day, got, moved)
		}
	}
}

// judged has every program of plain-text accounting read the books, and compares what it comes to by month and account
// with our own CSV.
func judged(t *testing.T, export func(format string) string) {
	t.Helper()
	ours := filestest.MonthsOfCSV(t, export("csv"))
	if len(ours) < 3 {
		t.Errorf("the books come to %v", ours)
	}
	for _, format := range filestest.Formats {
		book := export(format)
		must(t, filestest.Own(book))
		if filestest.Own(filestest.CentChanged(book)) == nil {
			t.Errorf("we took a changed cent in %s", format)
		}
		if !filestest.Has(t, format) {
			continue
		}
		must(t, filestest.Check(t, format, book))
		if filestest.Check(t, format, filestest.CentChanged(book)) == nil {
			t.Errorf("%s took a changed cent", format)
		}
		if got := filestest.MonthsOf(t, format, book); !maps.Equal(got, ours) {
			t.Errorf("%s comes to %v, and the CSV to %v", format, got, ours)
		}
	}
}

func TestProgramsOfPlainTextAccountingTakeTheBooksOfTheDemo(t *testing.T) {
	t.Parallel()
	env := demoOn(t, 8)
	judged(t, func(format string) string {
		got := typed(t, env, "", "books", "export", "--merchant", demo.Slug, "--from", "2020-01-01", "--to", "2060-12-31",
			"--format", format, "-")
		if got.code != exitOK {
			t.Fatalf("%s: %+v", format, got)
		}
		return got.out
	})
	if got := typed(t, env, "", "books", "check"); got.code != exitOK {
		t.Errorf("%+v", got)
	}
}

// invoiced issues invoices, of which one is taken back.
func (v *vault) invoiced() {
	client := v.api(201, "POST", "/api/v1/clients/", `{"email":"thandi@example.com","full_name":"Thandi Nkosi"}`)
	for i := range 3 {
		id := v.bought(client, 10007*(i+1))
		v.api(200, "POST", "/api/v1/purchases/"+id+"/resend_invoice/", "")
		if i == 2 {
			v.api(200, "POST", "/api/v1/purchases/"+id+"/cancel/", "")
		}
	}
}

// invoices holds a file of invoices for Xero against the documents.
func (v *vault) invoices(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(t, err)
	sum, numbers := decimal.Zero, map[string]bool{}
	for _, row := range rows[1:] {
		quantity, err := decimal.NewFromString(row[16])
		must(t, err)
		unit, err := decimal.NewFromString(row[17])
		must(t, err)
		sum, numbers[row[10]] = sum.Add(quantity.Mul(unit)), true
		if row[0] == "" || row[15] == "" || row[19] == "" || row[20] == "" {
			t.Errorf("something that Xero needs is missing: %v", row)
		}
	}
	var cents, documents int64
	must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT sum(CASE kind WHEN 'invoice' THEN total_cents
		ELSE -total_cents END)::bigint, count(*) FROM invoices`).Scan(&cents, &documents))
	if !sum.Equal(decimal.New(cents, -2)) || int64(len(numbers)) != documents || documents == 0 {
		t.Errorf("%d documents come to %s, want %d and %d cents", len(numbers), sum, documents, cents)
	}
}
