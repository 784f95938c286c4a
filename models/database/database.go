// Package database is how the concepts speak with PostgreSQL: the pool, the product's
// clock, the unit of work, and records in their tables. What every change writes beside
// its own rows is here too: the audit, mails, jobs, events, and the answer to a request.
// It knows no other concept, no rules, no HTTP and no pages.
package database

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"debitdesk/models/audit"
	"debitdesk/models/database/internal/wire"
	"debitdesk/models/database/seal"
	"debitdesk/models/queue"
)

// Options is what a DB needs besides the address of its database.
type Options struct {
	Seal    *seal.Box
	Sandbox bool // the clock can be moved
	// Machine is the machine's clock; nil: time.Now. Tests give one that stands still.
	Machine  func() time.Time
	MaxConns int32
	// Patience is how long a request waits for a connection of the pool; 0: five seconds.
	Patience time.Duration
	// MostRequests of a merchant are kept in the log of requests; 0: requestlog.MostKept.
	MostRequests int
	Keep         Keep // how long history is kept; its zero value: UsualKeep
	Log          *slog.Logger
	// Enqueue writes jobs into the transaction of the fact they belong to.
	Enqueue func(ctx context.Context, tx pgx.Tx, jobs []queue.Job) error

	// DirectURL leads to the server where the address of the database leads to a pooler;
	// empty: the same address.
	DirectURL string
	// ReadURL leads to a standby for reports, exports and searches; empty: there is none.
	ReadURL string
	// Tracer sees each statement; nil: nobody does.
	Tracer pgx.QueryTracer
	// Dialled sees each connection being opened; nil: nobody does.
	Dialled func(pgconn.DialFunc) pgconn.DialFunc
	// MostLag is how far behind a standby may be that is read; 0: mostLag.
	MostLag time.Duration
}

// DB is the database of the product.
type DB struct {
	Pool     *Pool
	Direct   *pgxpool.Pool // around a pooler: for what keeps a connection, and listens or locks
	Pooler   bool          // stands between us and the server
	Standby  *Standby      // nil: none is named
	Clock    *Clock
	Activity *Activity // when something was written last
	Seal     *seal.Box
	Options  Options
	// Alert tells people of a change that directs money, in the transaction of the change; nil: nobody is told.
	Alert func(tx *Tx, e audit.Entry) error
	sql   *sql.DB
	gorm  *gorm.DB
	dry   *gorm.DB // builds statements that a Tx queues
	refs  *counters
	units wire.Batcher[*Tx] // of work that wait to be written
	kept  sync.Map
}

// Open connects. It does not migrate.
func Open(ctx context.Context, dsn string, opt Options) (*DB, error) {
	if opt.Patience == 0 {
		opt.Patience = wire.AcquireTimeout
	}
	if opt.Machine == nil {
		opt.Machine = time.Now
	}
	s := &DB{Seal: opt.Seal, Options: opt, refs: &counters{}}
	if err := s.connect(ctx, dsn); err != nil {
		s.Close()
		return nil, err
	}
	s.sql = stdlib.OpenDBFromPool(s.Pool.Pool)
	var err error
	if s.gorm, err = s.mapper(s.sql); err != nil {
		s.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	s.dry = s.gorm.Session(&gorm.Session{DryRun: true, NewDB: true})
	s.Clock = newClock(s.Pool.Pool, s.Direct, opt)
	s.Activity = newActivity(s.Pool.Pool, s.Direct, opt.Log)
	s.Pool.wrote = s.Activity.Note
	s.startStandby(ctx)
	return s, nil
}

// mapper is GORM over some connections. Errors stay the driver's: they name the constraint that was broken.
func (s *DB) mapper(over *sql.DB) (*gorm.DB, error) {
	db, err := gorm.Open(postgres.New(postgres.Config{Conn: over}), &gorm.Config{
		SkipDefaultTransaction: true, DisableAutomaticPing: true,
		Logger: logger.Discard, NowFunc: func() time.Time { return s.Now() },
	})
	if err != nil {
		return nil, err
	}
	return db, db.Use(&plugin{db: s, known: map[*schema.Schema]bool{}})
}

// Close ends the connections.
func (s *DB) Close() {
	if s.Clock != nil {
		s.Clock.stop()
	}
	if s.Activity != nil {
		s.Activity.stop()
	}
	if s.Standby != nil {
		s.Standby.stop()
	}
	if s.sql != nil {
		_ = s.sql.Close()
	}
	if s.Pool == nil {
		return
	}
	if s.Direct != s.Pool.Pool {
		s.Direct.Close()
	}
	s.Pool.Close()
}

// Now is the clock of the product, whole microseconds in UTC.
func (s *DB) Now() time.Time {
	if s.Clock == nil {
		return Instant(s.Options.Machine())
	}
	return s.Clock.Now()
}

// NewID is a UUIDv7 of the product's clock, so that newer records sort later.
func (s *DB) NewID() uuid.UUID { return NewID(s.Now()) }

// Instant is the one form in which moments are stored: UTC, whole microseconds.
// PostgreSQL cuts nanoseconds, so an unrounded time would not come back equal.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Kept is the one T that a concept keeps beside the database in this process, such as a
// cache of its rows. It begins as its zero value.
func Kept[T any](db *DB) *T {
	key := reflect.TypeFor[T]()
	if v, ok := db.kept.Load(key); ok {
		return v.(*T)
	}
	v, _ := db.kept.LoadOrStore(key, new(T))
	return v.(*T)
}

// chunk is how many rows a transaction of InChunks deletes: its locks are short.
const chunk = 5_000

// InChunks repeats a deletion, whose last argument is a number of rows, until it finds
// nothing more.
func (s *DB) InChunks(ctx context.Context, deletion string, args ...any) error {
	for {
		tag, err := s.Pool.Exec(ctx, deletion, append(args, chunk)...)
		if err != nil || tag.RowsAffected() < chunk {
			return err
		}
	}
}
