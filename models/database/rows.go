package database

import (
	"context"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/internal/wire"
)

// Read hands over the rows that a statement finds.
func (p *Pool) Read(ctx context.Context, take func(pgx.Rows) error, sql string, args ...any) error {
	if shared := pipelineOf(ctx); shared != nil {
		return shared.Send(ctx, p.Pool, wire.Query{SQL: sql, Args: args, Rows: take})
	}
	rows, err := p.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	return take(rows)
}

// Each reads what a statement finds: row is where each row goes, and each is called for it.
func (p *Pool) Each(ctx context.Context, row []any, each func() error, sql string, args ...any) error {
	return p.Read(ctx, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, row, each)
		return err
	}, sql, args...)
}

// Each reads what a query finds whose values stand where it says ?.
func (s *DB) Each(ctx context.Context, row []any, each func() error, query string, args ...any) error {
	query, args = s.Statement(query, args...)
	return s.Pool.Each(ctx, row, each, query, Native(args)...)
}

// QueryRow gives one row.
func (p *Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if shared := pipelineOf(ctx); shared != nil {
		return shared.QueryRow(ctx, p.Pool, sql, args...)
	}
	return p.reads(ctx).QueryRow(ctx, sql, args...)
}

// Row gives the first row of a query whose values stand where it says ?.
func (s *DB) Row(ctx context.Context, query string, args ...any) pgx.Row {
	query, args = s.Statement(query, args...)
	return s.Pool.QueryRow(ctx, query, Native(args)...)
}
