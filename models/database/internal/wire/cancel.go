package wire

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// A statement whose caller gave up is cancelled at the server, and its connection serves the next caller. The driver's
// own way is to close the connection: the next caller then pays for a session, its prepared statements and their plans.
//
// What ends within cancelAfter ends by itself, which is cheaper than to cancel it. A server that does not answer within
// cancelTimeout after the caller gave up loses the connection, as when the network is gone.
const (
	cancelAfter   = 100 * time.Millisecond
	cancelTimeout = 3 * time.Second
	// RollbackTimeout is how long the end of a transaction may take whose caller gave up.
	RollbackTimeout = 5 * time.Second
)

// canceller watches the context of what a connection of a pool does.
type canceller struct {
	conn    *pgconn.PgConn
	closes  *pgconn.DeadlineContextWatcherHandler
	cancels *pgconn.CancelRequestContextWatcherHandler
	by      ctxwatch.Handler
}

func watchContext(conn *pgconn.PgConn) ctxwatch.Handler {
	return &canceller{conn: conn, closes: &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()},
		cancels: &pgconn.CancelRequestContextWatcherHandler{Conn: conn, CancelRequestDelay: cancelAfter,
			DeadlineDelay: cancelTimeout}}
}

// HandleCancel implements ctxwatch.Handler.
func (c *canceller) HandleCancel(ctx context.Context) {
	c.by = c.cancels
	if c.conn.CustomData()[listensKey] != nil { // there is no statement to cancel, and waiting can be broken off
		c.by = c.closes
	}
	c.by.HandleCancel(ctx)
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (c *canceller) HandleUnwatchAfterCancel() { c.by.HandleUnwatchAfterCancel() }

const listensKey = "debitdesk listens"

// noteListening marks a connection that begins to listen, such as the queue's.
func noteListening(conn *pgx.Conn, sql string) {
	if strings.HasPrefix(sql, "LISTEN ") {
		conn.PgConn().CustomData()[listensKey] = true
	}
}

// queryCanceled is the state of a statement that was cancelled, by us or by a limit of the server's own.
const queryCanceled = "57014"

// Cancelled tells whether err is that of a caller who gave up, whose context is given.
func Cancelled(ctx context.Context, err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, context.Canceled) ||
		errors.Is(ctx.Err(), context.Canceled) && errors.As(err, &pg) && pg.Code == queryCanceled
}

// KeepSession is a transaction that a caller who gave up leaves behind rolled back, on a connection that lives on.
func KeepSession(tx pgx.Tx) pgx.Tx { return sessionKeeper{tx} }

type sessionKeeper struct{ pgx.Tx }

// Commit implements pgx.Tx.
func (t sessionKeeper) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return errors.Join(err, t.Rollback(ctx))
	}
	return t.Tx.Commit(ctx)
}

// Rollback implements pgx.Tx.
func (t sessionKeeper) Rollback(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RollbackTimeout)
	defer cancel()
	return t.Tx.Rollback(ctx)
}
