package tests

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/storetest"
)

// asleep ends the context of a caller as soon as the server runs a statement that sleeps.
func asleep(t *testing.T, look *pgx.Conn, giveUp func()) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		var n int
		if err := look.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND state = 'active' AND wait_event = 'PgSleep'`).Scan(&n); err != nil {
			t.Error(err)
			giveUp()
			return
		}
		if n > 0 {
			giveUp()
			return
		}
		<-tick.C
	}
}

func TestAStatementThatIsGivenUpIsCancelledAtTheServerAndItsConnectionServesOn(t *testing.T) {
	t.Parallel()
	dsn := storetest.DSN(t)
	s, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	look, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = look.Close(context.WithoutCancel(t.Context())) }()
	const sleep = `SELECT pg_sleep(600)`
	session := func() (pid int) {
		if err := s.Pool.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := session()
	for name, waits := range map[string]func(context.Context) error{
		"a statement": func(ctx context.Context) error { _, err := s.Pool.Exec(ctx, sleep); return err },
		"a question": func(ctx context.Context) error {
			rows, err := s.Pool.Query(ctx, sleep)
			if err != nil {
				return err
			}
			rows.Close()
			return rows.Err()
		},
		"several at once": func(ctx context.Context) error {
			batch := &pgx.Batch{}
			batch.Queue("SELECT 1")
			batch.Queue(sleep)
			batch.Queue("SELECT 2")
			return s.Pool.SendBatch(ctx, batch).Close()
		},
		"a mapped question": func(ctx context.Context) error { return s.Gorm(ctx).Exec(sleep).Error },
		"a unit of work": func(ctx context.Context) error {
			return s.InTx(ctx, func(tx *database.Tx) error { tx.Later(sleep); return tx.Flush() })
		},
		"a transaction": func(ctx context.Context) error {
			return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error { _, err := tx.Exec(ctx, sleep); return err })
		},
		"reading by one connection": func(ctx context.Context) error {
			return s.Pool.Reading(ctx, func(tx pgx.Tx) error { _, err := tx.Exec(ctx, sleep); return err })
		},
	} {
		ctx, giveUp := context.WithCancel(t.Context())
		go asleep(t, look, giveUp)
		err := waits(ctx)
		giveUp()
		if !database.Cancelled(ctx, err) {
			t.Errorf("%s that was given up: %v", name, err)
		}
		if now := session(); now != first {
			t.Errorf("%s that was given up cost its session: %d became %d", name, first, now)
			first = now
		}
	}
}

func TestATransactionWhoseCallerGaveUpBetweenStatementsKeepsNothingAndItsConnection(t *testing.T) {
	t.Parallel()
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	opened := s.Pool.Stat().NewConnsCount()
	for name, fn := range map[string]func(pgx.Tx) error{
		"that ends well":          func(pgx.Tx) error { return nil },
		"that ends with an error": func(pgx.Tx) error { return errors.New("no") },
	} {
		ctx, giveUp := context.WithCancel(t.Context())
		err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `CREATE TABLE given_up (n int)`); err != nil {
				return err
			}
			giveUp()
			return fn(tx)
		})
		var there bool
		if bad := s.Pool.QueryRow(t.Context(), `SELECT to_regclass('given_up') IS NOT NULL`).Scan(&there); bad != nil {
			t.Fatal(bad)
		}
		if err == nil || there || s.Pool.Stat().NewConnsCount() != opened {
			t.Errorf("%s: %v, kept %v, %d sessions", name, err, there, s.Pool.Stat().NewConnsCount())
		}
	}
}
