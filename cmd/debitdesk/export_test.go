package main

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	bookout "debitdesk/models/leaving"
)

// bookIn reads a book again.
func bookIn(t *testing.T, file string) (files map[string]string, m bookout.Manifest) {
	t.Helper()
	z, err := zip.OpenReader(file)
	must(t, err)
	defer func() { _ = z.Close() }()
	files = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		files[f.Name] = string(content)
	}
	must(t, json.Unmarshal([]byte(files[bookout.ManifestName]), &m))
	return files, m
}

// bookColumn are the values of a column of a file.
func bookColumn(t *testing.T, files map[string]string, name, column string) (out []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(files[name], "\ufeff"))).ReadAll()
	must(t, err)
	for i, head := range rows[0] {
		for _, r := range rows[1:] {
			if head == column {
				out = append(out, r[i])
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no %s", name, column)
	}
	return out
}

func TestTheCommandLineTakesABookOut(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "demo", "--json"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var slug string
	must(t, conn.QueryRow(t.Context(), `SELECT slug FROM merchants`).Scan(&slug))
	dir := t.TempDir()
	masked, again, full := filepath.Join(dir, "a.zip"), filepath.Join(dir, "b.zip"), filepath.Join(dir, "c.zip")
	for file, more := range map[string][]string{masked: nil, again: nil, full: {"--numbers"}} {
		got := typed(t, env, "", append([]string{"export", "book", "--merchant", slug, file}, more...)...)
		var done bookout.Summary
		if got.code != exitOK || json.Unmarshal([]byte(got.out), &done) != nil || strings.Count(got.out, "\n") != 1 {
			t.Fatalf("%+v", got)
		}
		at, err := os.Stat(file)
		must(t, err)
		if at.Mode().Perm() != 0o600 || at.Size() != done.Bytes || len(done.SHA256) != 64 || done.Rows < 500 {
			t.Errorf("%s: %v, %d bytes, %+v", file, at.Mode(), at.Size(), done)
		}
	}
	files, m := bookIn(t, masked)
	same, _ := bookIn(t, again)
	for name, content := range files {
		if name != bookout.ManifestName && same[name] != content {
			t.Errorf("%s differs in a second export", name)
		}
	}
	open, _ := bookIn(t, full)
	numbers := append(bookColumn(t, open, "accounts.csv", "bank_account"),
		bookColumn(t, open, "clients.csv", "personal_code")...)
	for _, n := range numbers {
		if strings.Contains(n, "•") || len(n) < 8 {
			t.Errorf("%q is not in full", n)
			continue
		}
		for name, content := range files {
			if strings.Contains(content, n) {
				t.Errorf("%s holds %s", name, n)
			}
		}
	}
	for column, sql := range map[string]string{
		"purchases.csv total": `SELECT sum(total_cents) FROM purchases`,
		"debits.csv amount":   `SELECT sum(amount_cents) FROM collections`,
		"movements.csv amount": `SELECT sum(amount_cents)
			FROM ledger_entries`, "invoices.csv vat": `SELECT sum(vat_cents) FROM invoices`,
	} {
		var want, got int64
		must(t, conn.QueryRow(t.Context(), sql).Scan(&want))
		for _, f := range m.Files {
			for _, s := range f.Sums {
				if f.Name+" "+s.Column == column {
					got += s.Cents
				}
			}
		}
		if want == 0 || got != want {
			t.Errorf("%s comes to %d, want %d", column, got, want)
		}
	}
	var entries int
	must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM audit_entries WHERE action = 'book.exported'
		AND actor_kind = 'operator'`).Scan(&entries))
	if entries != 3 {
		t.Errorf("%d entries in the audit", entries)
	}
	before, err := os.ReadFile(masked)
	must(t, err)
	if got := typed(t, env, "", "export", "book", "--merchant", slug, masked); got.code != exitFailed ||
		!strings.Contains(got.err, "already exists") {
		t.Errorf("%+v", got)
	}
	if after, err := os.ReadFile(masked); err != nil || string(after) != string(before) {
		t.Errorf("the file that was there is another: %v", err)
	}
	if got := typed(t, env, "", "export", "book", "--merchant", "nobody", filepath.Join(dir, "d.zip")); got.code !=
		exitFailed {
		t.Errorf("%+v", got)
	}
	if got := typed(t, env, "", "export", "book", filepath.Join(dir, "d.zip")); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "d.zip")); err == nil {
		t.Error("a refused export leaves a file")
	}
}
