package tests

import (
	"testing"

	"debitdesk/models/database"
	"debitdesk/models/storetest"
)

// tabled opens a database with a table of a test's own.
func tabled(t *testing.T, statements ...string) *database.DB {
	t.Helper()
	return tabledIn(t, storetest.DSN(t), database.Options{Sandbox: true}, statements...)
}

func tabledIn(t *testing.T, dsn string, opt database.Options, statements ...string) *database.DB {
	t.Helper()
	s, err := database.Open(t.Context(), dsn, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, sql := range statements {
		if _, err := s.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	return s
}
