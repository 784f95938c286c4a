package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
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
	for format, program := range map[string][]string{"ledger": {"ledger", "--strict", "-f", "FILE", "bal"},
		"hledger":   {"hledger", "-f", "FILE", "check", "--strict", "ordereddates"},
		"beancount": {"bean-check", "--no-cache", "FILE"}} {
		if _, err := exec.LookPath(program[0]); err != nil {
			t.Logf("without %s, which is not installed", program[0])
			continue
		}
		name := filepath.Join(t.TempDir(), "book")
		if got := export(format, "entry", name); got.code != exitOK || !strings.HasPrefix(got.out, name) {
			t.Fatalf("%+v", got)
		}
		args := strings.Split(strings.ReplaceAll(strings.Join(program[1:], "\n"), "FILE", name), "\n")
		if out, err := exec.CommandContext(t.Context(), program[0], args...).CombinedOutput(); err != nil {
			text, _ := os.ReadFile(name) //nolint:gosec // our own file
			t.Errorf("%s: %v\n%s\n%s", program[0], err, out, text)
		}
		if got := export(format, "entry", name); got.code != exitFailed {
			t.Errorf("a file that was there was written over: %+v", got)
		}
	}
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
	m, err := v.app.Store.MerchantBySlug(t.Context(), "gym")
	must(t, err)
	who := actor.OperatorOf(m.ID)
	money := &report.Money{Store: report.Store{DB: v.app.Store.DB}}
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
