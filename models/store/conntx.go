package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

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
func (t connTx) CopyFrom(ctx context.Context, table pgx.Identifier, cols []string, src pgx.CopyFromSource) (int64, error) {
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
