package tests

import (
	"testing"

	"debitdesk/models/store"
	"debitdesk/models/store/storetest"
)

// tabled opens a database with a table of a test's own.
func tabled(t *testing.T, statements ...string) *store.Store {
	t.Helper()
	return tabledIn(t, storetest.DSN(t), store.Options{Sandbox: true}, statements...)
}

func tabledIn(t *testing.T, dsn string, opt store.Options, statements ...string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dsn, opt)
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
