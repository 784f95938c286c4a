package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3/lock"

	"debitdesk/migrations"
	"debitdesk/models/storetest"
)

func TestTheStatusDoesNotWaitForAProcessThatMigrates(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), storetest.DSN(t))
	must(t, err)
	t.Cleanup(pool.Close)
	migrating, err := pool.Acquire(t.Context())
	must(t, err)
	defer migrating.Release()
	_, err = migrating.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID)
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		steps, behind, err := migrations.Status(t.Context(), pool)
		if err != nil || behind || len(steps) == 0 {
			t.Errorf("%v, behind %t: %v", steps, behind, err)
		}
	}()
	waiting, err := pool.Acquire(t.Context())
	must(t, err)
	defer waiting.Release()
	for {
		select {
		case <-done:
			return
		default:
		}
		var tries int // the status asks for the lock again and again, without waiting in the database
		must(t, waiting.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND query LIKE '%pg_try_advisory_lock%' AND pid <> pg_backend_pid()`).Scan(&tries))
		if tries > 0 {
			t.Fatal("the status asks for the lock of migrations")
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
