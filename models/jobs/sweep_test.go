package jobs

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/store/storetest"
)

func process(t *testing.T, dsn string) *sweeps {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &sweeps{pool: pool, log: slog.New(slog.DiscardHandler)}
}

func TestOneProcessSweepsAtATime(t *testing.T) {
	dsn := storetest.DSN(t)
	one, other := process(t, dsn), process(t, dsn)
	rounds := 0
	round := func(do func(context.Context) error) sweep { return sweep{name: "due", lock: dueLock, do: do} }
	twice := round(func(context.Context) error { rounds++; return nil })
	err := one.alone(t.Context(), round(func(ctx context.Context) error {
		if err := other.alone(ctx, twice); err != nil {
			t.Error(err)
		}
		if rounds != 0 {
			t.Error("two processes swept at once")
		}
		return other.alone(ctx, sweep{name: "counts", lock: countLock, do: func(context.Context) error { rounds++; return nil }})
	}))
	if err != nil || rounds != 1 {
		t.Errorf("another sweep was held up: %d rounds, %v", rounds, err)
	}
	if err := other.alone(t.Context(), twice); err != nil || rounds != 2 {
		t.Errorf("the lock was not given up: %d rounds, %v", rounds, err)
	}
}

func TestAPanicEndsTheRoundAndGivesUpTheLock(t *testing.T) {
	dsn := storetest.DSN(t)
	one, other := process(t, dsn), process(t, dsn)
	err := one.alone(t.Context(), sweep{lock: dueLock, do: func(context.Context) error { panic("oh") }})
	if err == nil || !strings.Contains(err.Error(), "oh") {
		t.Errorf("got %v", err)
	}
	did := false
	if err := other.alone(t.Context(), sweep{lock: dueLock, do: func(context.Context) error { did = true; return nil }}); err != nil || !did {
		t.Errorf("done %v, %v", did, err)
	}
}
