package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
)

// sweep is work that comes round by itself. It is no job of the queue: a process
// that is killed while sweeping leaves nothing behind that would hold up the next,
// and the first round comes with the start, not when a leader has been elected.
type sweep struct {
	name  string
	lock  int64 // one process at a time
	every time.Duration
	do    func(context.Context) error

	pressing func(context.Context) (bool, error) // asked each look; nil: never
	look     time.Duration
	rests    bool // work begins with a write, or can wait for one more turn: nothing is looked for in quiet times
}

const (
	dueLock = 7316214010 + iota
	mailLock
	countLock
	batchLock
	auditLock
	resealLock
	hookLock
	statementLock
	simulationLock
	tidyLock
	taskLock
)

// hookLook is how soon an endpoint hears of an event.
const hookLook = 250 * time.Millisecond

// While nothing is written there is nothing to do but what a process that died has left, or what a clock makes due.
const (
	settles = 15 * time.Second // for so long after the last write sweeps come round as ever
	asleep  = 10 * time.Second // how often they come round later
)

const (
	lookTime = 2 * time.Second // for the question that a sweep asks before its turn
	restTime = 2 * time.Second // after a round that failed: what is wrong stays pressing
)

// sweeps are the sweeps of one process.
type sweeps struct {
	locks  *locks
	log    *slog.Logger
	quiet  func() time.Duration // for how long nothing was written
	ended  chan struct{}
	end    sync.Once
	cancel context.CancelFunc
	under  sync.WaitGroup
}

func startSweeps(ctx context.Context, d Deps) *sweeps {
	ctx, cancel := context.WithCancel(ctx)
	s := &sweeps{locks: newLocks(d.Direct), log: d.Log, quiet: d.Quiet, ended: make(chan struct{}), cancel: cancel}
	for _, one := range []sweep{
		{name: "run due", lock: dueLock, every: d.DueEvery, do: d.RunDue, pressing: d.Pressing, look: d.LookEvery},
		{name: "send due mails", lock: mailLock, every: 10 * time.Second, do: d.SendDue},
		{name: "fold counts", lock: countLock, every: 2 * time.Second, do: d.FoldCounts, rests: true},
		{name: "work batches", lock: batchLock, every: asleep, do: d.WorkBatches,
			pressing: d.BatchesDue, look: 2 * time.Second},
		{name: "link audit", lock: auditLock, every: time.Second, do: d.LinkAudit, rests: true},
		{name: "re-seal", lock: resealLock, every: 5 * time.Second, do: d.Reseal, rests: true},
		{name: "send webhooks", lock: hookLock, every: time.Minute, do: d.SendWebhooks, pressing: d.WebhooksDue,
			look: hookLook},
		{name: "make statements", lock: statementLock, every: 5 * time.Second, do: d.MakeStatements, rests: true},
		{name: "work tasks", lock: taskLock, every: 5 * time.Second, do: d.WorkTasks, rests: true},
		{name: "tidy", lock: tidyLock, every: 10 * time.Minute, do: d.Tidy},
		{name: "simulate", lock: simulationLock, every: 5 * time.Second, do: d.SimulateAll, rests: true},
	} {
		if one.do == nil {
			continue
		}
		s.under.Go(func() { s.comeRound(ctx, one) })
	}
	return s
}

// stop lets a round under way finish until ctx ends, and then cancels it.
func (s *sweeps) stop(ctx context.Context) {
	s.end.Do(func() { close(s.ended) })
	defer context.AfterFunc(ctx, s.cancel)()
	s.under.Wait()
	s.cancel()
	s.locks.close()
}

func (s *sweeps) comeRound(ctx context.Context, one sweep) {
	tick := time.NewTicker(one.ticks())
	defer tick.Stop()
	for {
		began, rest := time.Now(), time.Duration(0)
		if err := s.alone(ctx, one); err != nil && ctx.Err() == nil {
			rest = restTime
			s.log.ErrorContext(ctx, "sweep failed", "sweep", one.name, "error", err)
		}
		for waiting := true; waiting; {
			select {
			case <-s.ended:
				return
			case <-tick.C:
				since := time.Since(began)
				waiting = since < min(rest, one.every) || s.resting(one, since) || !one.wanted(ctx, since)
			}
		}
	}
}

// resting tells that a round would find nothing, so long after the last.
func (s *sweeps) resting(one sweep, since time.Duration) bool {
	return one.rests && s.quiet != nil && since < asleep && s.quiet() > settles
}

func (one sweep) ticks() time.Duration {
	if one.pressing == nil {
		return one.every
	}
	return min(one.look, one.every)
}

// wanted tells whether the next round may begin, so long after the last. A question
// that fails waits for the round, which meets the same failure and tells of it.
func (one sweep) wanted(ctx context.Context, since time.Duration) bool {
	if one.pressing == nil || since >= one.every {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	yes, err := one.pressing(ctx)
	return err == nil && yes
}

// alone does one round unless another process is at it.
func (s *sweeps) alone(ctx context.Context, one sweep) (err error) {
	mine, err := s.locks.take(ctx, one.lock)
	if err != nil || !mine {
		return err
	}
	defer s.locks.give(context.WithoutCancel(ctx), one.lock)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, span := otel.Tracer("debitdesk").Start(ctx, "sweep "+one.name)
	defer span.End()
	if err = one.do(ctx); err != nil {
		span.SetStatus(codes.Error, "sweep failed")
	}
	return err
}
