package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"

	"debitdesk/models/database/internal/wire"
)

// How often a standby is measured, how long that may take, how old a measure may be, and
// how far behind a standby may be that is read.
const (
	standbyEvery = time.Second
	standbyTime  = 2 * time.Second
	standbyFresh = 5 * time.Second
	mostLag      = 30 * time.Second
	lagShown     = 5 * time.Second // behind by more, and pages say so
	mostSamples  = 120
)

// Standby is a copy of the database that follows it. Reports, exports and searches are read
// from it while it is there and near enough; everything else is asked of the primary.
type Standby struct {
	db     *DB
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup
	state  atomic.Pointer[StandbyState]
	reads  atomic.Int64
	missed atomic.Int64 // reads that the primary answered instead

	measuring sync.Mutex
	pool      *pgxpool.Pool
	sql       *sql.DB
	gorm      *gorm.DB
	system    string
	samples   []sample
}

// sample is how far the primary had written at a moment.
type sample struct {
	at       time.Time
	position int64
}

// StandbyState is how a standby was at its last measure.
type StandbyState struct {
	Why      string // it is not read, in words; empty: it is
	At       time.Time
	Lag      time.Duration
	position int64 // what it has of what the primary wrote
}

// startStandby begins to measure the copy that the options name.
func (s *DB) startStandby(ctx context.Context) {
	if s.Options.ReadURL == "" {
		return
	}
	if s.Options.MostLag == 0 {
		s.Options.MostLag = mostLag
	}
	b := &Standby{db: s, log: s.Options.Log}
	if b.log == nil {
		b.log = slog.Default()
	}
	s.Standby = b
	b.Measure(ctx)
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	b.done.Go(func() {
		tick := time.NewTicker(standbyEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				b.Measure(ctx)
			}
		}
	})
}

func (b *Standby) stop() {
	b.cancel()
	b.done.Wait()
	if b.pool != nil {
		_ = b.sql.Close()
		if !closeWithin(b.pool, stopTime) {
			b.log.Warn("connections to the standby were not given back")
		}
	}
}

// stopTime is how long a process that ends waits for its connections to the standby.
const stopTime = 5 * time.Second

// closeWithin ends a pool, and tells whether that took no longer. A connection whose server was killed while it was
// asked keeps no process from ending.
func closeWithin(pool *pgxpool.Pool, limit time.Duration) bool {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
		return true
	case <-time.After(limit):
		return false
	}
}

// Measure asks the standby how far it is, and the primary how far it was.
func (b *Standby) Measure(ctx context.Context) StandbyState {
	b.measuring.Lock()
	defer b.measuring.Unlock()
	ctx, cancel := context.WithTimeout(ctx, standbyTime)
	defer cancel()
	st := StandbyState{}
	err := b.measure(ctx, &st)
	st.At = time.Now()
	switch {
	case err != nil:
		st.Why = err.Error()
	case st.Lag > b.db.Options.MostLag:
		st.Why = fmt.Sprintf("is %s behind", st.Lag.Round(time.Second))
	}
	before := b.state.Swap(&st)
	was := before == nil || before.Why == ""
	switch {
	case was && st.Why != "":
		b.log.Warn("the primary answers for the standby", "why", st.Why)
	case !was && st.Why == "":
		b.log.Info("reading from the standby again")
	}
	return st
}

func (b *Standby) measure(ctx context.Context, st *StandbyState) error {
	if err := b.samplePrimary(ctx); err != nil {
		return fmt.Errorf("the primary was not measured: %w", err)
	}
	if err := b.open(ctx); err != nil {
		return err
	}
	var (
		follows bool
		system  string
		newest  *time.Time
		at      *int64
	)
	if err := b.pool.QueryRow(ctx, `SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()),
		pg_last_xact_replay_timestamp(), (pg_last_wal_replay_lsn() - '0/0')::bigint`).Scan(
		&follows, &system, &newest, &at); err != nil {
		return fmt.Errorf("does not answer: %w", err)
	}
	switch {
	case system != b.system:
		return errors.New("is a copy of another database")
	case !follows || at == nil:
		return errors.New("is no standby")
	}
	st.position = *at
	st.Lag = b.lag(*at, newest)
	return nil
}

// samplePrimary notes how far the primary has written.
func (b *Standby) samplePrimary(ctx context.Context) error {
	now := sample{at: time.Now()}
	if err := b.db.Pool.Pool.QueryRow(ctx, `SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint,
		(SELECT system_identifier::text FROM pg_control_system())`).Scan(&now.position, &b.system); err != nil {
		return err
	}
	if len(b.samples) >= mostSamples {
		b.samples = b.samples[1:]
	}
	b.samples = append(b.samples, now)
	return nil
}

// lag is the time since the primary had written no more than the standby has. Both are
// measured by the clock of this process. What is older than the samples is told by the
// time of the last change that the standby has.
func (b *Standby) lag(position int64, newest *time.Time) time.Duration {
	last := len(b.samples) - 1
	if position >= b.samples[last].position {
		return 0
	}
	for i := last; i >= 0; i-- {
		if b.samples[i].position <= position {
			return time.Since(b.samples[i].at)
		}
	}
	oldest := time.Since(b.samples[0].at)
	if newest != nil {
		return max(oldest, time.Since(*newest))
	}
	return max(oldest, b.db.Options.MostLag+time.Second)
}

// open connects once the standby can be reached; until then nothing waits for it.
func (b *Standby) open(ctx context.Context) error {
	if b.pool != nil {
		return nil
	}
	opt := b.db.Options
	cfg, err := wire.Configure(opt.ReadURL, opt.wire())
	if err != nil {
		return err
	}
	cfg.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	pool, _, err := wire.OpenPool(ctx, cfg)
	if wire.Unsupported(err) { // a pooler; what is no standby is never read
		delete(cfg.ConnConfig.RuntimeParams, "default_transaction_read_only")
		pool, _, err = wire.OpenPool(ctx, cfg)
	}
	if err != nil {
		return fmt.Errorf("cannot be reached: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	orm, err := b.db.mapper(db)
	if err != nil {
		_ = db.Close()
		pool.Close()
		return fmt.Errorf("cannot be opened: %w", err)
	}
	b.pool, b.sql, b.gorm = pool, db, orm
	return nil
}

// State is how the standby was at its last measure.
func (b *Standby) State() StandbyState {
	st := *b.state.Load()
	if st.Why == "" && time.Since(st.At) > standbyFresh {
		st.Why = "was not measured for a while"
	}
	return st
}

// Reads is how often the standby was read, and how often the primary answered instead.
func (b *Standby) Reads() (standby, primary int64) { return b.reads.Load(), b.missed.Load() }

// standbyReadTimeout is how long a standby may take for one answer, before the primary is asked.
const standbyReadTimeout = 10 * time.Second

type standbyKey struct{}

// standbyRead is one reading from the standby.
type standbyRead struct {
	pool   *pgxpool.Pool
	gorm   *gorm.DB
	asOf   time.Time // by the product's clock
	lag    time.Duration
	failed atomic.Bool // from then on the primary is asked
}

// standbyOf is the reading that a context belongs to, while the standby answers.
func standbyOf(ctx context.Context) *standbyRead {
	if a, ok := ctx.Value(standbyKey{}).(*standbyRead); ok && !a.failed.Load() {
		return a
	}
	return nil
}

// OnStandby gives a context whose reads go to the standby, when there is one, it is near
// enough, and it has what the primary had written at a position; 0 asks for none. Writes
// and units of work go to the primary, whatever the context.
func (s *DB) OnStandby(ctx context.Context, position int64) context.Context {
	b := s.Standby
	if b == nil {
		return ctx
	}
	st := b.State()
	if st.Why == "" && st.position < position {
		if st = b.Measure(ctx); st.Why == "" && st.position < position {
			st.Why = "has not what was just written"
		}
	}
	if st.Why != "" {
		b.missed.Add(1)
		return ctx
	}
	b.reads.Add(1)
	return context.WithValue(ctx, standbyKey{},
		&standbyRead{pool: b.pool, gorm: b.gorm, lag: st.Lag, asOf: s.Now().Add(-st.Lag)})
}

// Position is how far the database has written; 0 without a standby to compare it with.
func (s *DB) Position(ctx context.Context) (position int64, err error) {
	if s.Standby == nil {
		return 0, nil
	}
	if err := s.Pool.Pool.QueryRow(ctx, `SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint`).
		Scan(&position); err != nil {
		return 0, fmt.Errorf("position of the database: %w", err)
	}
	return position, nil
}

// AsOf is the moment, by the product's clock, whose data a context reads, when that is so
// long ago that people should know.
func AsOf(ctx context.Context) (at time.Time, old bool) {
	if a := standbyOf(ctx); a != nil && a.lag >= lagShown {
		return a.asOf, true
	}
	return time.Time{}, false
}
