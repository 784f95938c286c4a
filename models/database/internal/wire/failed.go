package wire

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Failed answers every statement with the error that kept it from being sent.
func Failed(err error) Querier { return failed{err} }

type failed struct{ err error }

func (b failed) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, b.err
}
func (b failed) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return failedRows(b), b.err
}
func (b failed) QueryRow(context.Context, string, ...any) pgx.Row       { return failedRows(b) }
func (b failed) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults { return failedBatch{b} }

// failedBatch answers every statement of a batch so.
type failedBatch struct{ failed }

func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b failedBatch) Query() (pgx.Rows, error)         { return failedRows(b.failed), b.err }
func (b failedBatch) QueryRow() pgx.Row                { return failedRows(b.failed) }
func (b failedBatch) Close() error                     { return b.err }

// failedRows has no rows and one error.
type failedRows struct{ err error }

func (r failedRows) Close()                                       {}
func (r failedRows) Err() error                                   { return r.err }
func (r failedRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r failedRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (r failedRows) Next() bool                                   { return false }
func (r failedRows) Scan(...any) error                            { return r.err }
func (r failedRows) Values() ([]any, error)                       { return nil, r.err }
func (r failedRows) RawValues() [][]byte                          { return nil }
func (r failedRows) Conn() *pgx.Conn                              { return nil }
func (r failedRows) TypeMap() *pgtype.Map                         { return pgtype.NewMap() }
