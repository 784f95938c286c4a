package storetest

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/queue"
)

// Rows is a database whose rows one test writes as they are, without the concepts that they belong to.
type Rows struct {
	*database.DB
	tb testing.TB
}

// RowsOf takes a database that is open.
func RowsOf(tb testing.TB, db *database.DB) Rows { return Rows{db, tb} }

// Open gives one test the rows of its own database, of a product in sandbox mode that seals with the key k1.
func Open(tb testing.TB) Rows {
	tb.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	if err != nil {
		tb.Fatal(err)
	}
	db, err := database.Open(tb.Context(), DSN(tb), database.Options{Seal: box, Sandbox: true, MaxConns: 8,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	return Rows{db, tb}
}

// Run runs a statement.
func (r Rows) Run(sql string, args ...any) {
	r.tb.Helper()
	if _, err := r.Pool.Exec(r.tb.Context(), sql, args...); err != nil {
		r.tb.Fatal(err)
	}
}

// Number is the one number that a statement finds.
func (r Rows) Number(sql string, args ...any) (n int64) {
	r.tb.Helper()
	if err := r.Pool.QueryRow(r.tb.Context(), sql, args...).Scan(&n); err != nil {
		r.tb.Fatal(err)
	}
	return n
}

// Merchant adds one.
func (r Rows) Merchant(slug string) uuid.UUID {
	r.tb.Helper()
	id := uuid.New()
	r.Run(
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, now(), now())`, id,
		slug)
	return id
}
