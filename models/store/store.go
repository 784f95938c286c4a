// Package store keeps the domain in PostgreSQL: the tables of its types, the unit of
// work and the queries of every list. It alone speaks SQL, and it must not know HTTP,
// pages or rules.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"debitdesk/models/queue"
	"debitdesk/models/store/seal"
)

// Options is what a Store needs besides the address of its database.
type Options struct {
	Seal     *seal.Box
	Sandbox  bool // the clock can be moved
	MaxConns int32
	// Patience is how long a request waits for a connection of the pool; 0: acquireTime.
	Patience time.Duration
	// MostRequests of a merchant are kept in the log of requests; 0: requestlog.MostKept.
	MostRequests int
	Log          *slog.Logger
	// Enqueue writes jobs into the transaction of the fact they belong to.
	Enqueue func(ctx context.Context, tx pgx.Tx, jobs []queue.Job) error
}

// Store is the database of the product.
type Store struct {
	Pool  *Pool
	Clock *Clock
	sql   *sql.DB
	db    *gorm.DB
	dry   *gorm.DB // builds statements that a Tx queues
	seal  *seal.Box
	opt   Options
	refs  *counters
	kept  *brandCache
}

// Open connects. It does not migrate.
func Open(ctx context.Context, dsn string, opt Options) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	if opt.MaxConns > 0 {
		cfg.MaxConns = opt.MaxConns
	} else if cfg.MaxConns < 24 {
		cfg.MaxConns = 24
	}
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if cfg.ConnConfig.ConnectTimeout == 0 || cfg.ConnConfig.ConnectTimeout > connectTime {
		cfg.ConnConfig.ConnectTimeout = connectTime
	}
	if opt.Patience == 0 {
		opt.Patience = acquireTime
	}
	cfg.ConnConfig.Tracer = patience{opt.Patience}
	cfg.ConnConfig.DialFunc = dial
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	s := &Store{Pool: &Pool{pool}, sql: stdlib.OpenDBFromPool(pool), seal: opt.Seal, opt: opt, refs: &counters{},
		kept: &brandCache{}}
	s.db, err = gorm.Open(postgres.New(postgres.Config{Conn: s.sql}), &gorm.Config{
		SkipDefaultTransaction: true, TranslateError: true, DisableAutomaticPing: true,
		Logger: logger.Discard, NowFunc: func() time.Time { return s.Now() },
	})
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	s.dry = s.db.Session(&gorm.Session{DryRun: true, NewDB: true})
	s.Clock = newClock(pool, opt.Sandbox, opt.Log)
	return s, nil
}

// Close ends the connections.
func (s *Store) Close() {
	if s.Clock != nil {
		s.Clock.stop()
	}
	_ = s.sql.Close()
	s.Pool.Close()
}

// Now is the clock of the product, whole microseconds in UTC.
func (s *Store) Now() time.Time {
	if s.Clock == nil {
		return Instant(time.Now())
	}
	return s.Clock.Now()
}

// NewID is a UUIDv7 of the product's clock, so that newer records sort later.
func (s *Store) NewID() uuid.UUID { return newID(s.Now()) }

// Instant is the one form in which moments are stored: UTC, whole microseconds.
// PostgreSQL cuts nanoseconds, so an unrounded time would not come back equal.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
