package trail_test

import (
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/storetest"
)

// house is a database for one test of the audit trail.
type house struct {
	*database.DB
	t *testing.T
}

func open(t *testing.T) house {
	t.Helper()
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return house{s, t}
}

func (s house) run(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.Pool.Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatal(err)
	}
}

func (s house) number(sql string, args ...any) (n int64) {
	s.t.Helper()
	if err := s.Pool.QueryRow(s.t.Context(), sql, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s house) merchant(slug string) uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	s.run(
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, now(), now())`, id,
		slug)
	return id
}
