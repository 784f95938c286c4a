package database

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"debitdesk/models/database/internal/wire"
)

type withinKey struct{}

// Context is what reads are given inside this unit of work: they then
// go by its connection, and see what it has written.
func (t *Tx) Context() context.Context { return context.WithValue(t.ctx, withinKey{}, t) }

// TxOf is the unit of work that a context belongs to, while it runs.
func TxOf(ctx context.Context) *Tx {
	if t, ok := ctx.Value(withinKey{}).(*Tx); ok && !t.over {
		return t
	}
	return nil
}

// Gorm gives GORM for the queries of lists and records.
func (s *DB) Gorm(ctx context.Context) *gorm.DB {
	ctx = withBox(ctx, s.Seal)
	t := TxOf(ctx)
	if t == nil {
		if a := standbyOf(ctx); a != nil {
			return a.gorm.WithContext(ctx)
		}
		return s.gorm.WithContext(ctx)
	}
	return t.Gorm().WithContext(ctx)
}

// Pool is the pool of connections. What is asked with the context of a unit of work
// goes by the connection of that unit.
type Pool struct {
	*pgxpool.Pool
	wrote func() // is told of what is written outside of a unit of work; nil: nobody is
}

func (p *Pool) on(ctx context.Context) wire.Querier {
	t := TxOf(ctx)
	if t == nil {
		return p.Pool
	}
	if err := t.begin(); err != nil {
		return wire.Failed(err)
	}
	return t.pgx
}

// reads is on, or the standby where the context goes there.
func (p *Pool) reads(ctx context.Context) wire.Querier {
	if TxOf(ctx) == nil {
		if a := standbyOf(ctx); a != nil {
			return a.pool
		}
	}
	return p.on(ctx)
}

// Exec runs a statement.
func (p *Pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := p.on(ctx).Exec(ctx, sql, args...)
	if err == nil && p.wrote != nil && TxOf(ctx) == nil && tag.RowsAffected() > 0 {
		p.wrote()
	}
	return tag, err
}

// Query gives rows.
func (p *Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.reads(ctx).Query(ctx, sql, args...)
}

// SendBatch runs several statements in one round trip.
func (p *Pool) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	return p.on(ctx).SendBatch(ctx, batch)
}

// Reading runs reads by one connection, for which more is set than for others.
func (p *Pool) Reading(ctx context.Context, do func(pgx.Tx) error) error {
	from := p
	if a := standbyOf(ctx); a != nil {
		from = &Pool{Pool: a.pool}
	}
	return pgx.BeginTxFunc(ctx, from, pgx.TxOptions{AccessMode: pgx.ReadOnly}, do)
}

// Begin begins a transaction; see BeginTx.
func (p *Pool) Begin(ctx context.Context) (pgx.Tx, error) { return p.BeginTx(ctx, pgx.TxOptions{}) }

// BeginTx begins a transaction that is ended in good order also when its caller gives up.
func (p *Pool) BeginTx(ctx context.Context, opt pgx.TxOptions) (pgx.Tx, error) {
	tx, err := p.Pool.BeginTx(ctx, opt)
	if err != nil {
		return nil, err
	}
	return wire.KeepSession(tx), nil
}
