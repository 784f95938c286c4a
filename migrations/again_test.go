package migrations_test

import (
	"database/sql"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"

	"debitdesk/migrations"
)

// A step without a transaction that was broken off before it was recorded is taken again from its beginning,
// whatever it had done by then. Rows that were there before are still there at the end, and every index can be
// used.
func TestStepsWithoutATransactionCanBeTakenAgain(t *testing.T) {
	t.Parallel()
	const first = 37
	p := before(t, first)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	full := map[string]map[string]any{"clients": {}, "purchases": {}, "ledger_entries": {}, "events": {},
		"mails": {"state": "sent"}, "deliveries": {"state": "failed"}, "template_clients": {"status": "active"}}
	for table, values := range full {
		values["merchant_id"] = merchant
		p.row(table, values)
	}
	names, err := fs.Glob(migrations.Files, "*.sql")
	must(t, err)
	again := 0
	for _, name := range names {
		step, err := goose.NumericComponent(name)
		must(t, err)
		if step < first {
			continue
		}
		p.upTo(step - 1)
		if text, err := migrations.Files.ReadFile(name); err != nil || !strings.Contains(string(text), "NO TRANSACTION") {
			must(t, err)
			continue
		}
		again++
		for _, statement := range statements(t, name) {
			_, err := p.db.Exec(statement)
			must(t, err)
		}
	}
	p.upTo(migrations.Newest())
	if again < 4 {
		t.Errorf("only %d steps without a transaction were taken twice", again)
	}
	for table := range full {
		if n := p.says(`SELECT count(*)::text FROM ` + table); n != "1" {
			t.Errorf("%s rows in %s, want 1", n, table)
		}
	}
	var invalid sql.NullString
	must(t, p.db.QueryRow(`SELECT string_agg(indexrelid::regclass::text, ', ') FROM pg_index
		WHERE NOT indisvalid`).Scan(&invalid))
	if invalid.Valid {
		t.Errorf("indexes that nothing can use: %s", invalid.String)
	}
}
