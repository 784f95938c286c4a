package wire

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Sender sends several statements in one round trip.
type Sender interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// Querier runs statements of pgx: a pool, or one connection.
type Querier interface {
	Sender
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Query is a statement with what takes its rows.
type Query struct {
	SQL  string
	Args []any
	Rows func(pgx.Rows) error
}

// Setting sets something for the queries that follow it in a round trip, such as what the planner may do.
func Setting(name, value string) Query {
	return Query{SQL: "SELECT set_config('" + name + "', '" + value + "', true)",
		Rows: func(rows pgx.Rows) error { rows.Close(); return rows.Err() }}
}

// Send sends queries in one round trip, and hands over their rows.
func Send(ctx context.Context, on Sender, queries ...Query) error {
	batch := &pgx.Batch{}
	for _, q := range queries {
		batch.Queue(q.SQL, q.Args...).Query(func(rows pgx.Rows) (err error) {
			defer func() { // others wait for what was asked with it, and the connection is given back
				if p := recover(); p != nil {
					err = fmt.Errorf("read the rows of %q: %v\n%s", q.SQL, p, debug.Stack())
				}
			}()
			return q.Rows(rows)
		})
	}
	return on.SendBatch(ctx, batch).Close()
}
