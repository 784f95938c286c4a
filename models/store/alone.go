package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// AloneFilling runs fn while no other process fills the database with a demo.
func (s *Store) AloneFilling(ctx context.Context, fn func() error) error {
	const filling = 7316214004
	return alone(ctx, s.Pool.Pool, filling, fn)
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
	cfg := pool.Config().ConnConfig.Copy()
	cfg.Tracer = nil
	cfg.RuntimeParams["application_name"] = name
	return pgx.ConnectConfig(ctx, cfg)
}
