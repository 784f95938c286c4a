package database

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
// cancelTime after the caller gave up loses the connection, as when the network is gone.
const (
	cancelAfter = 100 * time.Millisecond
	cancelTime  = 3 * time.Second
	// rollbackTime is how long the end of a transaction may take whose caller gave up.
	rollbackTime = 5 * time.Second
)

// givingUp watches the context of what a connection of a pool does.
type givingUp struct {
	conn    *pgconn.PgConn
	closes  *pgconn.DeadlineContextWatcherHandler
	cancels *pgconn.CancelRequestContextWatcherHandler
	by      ctxwatch.Handler
}

func watchGivingUp(conn *pgconn.PgConn) ctxwatch.Handler {
	return &givingUp{conn: conn, closes: &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()},
		cancels: &pgconn.CancelRequestContextWatcherHandler{Conn: conn, CancelRequestDelay: cancelAfter,
			DeadlineDelay: cancelTime}}
}

// HandleCancel implements ctxwatch.Handler.
func (g *givingUp) HandleCancel(ctx context.Context) {
	g.by = g.cancels
	if g.conn.CustomData()[listensKey] != nil { // there is no statement to cancel, and waiting can be broken off
		g.by = g.closes
	}
	g.by.HandleCancel(ctx)
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (g *givingUp) HandleUnwatchAfterCancel() { g.by.HandleUnwatchAfterCancel() }

const listensKey = "debitdesk listens"

// noteListening marks a connection that begins to listen, such as the queue's.
func noteListening(conn *pgx.Conn, sql string) {
	if strings.HasPrefix(sql, "LISTEN ") {
		conn.PgConn().CustomData()[listensKey] = true
	}
}

// queryCanceled is what the server says of a statement that was cancelled, by us or by a limit of its own.
const queryCanceled = "57014"

// GivenUp tells whether err is that of a caller who gave up, whose context is given.
func GivenUp(ctx context.Context, err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, context.Canceled) ||
		errors.Is(ctx.Err(), context.Canceled) && errors.As(err, &pg) && pg.Code == queryCanceled
}

// Begin begins a transaction; see BeginTx.
func (p *Pool) Begin(ctx context.Context) (pgx.Tx, error) { return p.BeginTx(ctx, pgx.TxOptions{}) }

// BeginTx begins a transaction that is ended in good order also when its caller gives up.
func (p *Pool) BeginTx(ctx context.Context, opt pgx.TxOptions) (pgx.Tx, error) {
	tx, err := p.Pool.BeginTx(ctx, opt)
	if err != nil {
		return nil, err
	}
	return orderly{tx}, nil
}

// orderly is a transaction that a caller who gave up leaves behind rolled back, on a connection that lives on.
type orderly struct{ pgx.Tx }

// Commit implements pgx.Tx.
func (t orderly) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return errors.Join(err, t.Rollback(ctx))
	}
	return t.Tx.Commit(ctx)
}

// Rollback implements pgx.Tx.
func (t orderly) Rollback(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	return t.Tx.Rollback(ctx)
}
