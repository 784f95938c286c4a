package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/internal/wire"
	"debitdesk/models/database/table"
)

// AtOnce reads several things that do not depend on each other. What they ask goes out together: whenever each of them
// waits for an answer or is done, all that is waited for is one round trip. Each reads with the context that it is
// given and writes nothing. One that waits for anything but rows costs the others a second. The first
// error, in their order, is that of all.
func AtOnce(ctx context.Context, reads ...func(context.Context) error) error {
	if TxOf(ctx) == nil && standbyOf(ctx) == nil && len(reads) > 1 {
		return wire.Pipelined(ctx, reads...)
	}
	for _, read := range reads { // by one connection, or from two databases
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// EachAtOnce reads something of each of several at once, as AtOnce does.
func EachAtOnce[O, T any](ctx context.Context, of []O, read func(context.Context, O) (T, error)) ([]T, error) {
	found, reads := make([]T, len(of)), make([]func(context.Context) error, len(of))
	for i := range of {
		reads[i] = func(ctx context.Context) (err error) {
			found[i], err = read(ctx, of[i])
			return err
		}
	}
	err := AtOnce(ctx, reads...)
	return found, err
}

// pipelineOf is the pipeline that a context shares with other readers; nil where it asks by itself.
func pipelineOf(ctx context.Context) *wire.Pipeline {
	if TxOf(ctx) != nil || standbyOf(ctx) != nil {
		return nil
	}
	return wire.PipelineOf(ctx)
}

// into is a statement whose records go to a list.
func into[T any](list *[]T, s *DB, from *table.Table[T], sql string, args []any) wire.Query {
	return wire.Query{SQL: sql, Args: Native(args), Rows: func(rows pgx.Rows) (err error) {
		if *list, err = from.Collect(s.Seal, rows); err != nil {
			err = fmt.Errorf("read from %s: %w", from.Name, err)
		}
		return err
	}}
}

// send sends statements in one round trip, with those of others where a context shares it.
func (p *Pool) send(ctx context.Context, on wire.Sender, queries ...wire.Query) error {
	if shared := pipelineOf(ctx); shared != nil {
		return shared.Send(ctx, p.Pool, queries...)
	}
	return wire.Send(ctx, on, queries...)
}
