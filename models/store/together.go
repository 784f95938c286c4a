package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// together commits units of work that only write, many in one transaction: while
// one group is on its way to the disk the next one gathers, so a busy desk pays
// for one commit and not for each. Nobody waits for a group to fill. When a group
// fails, each of its units is tried alone, so that nobody fails for another; not so
// when the database went away, for then the group may have been kept.
type together struct {
	pool  *pgxpool.Pool
	limit time.Duration // for a turn
	units chan unit
	ended chan struct{}
}

type unit struct {
	statements []statement
	done       chan error
}

const (
	writers      = 2                                  // one group gathers CPU while the other waits for the disk
	mostTogether = 64                                 // units in one transaction
	groupLocks   = "SET LOCAL lock_timeout = '100ms'" // a row that somebody holds must not hold up the others
	unitTime     = 20 * time.Second
)

func newTogether(pool *pgxpool.Pool, limit time.Duration) *together {
	t := &together{pool: pool, limit: limit, units: make(chan unit), ended: make(chan struct{})}
	for range writers {
		go t.run()
	}
	return t
}

// commit writes one unit, all of it or nothing.
func (t *together) commit(ctx context.Context, statements []statement) error {
	if err := refusing.Load().refuse(t.pool, refusing.Load().goroutine()); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	u := unit{statements, make(chan error, 1)}
	patience := time.NewTimer(t.limit)
	defer patience.Stop()
	select {
	case t.units <- u:
		return <-u.done // it is on its way: whether it was kept must be known
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return fmt.Errorf("commit: no turn within %s: %w", t.limit, context.DeadlineExceeded)
	case <-t.ended:
		return fmt.Errorf("commit: the store is closed")
	}
}

func (t *together) stop() { close(t.ended) }

func (t *together) run() {
	for {
		select {
		case <-t.ended:
			return
		case first := <-t.units:
			t.write(t.gather(first))
		}
	}
}

// gather takes whoever is waiting at this moment.
func (t *together) gather(first unit) []unit {
	group := []unit{first}
	for len(group) < mostTogether {
		select {
		case u := <-t.units:
			group = append(group, u)
		default:
			return group
		}
	}
	return group
}

func (t *together) write(group []unit) {
	err := t.try(group, groupLocks)
	for _, u := range group {
		if err == nil || len(group) == 1 && !heldUp(err) || Away(err) {
			u.done <- err
			continue
		}
		go func() { u.done <- t.try([]unit{u}, "") }() // alone it may wait as long as it needs
	}
}

// heldUp tells whether somebody else held a row for too long.
func heldUp(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "55P03"
}

// try writes units in one transaction. Their callers may be gone: what was asked
// is written all the same.
func (t *together) try(group []unit, limit string) error {
	ctx, cancel := context.WithTimeout(context.Background(), unitTime)
	defer cancel()
	conn, err := t.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer conn.Release()
	batch := &pgx.Batch{}
	batch.Queue("begin")
	if limit != "" {
		batch.Queue(limit)
	}
	for _, u := range group {
		for _, s := range u.statements {
			batch.Queue(s.sql, native(s.args)...)
		}
	}
	batch.Queue("commit")
	if _, err := run(ctx, conn.Conn(), batch); err != nil {
		_, _ = conn.Exec(ctx, "rollback")
		return err
	}
	return nil
}
