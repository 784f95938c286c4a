package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// AloneFilling runs fn while no other process fills the database with a demo.
func (s *Store) AloneFilling(ctx context.Context, fn func() error) error {
	const filling = 7316214004
	return alone(ctx, s.Pool, filling, fn)
}

// alone holds an advisory lock, which a crash gives up, while fn runs.
func alone(ctx context.Context, pool *pgxpool.Pool, lock int64, fn func() error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, lock); err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, lock); err != nil {
			_ = conn.Conn().Close(ctx) // a pooled connection must not keep it
		}
	}()
	return fn()
}
