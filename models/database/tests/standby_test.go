package tests

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/database"
	"debitdesk/models/database/postgres"
	"debitdesk/models/fault"
)

// pair is a database with a standby that is read, and a table to write to.
func pair(t *testing.T) (s *database.DB, primary, standby *postgres.Cluster) {
	t.Helper()
	primary, standby, err := postgres.ThrowawayPair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(primary.Stop)
	t.Cleanup(standby.Stop)
	on(t, primary, `CREATE TABLE facts (n bigint)`)
	return reading(t, primary.DSN("postgres"), standby.DSN("postgres")), primary, standby
}

func reading(t *testing.T, primary, standby string) *database.DB {
	t.Helper()
	s, err := database.Open(t.Context(), primary, database.Options{ReadURL: standby, MostLag: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func on(t *testing.T, c *postgres.Cluster, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// facts counts the rows, and tells who counted.
func facts(t *testing.T, s *database.DB, ctx context.Context) (n int, byStandby bool) {
	t.Helper()
	if err := s.Pool.QueryRow(ctx, `SELECT count(*), pg_is_in_recovery() FROM facts`).Scan(&n, &byStandby); err != nil {
		t.Fatal(err)
	}
	var mapped struct{ Standby bool }
	if err := s.Gorm(ctx).Raw(`SELECT pg_is_in_recovery() AS standby`).Scan(&mapped).Error; err != nil ||
		mapped.Standby != byStandby {
		t.Fatalf("GORM asked another one: %v, %v", mapped.Standby, err)
	}
	return n, byStandby
}

func becomes(t *testing.T, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); !met(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestReportsAreReadFromAStandbyThatHasWhatWasWritten goes through the life of a standby:
// it follows, falls behind, catches up, becomes the primary, and dies.
func TestReportsAreReadFromAStandbyThatHasWhatWasWritten(t *testing.T) {
	t.Parallel()
	s, primary, standby := pair(t)
	ctx := t.Context()
	write := func() (position int64) {
		t.Helper()
		if _, err := s.Pool.Exec(ctx, `INSERT INTO facts VALUES (1)`); err != nil {
			t.Fatal(err)
		}
		position, err := s.Position(ctx)
		if err != nil || position == 0 {
			t.Fatal(position, err)
		}
		return position
	}
	first := write()
	becomes(t, "the standby answers", func() bool {
		n, there := facts(t, s, s.OnStandby(ctx, first))
		return n == 1 && there
	})
	if _, there := facts(t, s, ctx); there {
		t.Error("the standby answers what is not asked of it")
	}
	if err := s.InTx(s.OnStandby(ctx, 0), func(tx *database.Tx) error {
		tx.Exec(`INSERT INTO facts VALUES (2)`)
		if n, there := facts(t, s, tx.Context()); n != 2 || there {
			t.Errorf("a unit of work reads %d rows, from the standby: %v", n, there)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	onStandby := s.OnStandby(ctx, 0)
	var n int
	err := s.Pool.QueryRow(onStandby, `INSERT INTO facts VALUES (3) RETURNING n`).Scan(&n)
	if pg := (*pgconn.PgError)(nil); !errors.As(err, &pg) || pg.Code != "25006" {
		t.Errorf("a write by way of the standby: %v", err)
	}

	on(t, standby, `SELECT pg_wal_replay_pause()`)
	on(t, primary, `ALTER SYSTEM RESET synchronous_standby_names`)
	on(t, primary, `SELECT pg_reload_conf()`)
	second := write()
	if n, there := facts(t, s, s.OnStandby(ctx, second)); n != 3 || there {
		t.Errorf("somebody who has just written reads %d rows, from the standby: %v", n, there)
	}
	becomes(t, "the lag is noticed", func() bool { return s.Standby.State().Lag > time.Second })
	if n, there := facts(t, s, s.OnStandby(ctx, 0)); n >= 3 || !there {
		t.Errorf("somebody else reads %d rows, from the standby: %v", n, there)
	}
	at, old := database.AsOf(s.OnStandby(ctx, 0))
	if old != (s.Standby.State().Lag >= 5*time.Second) || old && at.IsZero() {
		t.Error("what is shown of the lag is not the lag", at, old)
	}
	if far := whyNotRead(t, primary, standby, time.Millisecond); far == "" || !strings.Contains(far, "behind") {
		t.Errorf("a standby that is too far behind is read: %q", far)
	}
	on(t, standby, `SELECT pg_wal_replay_resume()`)
	becomes(t, "it has caught up", func() bool {
		n, there := facts(t, s, s.OnStandby(ctx, second))
		return n == 3 && there && s.Standby.State().Lag == 0
	})

	if err := standby.Promote(ctx); err != nil {
		t.Fatal(err)
	}
	if st := s.Standby.Measure(ctx); st.Why != "is no standby" {
		t.Errorf("what was promoted is read: %+v", st)
	}
	if _, there := facts(t, s, s.OnStandby(ctx, 0)); there {
		t.Error("it answers")
	}
	if err := standby.Kill(); err != nil {
		t.Fatal(err)
	}
	if st := s.Standby.Measure(ctx); !strings.Contains(st.Why, "does not answer") {
		t.Errorf("a dead standby: %+v", st)
	}
	if n, _ := facts(t, s, s.OnStandby(ctx, 0)); n != 3 {
		t.Errorf("%d rows without a standby", n)
	}
	if there, instead := s.Standby.Reads(); there == 0 || instead == 0 {
		t.Error("reads are not counted", there, instead)
	}
}

// TestGORMAsksThePrimaryWhatTheStandbyDoesNotAnswer writes by way of a standby, and reads by way of one that has died.
func TestGORMAsksThePrimaryWhatTheStandbyDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s, _, standby := pair(t)
	var onStandby context.Context
	becomes(t, "the standby is read", func() bool {
		onStandby = s.OnStandby(t.Context(), 0)
		return onStandby != t.Context()
	})
	if err := s.Gorm(onStandby).Exec(`INSERT INTO facts VALUES (?)`, 7).Error; err != nil {
		t.Errorf("a write by way of the standby: %v", err)
	}
	var none struct{ N int }
	if err := s.Gorm(onStandby).Table("facts").Take(&none, "n = ?", 8).Error; !fault.Is(err, fault.NotFound) {
		t.Errorf("what is not there: %v", err)
	}
	if _, there := facts(t, s, onStandby); !there {
		t.Error("the standby is not read any more since it did not find a record")
	}
	if err := standby.Kill(); err != nil {
		t.Fatal(err)
	}
	var found []struct{ N int }
	if err := s.Gorm(onStandby).Table("facts").Find(&found).Error; err != nil || len(found) != 1 || found[0].N != 7 {
		t.Errorf("a dead standby answers %v, %v", found, err)
	}
}

// whyNotRead is why a standby is not read that may be so far behind.
func whyNotRead(t *testing.T, primary, standby *postgres.Cluster, mostLag time.Duration) string {
	t.Helper()
	s, err := database.Open(t.Context(), primary.DSN("postgres"),
		database.Options{ReadURL: standby.DSN("postgres"), MostLag: mostLag})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Standby.State().Why
}

// TestAStandbyIsNoReasonNotToStart has addresses that lead nowhere, to the primary itself,
// and to a database of others.
func TestAStandbyIsNoReasonNotToStart(t *testing.T) {
	t.Parallel()
	mine, err := postgres.Throwaway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mine.Stop)
	others, err := postgres.Throwaway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(others.Stop)
	for _, one := range []struct{ address, why string }{
		{"postgres:///postgres?host=/nowhere&user=postgres", "cannot be reached"},
		{mine.DSN("postgres"), "is no standby"},
		{others.DSN("postgres"), "is a copy of another database"},
	} {
		s := reading(t, mine.DSN("postgres"), one.address)
		if st := s.Standby.State(); !strings.Contains(st.Why, one.why) {
			t.Errorf("%s: %q", one.why, st.Why)
		}
		if s.OnStandby(t.Context(), 0) != t.Context() {
			t.Errorf("%s: it is read", one.why)
		}
	}
}
