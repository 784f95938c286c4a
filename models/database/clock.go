package database

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database/internal/wire"
)

const clockChannel = "debitdesk_clock"

// Clock is the time the product lives by. In live mode it is the machine's; in
// sandbox mode one row holds its distance from the machine's, so that every
// process agrees and a person can move it forward.
type Clock struct {
	pool    *pgxpool.Pool
	direct  *pgxpool.Pool // for listening and locks
	sandbox bool
	machine func() time.Time
	offset  atomic.Int64 // microseconds
	moved   atomic.Pointer[func()]
	log     *slog.Logger
	cancel  context.CancelFunc
	done    sync.WaitGroup
	moving  chan struct{} // holds one value while a caller in this process may move the clock
}

func newClock(pool, direct *pgxpool.Pool, opt Options) *Clock {
	log := opt.Log
	if log == nil {
		log = slog.Default()
	}
	return &Clock{pool: pool, direct: direct, sandbox: opt.Sandbox, machine: opt.Machine, log: log, cancel: func() {},
		moving: make(chan struct{}, 1)}
}

// Follow reads the clock and keeps it in step with the other processes. Call it
// once the schema is there.
func (c *Clock) Follow(ctx context.Context) error {
	if !c.sandbox {
		return nil
	}
	if err := c.reload(ctx); err != nil {
		return err
	}
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.done.Go(func() {
		for ctx.Err() == nil {
			if err := c.listen(ctx); err != nil && ctx.Err() == nil {
				c.log.Warn("sandbox clock: listening again", "error", err)
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}
		}
	})
	return nil
}

func (c *Clock) stop() { c.cancel(); c.done.Wait() }

// OnMove has tell called after each move of the clock.
func (c *Clock) OnMove(tell func()) { c.moved.Store(&tell) }

func (c *Clock) set(offset int64) {
	if before := c.offset.Swap(offset); before == offset {
		return
	}
	if tell := c.moved.Load(); tell != nil {
		(*tell)()
	}
}

// Now is the time of the product: UTC, whole microseconds.
func (c *Clock) Now() time.Time {
	return Instant(c.machine()).Add(time.Duration(c.offset.Load()) * time.Microsecond)
}

// MoveTo puts the clock to a moment. Going back is left to nobody: an earlier
// moment changes nothing.
func (c *Clock) MoveTo(ctx context.Context, to time.Time) error {
	micros := to.Sub(Instant(c.machine())).Microseconds()
	var offset int64
	err := c.pool.QueryRow(ctx,
		`UPDATE sandbox_clock SET offset_micros = greatest(offset_micros, $1) RETURNING offset_micros`, micros).Scan(&offset)
	if err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	c.set(offset)
	if _, err := c.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, clockChannel, strconv.FormatInt(offset, 10)); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	return nil
}

// Exclusive runs fn while nobody else moves the clock. Who waits in this process waits
// without a connection: many who wait would take all that the database has.
func (c *Clock) Exclusive(ctx context.Context, fn func() error) error {
	const lock = 7316214002
	select {
	case c.moving <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the clock: %w", ctx.Err())
	}
	defer func() { <-c.moving }()
	return wire.WithAdvisoryLock(ctx, c.direct, lock, fn)
}

func (c *Clock) reload(ctx context.Context) error {
	var offset int64
	if err := c.pool.QueryRow(ctx, `SELECT offset_micros FROM sandbox_clock`).Scan(&offset); err != nil {
		return fmt.Errorf("read the sandbox clock: %w", err)
	}
	c.set(offset)
	return nil
}

func (c *Clock) listen(ctx context.Context) error {
	conn, err := wire.ConnectDedicated(ctx, c.direct, "debitdesk clock")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+clockChannel); err != nil {
		return err
	}
	if err := c.reload(ctx); err != nil { // what was missed before
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if offset, err := strconv.ParseInt(n.Payload, 10, 64); err == nil {
			c.set(offset)
		}
	}
}

// StartAt puts the sandbox clock to any moment, also an earlier one, and tells
// whether it did: only while there is no purchase, whose times would come to
// lie in the future. A demo uses it to begin with a history.
func (c *Clock) StartAt(ctx context.Context, at time.Time) (bool, error) {
	offset := at.Sub(Instant(c.machine())).Microseconds()
	tag, err := c.pool.Exec(ctx, `UPDATE sandbox_clock SET offset_micros = $1 WHERE NOT EXISTS (SELECT FROM purchases)`,
		offset)
	if err != nil {
		return false, fmt.Errorf("start the clock: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	c.set(offset)
	if _, err := c.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, clockChannel, strconv.FormatInt(offset, 10)); err != nil {
		return false, fmt.Errorf("start the clock: %w", err)
	}
	return true, nil
}
