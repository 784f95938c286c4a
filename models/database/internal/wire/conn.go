package wire

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// WithAdvisoryLock runs fn while it holds an advisory lock, which a crash gives up. The lock has a dedicated
// connection: fn needs those of the pool.
func WithAdvisoryLock(ctx context.Context, pool *pgxpool.Pool, lock int64, fn func() error) error {
	conn, err := ConnectDedicated(ctx, pool, "debitdesk alone")
	if err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // gives up the lock too
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, lock); err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	return fn()
}

// ConnectDedicated opens a connection that is not one of the pool, for whatever keeps one for long: a lock, or
// listening.
func ConnectDedicated(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, Dedicated(pool, name))
}

// Dedicated is how such a connection is opened. Whoever gives it up ends it at once: it serves nobody afterwards.
func Dedicated(pool *pgxpool.Pool, name string) *pgx.ConnConfig {
	cfg := pool.Config().ConnConfig.Copy()
	cfg.Tracer = nil
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	cfg.RuntimeParams["application_name"] = name
	return cfg
}

// Within lets pgx-native code (the job queue, COPY) join a transaction that was begun on the same connection. It never
// ends that transaction; transactions begun in it are savepoints.
func Within(conn *pgx.Conn) pgx.Tx { return connTx{c: conn} }

// connTx is the outer transaction at depth 0; deeper ones are savepoints.
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

// Exec sends a batch and gives the row count of its last statement.
func Exec(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) (rows int64, err error) {
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
