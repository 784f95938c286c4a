package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/storetest"
)

func process(t *testing.T, dsn string) *sweeps {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s := &sweeps{locks: newLocks(pool), log: slog.New(slog.DiscardHandler)}
	t.Cleanup(s.locks.close)
	return s
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
		return other.alone(ctx, sweep{name: "counts", lock: countLock,
			do: func(context.Context) error { rounds++; return nil }})
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
	if err := other.alone(t.Context(), sweep{lock: dueLock,
		do: func(context.Context) error { did = true; return nil }}); err != nil || !did {
		t.Errorf("done %v, %v", did, err)
	}
}

func TestWhatIsPressingDoesNotWaitForItsTurn(t *testing.T) {
	dsn := storetest.DSN(t)
	one := process(t, dsn)
	one.ended = make(chan struct{})
	rounds, asked, pressing := make(chan struct{}, 8), make(chan struct{}), make(chan bool)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		one.comeRound(t.Context(), sweep{name: "due", lock: dueLock, every: time.Hour, look: time.Millisecond,
			do: func(context.Context) error { rounds <- struct{}{}; return nil },
			pressing: func(context.Context) (bool, error) {
				select {
				case asked <- struct{}{}:
					return <-pressing, nil
				case <-one.ended:
					return false, nil
				}
			}})
	}()
	<-rounds // the first comes with the start
	for _, answer := range []bool{false, false, true} {
		if len(rounds) != 0 {
			t.Fatal("a round came before its turn")
		}
		<-asked
		pressing <- answer
	}
	<-rounds
	close(one.ended)
	<-stopped
}

func TestAQuestionThatFailsWaitsForTheTurn(t *testing.T) {
	failing := sweep{every: time.Minute, pressing: func(context.Context) (bool, error) { return true, errors.New("away") }}
	if failing.wanted(t.Context(), time.Second) {
		t.Error("a round comes at once")
	}
	if !failing.wanted(t.Context(), time.Minute) {
		t.Error("the turn is over and no round comes")
	}
}

func TestSweepsRestWhileNothingIsWritten(t *testing.T) {
	quiet := time.Duration(0)
	s := &sweeps{quiet: func() time.Duration { return quiet }}
	linking, mails := sweep{
		name:  "link audit",
		every: time.Second,
		rests: true,
	}, sweep{
		name:  "send due mails",
		every: asleep,
	}
	for _, step := range []struct {
		what         string
		quiet, since time.Duration
		rests        bool
	}{
		{"something was written just now", 0, time.Second, false},
		{"what it left may still settle", settles, time.Second, false},
		{"nothing was written for long", settles + 1, time.Second, true},
		{"the last round is long ago: a process may have died and left work", time.Hour, asleep, false},
		{"another process is not heard", 0, time.Second, false},
	} {
		quiet = step.quiet
		if s.resting(linking, step.since) != step.rests {
			t.Errorf("%s: rests %v", step.what, !step.rests)
		}
		if s.resting(mails, step.since) {
			t.Errorf("%s: mails that are due by the clock rest", step.what)
		}
	}
	s.quiet = nil
	if s.resting(linking, 0) {
		t.Error("a process that does not know what is written rests")
	}
}
