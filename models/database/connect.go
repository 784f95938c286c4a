package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database/internal/wire"
)

// ErrPooled says that what needs a connection of its own would have to share one.
var ErrPooled = wire.ErrPooled

// wire is what the options say of connections.
func (o Options) wire() wire.Config {
	return wire.Config{MaxConns: o.MaxConns, AcquireTimeout: o.Patience, Tracer: o.Tracer, Dialled: o.Dialled}
}

// connect opens the pool, and what goes around a pooler.
func (s *DB) connect(ctx context.Context, dsn string) error {
	cfg, err := wire.Configure(dsn, s.Options.wire())
	if err != nil {
		return err
	}
	pool, pooler, err := wire.OpenPool(ctx, cfg)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.Pool, s.Direct, s.Pooler = &Pool{Pool: pool}, pool, pooler
	if s.Options.DirectURL == "" {
		if !pooler {
			return nil
		}
		shares, err := wire.SharesByTransaction(ctx, pool)
		if err == nil && shares {
			err = ErrPooled
		}
		return err
	}
	if cfg, err = wire.Configure(s.Options.DirectURL, s.Options.wire()); err != nil {
		return fmt.Errorf("DATABASE_DIRECT_URL: %w", err)
	}
	cfg.MaxConns = wire.DirectConns
	if s.Direct, pooler, err = wire.OpenPool(ctx, cfg); err != nil {
		s.Direct = pool
		return fmt.Errorf("open database (DATABASE_DIRECT_URL): %w", err)
	}
	if pooler {
		if shares, err := wire.SharesByTransaction(ctx, s.Direct); err != nil || shares {
			return errors.Join(err, fmt.Errorf("DATABASE_DIRECT_URL leads to a pooler, too: %w", ErrPooled))
		}
	}
	return nil
}

// Sessions opens a pool for what needs whole sessions, such as migrations. It refuses a
// pooler that shares connections by transaction.
func Sessions(ctx context.Context, dsn string) (*pgxpool.Pool, error) { return wire.Sessions(ctx, dsn) }

// Dedicated is how a connection is opened that is not one of the pool, for whatever keeps one for long, such as
// listening. Whoever gives it up ends it at once: it serves nobody afterwards.
func Dedicated(pool *pgxpool.Pool, name string) *pgx.ConnConfig { return wire.Dedicated(pool, name) }

// AloneFilling runs fn while no other process fills the database with a demo.
func (s *DB) AloneFilling(ctx context.Context, fn func() error) error {
	const filling = 7316214004
	return wire.WithAdvisoryLock(ctx, s.Direct, filling, fn)
}

// Guard sees who takes connections of pools and who gives them back.
type Guard = wire.Guard

// GuardConnections has every pool of this process ask a guard: the first that is given. It is for tests; production has
// none.
func GuardConnections(g Guard) { wire.GuardConnections(g) }

// Unavailable tells whether err means that the database cannot serve at this moment: it is
// not reached, stops, starts, has no room left or takes no writes. Nothing is wrong
// with what was asked; the same may succeed in a while. What was on its way when the
// connection was lost may or may not be kept: an Idempotency-Key tells.
func Unavailable(err error) bool { return wire.Unavailable(err) }

// ReadOnly tells whether the database took no write.
func ReadOnly(err error) bool { return wire.ReadOnly(err) }

// Cancelled tells whether err is that of a caller who gave up, whose context is given.
func Cancelled(ctx context.Context, err error) bool { return wire.Cancelled(ctx, err) }

// Native gives ids in the form that travels as 16 bytes and not as text, and is not
// found out anew for each of many.
func Native(args []any) []any { return wire.Native(args) }
