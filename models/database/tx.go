package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"database/sql"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"

	"debitdesk/models/audit"
	"debitdesk/models/database/internal/wire"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/queue"
)

// Tx is one unit of work: GORM and pgx on one connection, in one transaction.
// Writes whose result nobody needs wait and travel together: a use case that
// only writes costs one round trip, COMMIT included.
type Tx struct {
	s     *DB
	ctx   context.Context
	conn  *sql.Conn
	pgx   *pgx.Conn // the same connection
	db    *gorm.DB
	now   time.Time
	over  bool // nothing reads through it any more
	wrote bool // something was to be written

	writes wire.Writes // that wait to be sent
	jobs   []queue.Job
	news   []news
	hushed bool // nobody is told of what it does
	begun  bool
	broken error // a row that could not be written; the commit refuses
	alerts []audit.Entry
	ends   []func() // called when it is over
}

// InTx runs fn in one transaction. What fn returns as error undoes everything.
// fault.ErrLost: a compare-and-set of the transaction found another state. Under a
// dryrun everything is undone whatever fn returns.
func (s *DB) InTx(ctx context.Context, fn func(*Tx) error) (err error) {
	if TxOf(ctx) != nil {
		return errors.New("a transaction was begun inside another one")
	}
	tx := &Tx{s: s, ctx: ctx, now: s.Now()}
	defer func() {
		if p := recover(); p != nil {
			tx.rollback()
			tx.release()
			panic(p)
		}
		if err != nil {
			tx.rollback()
			tx.dropAnswer()
		}
		tx.release()
		for _, tell := range tx.ends {
			tell()
		}
		err = lostOr(err)
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if tx.broken != nil {
		return tx.broken
	}
	for _, e := range tx.alerts {
		if err := s.Alert(tx, e); err != nil {
			return err
		}
	}
	tx.tellAll()
	if rec := tx.keepAnswer(); rec != nil {
		defer func() {
			if err == nil {
				rec.Keep()
			}
		}()
	}
	if dryrun.Is(ctx) {
		return tx.try()
	}
	if len(tx.jobs) > 0 {
		if err := tx.Flush(); err != nil {
			return err
		}
		if err := tx.Pgx(func(p pgx.Tx) error { return s.Options.Enqueue(ctx, p, tx.jobs) }); err != nil {
			return fmt.Errorf("enqueue: %w", err)
		}
	}
	if !tx.begun && !tx.writes.NeedConn() {
		err = tx.whole()
	} else {
		tx.control("commit")
		err = tx.Flush()
	}
	if err == nil && tx.wrote {
		s.Activity.Note()
	}
	return err
}

// whole runs a unit of work that only wrote: all of it is one batch up to one Sync,
// which PostgreSQL runs as one transaction without being told where it begins and ends.
func (t *Tx) whole() error {
	switch {
	case t.writes.Len() == 0:
		return nil
	case t.writes.Mergeable():
		return t.s.units.Do(t.ctx, t, groupCommit)
	}
	return t.alone()
}

// groupCommit writes units of work many at a time that end while others are on their way to the disk.
var groupCommit = wire.Policy[*Tx]{
	Unbatched:  wire.GroupedFrom,
	Compatible: func(a, b *Tx) bool { return a.writes.SameStatements(&b.writes) },
	One:        (*Tx).alone,
	Batch:      commitTogether,
}

// alone writes what waits, and nothing of others.
func (t *Tx) alone() error {
	conn, err := t.s.Pool.Acquire(t.ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer conn.Release()
	batch := &pgx.Batch{}
	if err := t.writes.Take(t.ctx, conn.Conn(), batch); err != nil {
		return err
	}
	_, err = wire.Exec(t.ctx, conn.Conn(), batch)
	return err
}

// commitTogether writes units in one transaction. Their callers may be gone: what was asked is written all the same.
func commitTogether(ctx context.Context, units []*Tx) error {
	conn, err := units[0].s.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	writes := make([]*wire.Writes, len(units))
	for n, t := range units {
		writes[n] = &t.writes
	}
	return wire.WriteMerged(ctx, conn.Conn(), writes)
}

// try runs everything that a transaction would write, so that the database says its
// word, and takes it all back. Jobs are nobody's.
func (t *Tx) try() error {
	t.Later("set constraints all immediate")
	t.Later("rollback")
	return t.Flush()
}

// open takes a connection, when the first statement must be sent.
func (t *Tx) open() error {
	if t.conn != nil {
		return nil
	}
	conn, err := t.s.sql.Conn(t.ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	t.conn = conn
	if err := conn.Raw(func(dc any) error { t.pgx = dc.(*stdlib.Conn).Conn(); return nil }); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	t.db = t.s.gorm.Session(&gorm.Session{Context: withBox(t.Context(), t.s.Seal), NewDB: true, NowFunc: t.Now})
	t.db.Statement.ConnPool = conn
	return nil
}

func (t *Tx) release() {
	t.over = true
	if t.conn != nil {
		_ = t.conn.Close()
	}
}

// lostOr turns what a lost race looks like in PostgreSQL into fault.ErrLost: our
// own exception, a deadlock that two changes of the same records ran into, a
// second debit under a once-off mandate, a second amendment of a token, or a period
// that was billed already.
func lostOr(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "DD001" || pg.Code == "40P01" || pg.Code == "40001" ||
		pg.ConstraintName == "collections_once" || pg.ConstraintName == "amendments_one_open" ||
		pg.ConstraintName == "billing_periods_pkey") {
		return fault.ErrLost
	}
	return err
}

// Now is the moment of this unit of work; it does not move while it runs.
func (t *Tx) Now() time.Time { return t.now }

// DB is the database that the transaction belongs to. Give its reads Context.
func (t *Tx) DB() *DB { return t.s }

// NewID is a UUIDv7 of the product's clock.
func (t *Tx) NewID() uuid.UUID { return t.s.NewID() }

// AtEnd calls tell once the transaction is over, whether it was done, undone, or nobody can say. It must
// not fail: it is for what this process keeps in its memory.
func (t *Tx) AtEnd(tell func()) { t.ends = append(t.ends, tell) }

// Enqueue leaves work for later, in this transaction.
func (t *Tx) Enqueue(job queue.Job) { t.jobs = append(t.jobs, job) }

// Gorm gives GORM in this unit of work. What waits is written before each of its statements.
func (t *Tx) Gorm() *gorm.DB {
	if err := t.begin(); err != nil {
		db := t.s.gorm.WithContext(withBox(t.Context(), t.s.Seal))
		_ = db.AddError(err)
		return db
	}
	return t.db
}

// begin writes what waits, and opens the transaction if nothing did so far.
func (t *Tx) begin() error {
	if err := t.Flush(); err != nil || t.begun {
		return err
	}
	t.control("select 1")
	return t.Flush()
}

// Fail makes the transaction end with err: a queued write has nobody to tell.
func (t *Tx) Fail(err error) {
	if t.broken == nil {
		t.broken = err
	}
}

func (t *Tx) rollback() {
	if !t.begun {
		return
	}
	// The caller's context may be over; the transaction must end all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), wire.RollbackTimeout)
	defer cancel()
	_, _ = t.conn.ExecContext(ctx, "rollback")
}
