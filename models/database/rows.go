package database

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Read hands over the rows that a statement finds.
func (p *Pool) Read(ctx context.Context, take func(pgx.Rows) error, sql string, args ...any) error {
	if r := roundsOf(ctx); r != nil {
		return r.ask(p, []query{{sql, args, take}})
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
	if r := roundsOf(ctx); r != nil {
		return rowAsked{r, p, sql, args}
	}
	return p.reads(ctx).QueryRow(ctx, sql, args...)
}

// Row gives the first row of a query whose values stand where it says ?.
func (s *DB) Row(ctx context.Context, query string, args ...any) pgx.Row {
	query, args = s.Statement(query, args...)
	return s.Pool.QueryRow(ctx, query, Native(args)...)
}

// rowAsked is a row that is asked for with what others read at once, when it is scanned.
type rowAsked struct {
	by   *rounds
	on   *Pool
	sql  string
	args []any
}

// Scan implements pgx.Row.
func (r rowAsked) Scan(into ...any) error {
	none := true
	err := r.by.ask(r.on, []query{{r.sql, r.args, func(rows pgx.Rows) error {
		if !rows.Next() {
			return rows.Err()
		}
		none = false
		return rows.Scan(into...)
	}}})
	if err == nil && none {
		return pgx.ErrNoRows
	}
	return err
}
