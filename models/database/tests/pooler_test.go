package tests

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
	"debitdesk/models/database"
	"debitdesk/models/database/postgres"
	"debitdesk/models/mandate"
)

// TestAPoolerIsNoticedAndListeningGoesAroundIt goes through PgBouncer in transaction mode.
func TestAPoolerIsNoticedAndListeningGoesAroundIt(t *testing.T) {
	t.Parallel()
	cluster, err := postgres.Throwaway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	pooled, err := cluster.Pooler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if s, err := database.Open(ctx, pooled("postgres"), database.Options{}); !errors.Is(err, database.ErrPooled) {
		t.Fatalf("without a way around: %v, %v", s, err)
	}
	if _, err := database.Open(ctx, pooled("postgres"),
		database.Options{DirectURL: pooled("postgres")}); !errors.Is(err, database.ErrPooled) {
		t.Fatalf("the way around leads through it, too: %v", err)
	}
	if _, err := database.Sessions(ctx, pooled("postgres")); !errors.Is(err, database.ErrPooled) {
		t.Fatalf("migrations through it: %v", err)
	}
	s, err := database.Open(ctx, pooled("postgres"), database.Options{DirectURL: cluster.DSN("postgres"), Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if !s.Pooler {
		t.Error("it was not noticed")
	}
	own, err := pgxpool.New(ctx, cluster.DSN("postgres")) // migrations hold one connection and use another
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if err := migrations.Up(ctx, own); err != nil {
		t.Fatal(err)
	}
	watch, err := mandate.Store{DB: s}.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	id := uuid.New()
	changed, cancel := watch.Subscribe(id)
	defer cancel()
	if _, err := s.Pool.Exec(ctx, `SELECT pg_notify('debitdesk_mandate', $1)`, id.String()); err != nil {
		t.Fatal(err)
	}
	<-changed
	locked := 0
	if err := s.Clock.Exclusive(ctx, func() error {
		return s.Pool.QueryRow(ctx, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND a.application_name = 'debitdesk alone'`).Scan(&locked)
	}); err != nil || locked != 1 {
		t.Errorf("the clock's turn holds %d locks: %v", locked, err)
	}
	// More callers than connections, in units of work and without: nothing is prepared under a name.
	errs := make(chan error)
	for range 40 {
		go func() {
			errs <- s.InTx(ctx, func(tx *database.Tx) error {
				tx.Exec(`CREATE TEMP TABLE mine (id uuid, n bigint) ON COMMIT DROP`)
				return tx.Pgx(func(p pgx.Tx) error {
					if _, err := p.CopyFrom(ctx, pgx.Identifier{"mine"}, []string{"id", "n"},
						pgx.CopyFromRows([][]any{{database.Native([]any{id})[0], int64(7)}})); err != nil {
						return err
					}
					var n int64
					if err := p.QueryRow(ctx, `SELECT n FROM mine WHERE id = ANY ($1::uuid[])`,
						[]string{id.String()}).Scan(&n); err != nil {
						return err
					}
					if n != 7 {
						return errors.New("another row")
					}
					return nil
				})
			})
		}()
	}
	for range 40 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
