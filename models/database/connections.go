package database

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Who holds a connection of the pool and waits for a second one can wait for ever:
// as many callers as the pool has connections hold all of them and wait for each
// other. Whatever runs in a transaction therefore uses the connection of the
// transaction. Tests refuse a second one by a Guard, whatever context it is asked with.

// Guard sees who takes connections of pools and who gives them back.
type Guard interface {
	// Asks tells who asks for a connection, and whether it gets one.
	Asks(pool *pgxpool.Pool) (who int64, gets bool)
	Took(conn *pgx.Conn, who int64)
	Gave(conn *pgx.Conn)
}

var guard atomic.Pointer[Guard]

// GuardConnections has every pool of this process asked about by a guard: the first that is given. It is for tests;
// production has none.
func GuardConnections(g Guard) { guard.CompareAndSwap(nil, &g) }

// AloneFilling runs fn while no other process fills the database with a demo.
func (s *DB) AloneFilling(ctx context.Context, fn func() error) error {
	const filling = 7316214004
	return alone(ctx, s.Direct, filling, fn)
}

// alone holds an advisory lock, which a crash gives up, while fn runs. The lock has a
// connection beside the pool: fn needs those of the pool.
func alone(ctx context.Context, pool *pgxpool.Pool, lock int64, fn func() error) error {
	conn, err := apart(ctx, pool, "debitdesk alone")
	if err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // gives up the lock too
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, lock); err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	return fn()
}

// apart opens a connection that is not one of the pool, for whatever keeps one for
// long: a lock, or listening.
func apart(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, Apart(pool, name))
}

// Apart is how such a connection is opened. Who gives it up ends it at once: it serves nobody afterwards.
func Apart(pool *pgxpool.Pool, name string) *pgx.ConnConfig {
	cfg := pool.Config().ConnConfig.Copy()
	cfg.Tracer = nil
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	cfg.RuntimeParams["application_name"] = name
	return cfg
}

// connTx lets pgx-native code (the job queue, COPY) join a transaction that was
// begun on the same connection. Depth 0 is that outer transaction, which it
// never ends; deeper ones are savepoints.
type connTx struct {
	c     *pgx.Conn
	depth int
}

var _ pgx.Tx = connTx{}

func (t connTx) end(ctx context.Context, verb string) error {
	if t.depth == 0 {
		return nil
	}
	_, err := t.c.Exec(ctx, fmt.Sprintf("%s SAVEPOINT inner_%d", verb, t.depth))
	return err
}

func (t connTx) Begin(ctx context.Context) (pgx.Tx, error) {
	inner := connTx{t.c, t.depth + 1}
	_, err := t.c.Exec(ctx, fmt.Sprintf("SAVEPOINT inner_%d", inner.depth))
	return inner, err
}
func (t connTx) Commit(ctx context.Context) error   { return t.end(ctx, "RELEASE") }
func (t connTx) Rollback(ctx context.Context) error { return t.end(ctx, "ROLLBACK TO") }
func (t connTx) Exec(ctx context.Context, q string, a ...any) (pgconn.CommandTag, error) {
	return t.c.Exec(ctx, q, a...)
}
func (t connTx) Query(ctx context.Context, q string, a ...any) (pgx.Rows, error) {
	return t.c.Query(ctx, q, a...)
}
func (t connTx) QueryRow(ctx context.Context, q string, a ...any) pgx.Row {
	return t.c.QueryRow(ctx, q, a...)
}
func (t connTx) CopyFrom(ctx context.Context, table pgx.Identifier, cols []string,
	src pgx.CopyFromSource) (int64, error) {
	return t.c.CopyFrom(ctx, table, cols, src)
}
func (t connTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.c.SendBatch(ctx, b)
}
func (t connTx) Prepare(ctx context.Context, name, q string) (*pgconn.StatementDescription, error) {
	return t.c.Prepare(ctx, name, q)
}
func (t connTx) Conn() *pgx.Conn                { return t.c }
func (t connTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// run sends a batch and gives the row count of its last statement.
func run(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) (rows int64, err error) {
	res := conn.SendBatch(ctx, batch)
	for range batch.Len() {
		tag, err := res.Exec()
		if err != nil {
			_ = res.Close()
			return 0, err
		}
		rows = tag.RowsAffected()
	}
	return rows, res.Close()
}

// Native gives ids in the form that travels as 16 bytes and not as text, and is not
// found out anew for each of many.
func Native(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case uuid.UUID:
			args[i] = pgtype.UUID{Bytes: v, Valid: true}
		case *uuid.UUID:
			if v == nil {
				args[i] = nil
			} else {
				args[i] = pgtype.UUID{Bytes: *v, Valid: true}
			}
		case []uuid.UUID:
			if v == nil {
				continue
			}
			ids := make(pgtype.FlatArray[pgtype.UUID], len(v))
			for n, id := range v {
				ids[n] = pgtype.UUID{Bytes: id, Valid: true}
			}
			args[i] = ids
		}
	}
	return args
}
