package plans

import (
	"strings"
	"testing"

	"debitdesk/models/database"
)

// Listened opens a database that the statements prepare, and gives who takes down what it is asked.
func Listened(tb testing.TB, dsn string, statements ...string) (*database.DB, *Listener) {
	tb.Helper()
	l, err := Listen(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	db, err := database.Open(tb.Context(), l.DSN(), database.Options{Sandbox: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	for _, sql := range statements {
		if _, err := db.Pool.Exec(tb.Context(), sql); err != nil {
			tb.Fatal(err)
		}
	}
	return db, l
}

// NoneReadsMore fails the test when a statement reads more rows of a table that grows than it may, or none was asked.
func NoneReadsMore(tb testing.TB, dsn string, statements []Statement, table string, most int64) {
	tb.Helper()
	found, err := Explain(tb.Context(), dsn, statements, Limits{Grows: []string{table}, Rows: most})
	if err != nil || len(found) == 0 {
		tb.Errorf("%d statements were explained: %v", len(found), err)
	}
	for _, p := range found {
		if len(p.Offences) > 0 {
			tb.Errorf("%s: %s\n%s\n%s", p.For, strings.Join(p.Offences, "; "), p.SQL, p.Text)
		}
	}
}
