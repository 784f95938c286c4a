package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// locks are the advisory locks of one process. All of them live on one connection
// beside the pool: a sweep that held one of the pool for its whole round would wait
// for its second one while others do the same. A crash gives them all up.
type locks struct {
	cfg  *pgx.ConnConfig
	mu   sync.Mutex
	conn *pgx.Conn
	held map[int64]bool
}

// lockTime is how long the database may take to answer about a lock.
const lockTime = 10 * time.Second

func newLocks(pool *pgxpool.Pool) *locks {
	cfg := pool.Config().ConnConfig.Copy()
	cfg.Tracer = nil
	cfg.RuntimeParams["application_name"] = "debitdesk locks"
	return &locks{cfg: cfg, held: map[int64]bool{}}
}

// take tells whether the lock is ours now; it does not wait for it.
func (l *locks) take(ctx context.Context, lock int64) (mine bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[lock] {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	if l.conn == nil || l.conn.IsClosed() {
		if l.conn, err = pgx.ConnectConfig(ctx, l.cfg); err != nil {
			return false, fmt.Errorf("lock: %w", err)
		}
	}
	if err := l.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, lock).Scan(&mine); err != nil {
		return false, fmt.Errorf("lock: %w", err)
	}
	if mine {
		l.held[lock] = true
	}
	return mine, nil
}

// give gives a lock back. A connection that cannot do so is closed, and the lock goes
// with it.
func (l *locks) give(ctx context.Context, lock int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, lock)
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	if l.conn == nil || l.conn.IsClosed() {
		return
	}
	if _, err := l.conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, lock); err != nil {
		_ = l.conn.Close(ctx)
	}
}

func (l *locks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lockTime)
		defer cancel()
		_ = l.conn.Close(ctx)
	}
}
