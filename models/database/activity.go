package database

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database/internal/wire"
)

// Activity knows when something was written last, by this process or by another one, so that whoever looks for work
// can rest while there cannot be any. It is a hint and no promise: what it misses is found at the next turn.
type Activity struct {
	pool   *pgxpool.Pool // tells other processes
	direct *pgxpool.Pool // hears of them
	log    *slog.Logger
	self   string // what this process signs with

	writes  atomic.Int64
	last    atomic.Int64 // microseconds since began
	began   time.Time
	hears   atomic.Bool
	pending chan struct{}
	over    context.Context // of this database in this process
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

const (
	activityChannel = "debitdesk_activity"
	// tellEvery is how often other processes are told at most. A notification of each transaction would make all
	// commits wait for each other.
	tellEvery = 250 * time.Millisecond
	tellTime  = 2 * time.Second
	// hearAgain is how soon a lost connection is opened again.
	hearAgain = time.Second
)

func newActivity(pool, direct *pgxpool.Pool, log *slog.Logger) *Activity {
	if log == nil {
		log = slog.Default()
	}
	a := &Activity{pool: pool, direct: direct, log: log, self: uuid.NewString(), began: time.Now(),
		pending: make(chan struct{}, 1)}
	a.over, a.cancel = context.WithCancel(context.Background())
	a.done.Go(a.tellOthers)
	return a
}

// Note is told of everything that this process wrote and that may be work for somebody.
func (a *Activity) Note() {
	a.heard()
	select {
	case a.pending <- struct{}{}:
	default: // others are about to be told
	}
}

func (a *Activity) heard() {
	a.last.Store(time.Since(a.began).Microseconds())
	a.writes.Add(1)
}

// Writes grows with everything that was written, as far as this process knows; known is false while it does not hear
// of other processes.
func (a *Activity) Writes() (n int64, known bool) { return a.writes.Load(), a.hears.Load() }

// Quiet is for how long nothing was written; 0 while this process does not hear of others.
func (a *Activity) Quiet() time.Duration {
	if !a.hears.Load() {
		return 0
	}
	return time.Since(a.began) - time.Duration(a.last.Load())*time.Microsecond
}

// tellOthers passes on what is noted, and at the end what is left.
func (a *Activity) tellOthers() {
	ctx := a.over
	for {
		select {
		case <-ctx.Done():
			if len(a.pending) > 0 {
				a.tell()
			}
			return
		case <-a.pending:
		}
		a.tell()
		select {
		case <-ctx.Done():
		case <-time.After(tellEvery):
		}
	}
}

func (a *Activity) tell() {
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	if _, err := a.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, activityChannel, a.self); err != nil {
		a.log.Debug("other processes were not told of what was written", "error", err)
	}
}

// Follow begins to hear of what other processes write.
func (a *Activity) Follow() {
	a.done.Go(func() {
		ctx := a.over
		for ctx.Err() == nil {
			err := a.listen(ctx)
			a.hears.Store(false)
			if ctx.Err() != nil {
				return
			}
			a.log.Warn("listening again for what other processes write", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(hearAgain):
			}
		}
	})
}

func (a *Activity) listen(ctx context.Context) error {
	conn, err := wire.ConnectDedicated(ctx, a.direct, "debitdesk activity")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+activityChannel); err != nil {
		return err
	}
	a.heard() // something may have been missed before
	a.hears.Store(true)
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if n.Payload != a.self {
			a.heard()
		}
	}
}

// stop tells what is left to tell.
func (a *Activity) stop() { a.cancel(); a.done.Wait() }
