// Package history ages: it makes the months of the tables whose rows are history, and
// drops those that are past their time.
//
// # Partitions
//
// The tables named in Tables are partitioned by month (PostgreSQL's own partitions, in the
// schema "history").
// The key is the id, not a column of time: ids are UUIDv7, whose first 48 bits are the
// milliseconds of their making, so the ids of a month are a range. The primary key, what
// refers to it and a look-up by id stay as they were, and such a look-up goes to one
// partition. A list that is ordered by id reads partition after partition and stops when
// its page is full. The month of a row is that of its id, in UTC and by the product's
// clock; in the sandbox that clock may be ahead, and such rows are old only when real time
// gets there.
//
// A table has, in the order of ids: "first", the whole table of before partitions, which
// was attached as it was, without an upgrade copying a row; the months; and "ahead", which
// takes what lies behind the last month and ids that are no UUIDv7 at all. Nothing is
// outside of them, so no insert fails for want of a month. They are ranges without a
// DEFAULT partition, since PostgreSQL reads a list in order only without one. Once
// something was dropped, "rest" takes the place of "first": it holds rows that had to
// stay, and those that come late.
//
// # Making months
//
// Grow, on every round of tidying, makes the months that are missing up to two after the
// current one. Rows that "ahead" took for want of them move along. Several processes may do
// so at once. The lock that it needs is taken within a second or left to the next round.
//
// # Dropping
//
// A partition is dropped once all of it is past its time, so things stay up to a month longer than is set.
// Detaching, dropping, what must stay and the entry in the audit are one transaction: that is why the partition
// is not detached CONCURRENTLY, which cannot be part of one. The table is locked for as long as the catalog
// takes, and the lock is given up after a second. While a backup is made no partition comes or goes. Rows that
// must stay, which are few, are put back and go to "rest". Which those are, and what else holds a partition
// back, each concept says of its own table. Rows of "first" that are past their time go one by one as they did
// before there were partitions, until all of it can go.
package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// ahead is how many months are made beyond the current one.
const ahead = 2

// quickly gives up a lock that others hold.
const quickly = `SET LOCAL lock_timeout = '1s'`

// copying is the advisory lock that a copy of the database shares while it is made: it
// reads tables that it saw at its beginning.
const copying = 7316214030

// Still runs fn while no partition comes or goes, on a connection that no pooler shares. The
// lock stands before fn begins whatever it reads as one moment.
func Still(ctx context.Context, db *database.DB, fn func(conn *pgxpool.Conn) error) error {
	conn, err := db.Direct.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock_shared($1)`, copying); err != nil {
		return fmt.Errorf("keep partitions as they are: %w", err)
	}
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_shared($1)`, copying) }()
	return fn(conn)
}

// alone takes the same lock for one transaction; false: a copy is being made.
func alone(ctx context.Context, tx pgx.Tx) (mine bool, err error) {
	if _, err := tx.Exec(ctx, quickly); err != nil {
		return false, err
	}
	err = tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, copying).Scan(&mine)
	return mine, err
}

// Tables are all that are partitioned.
var Tables = []string{"api_requests", "api_request_bodies", "audit_entries", "audit_links"}

// Grow makes the months that are missing.
func Grow(ctx context.Context, db *database.DB) error {
	for _, table := range Tables {
		err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
			if mine, err := alone(ctx, tx); err != nil || !mine {
				return err
			}
			_, err := tx.Exec(ctx, `SELECT history_grow($1, $2, $3)`, table, db.Now(), ahead)
			return err
		})
		if err != nil && !busy(err) {
			return fmt.Errorf("make the months of %s: %w", table, err)
		}
	}
	return nil
}

// busy tells whether a lock was not given in time.
func busy(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "55P03"
}

// Dropping is what goes together, such as events with their deliveries.
type Dropping struct {
	Of     string // in words, for the audit: "The log of requests"
	Period database.Period
	Tables []Table
	// Before is asked inside the transaction, with the first id that stays, whether anything
	// may go yet.
	Before func(tx *database.Tx, until uuid.UUID) (may bool, err error)
	// After is told once the partitions are gone, in the same transaction.
	After func(tx *database.Tx) error
}

// Table is one table of a Dropping.
type Table struct {
	Name string
	// Stays is the condition on rows, which go by the name old, that stay; empty: none.
	Stays string
}

// Drop drops the partitions that lie wholly before the time that is kept, and tells
// whether any did. now is real time.
func Drop(ctx context.Context, db *database.DB, now time.Time, d Dropping) (bool, error) {
	until, err := Due(ctx, db, now, d.Period, d.Tables[0].Name)
	if err != nil || until == uuid.Nil {
		return false, err
	}
	done := false
	err = db.InTx(ctx, func(tx *database.Tx) error {
		done = false
		if d.Before != nil {
			if may, err := d.Before(tx, until); err != nil || !may {
				return err
			}
		}
		var gone []string
		err := tx.Pgx(func(on pgx.Tx) (err error) {
			gone, err = cut(ctx, on, d.Tables, until)
			return err
		})
		if err != nil || len(gone) == 0 {
			return err
		}
		if d.After != nil {
			if err := d.After(tx); err != nil {
				return err
			}
		}
		done = true
		return tell(tx, d, gone, until)
	})
	if busy(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("drop the past of %s: %w", d.Tables[0].Name, err)
	}
	return done, nil
}

// Due is the first id that stays when everything of a table that is past its time is
// dropped; the zero id when nothing is to go.
func Due(ctx context.Context, db *database.DB, now time.Time, keep database.Period,
	table string) (until uuid.UUID, err error) {
	if keep.Forever() {
		return until, nil
	}
	err = db.Pool.QueryRow(ctx, `SELECT coalesce(max(high::text), '00000000-0000-0000-0000-000000000000')::uuid
		FROM history_parts($1) WHERE high <= month_bound($2) AND NOT starts_with(part, $1 || '_rest')`, table,
		keep.Before(now)).Scan(&until)
	if err != nil {
		return until, fmt.Errorf("look at the partitions of %s: %w", table, err)
	}
	return until, nil
}

func cut(ctx context.Context, on pgx.Tx, tables []Table, until uuid.UUID) (gone []string, err error) {
	if mine, err := alone(ctx, on); err != nil || !mine {
		return nil, err
	}
	for _, t := range tables {
		stays := t.Stays
		if stays == "" {
			stays = "false"
		}
		var names []string
		err := on.QueryRow(ctx, `SELECT history_cut($1, $2, $3)`, t.Name, until.String(), stays).Scan(&names)
		if err != nil {
			return nil, err
		}
		gone = append(gone, names...)
	}
	return gone, nil
}

// tell writes an entry for each merchant.
func tell(tx *database.Tx, d Dropping, gone []string, until uuid.UUID) error {
	before := calendar.DateOf(TimeOf(until))
	var merchants []uuid.UUID
	err := tx.Pgx(func(on pgx.Tx) error {
		rows, err := on.Query(tx.Context(), `SELECT id FROM merchants ORDER BY id`)
		if err != nil {
			return err
		}
		merchants, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
	for _, id := range merchants {
		tx.Audit(actor.SystemOf(id), audit.Entry{Action: "history.dropped", ObjectType: "merchant", ObjectID: id,
			Text: d.Of + " before " + before.String() + " was removed, after the time that is set.",
			After: map[string]any{"kept": d.Period.String(), "before": before.String(),
				"partitions": strings.Join(gone, ", ")}})
	}
	return err
}

// Trim deletes rows of the first partition, chunk by chunk, while there is one. The
// condition speaks of them as old; its places are numbered from 1.
func Trim(ctx context.Context, db *database.DB, table, condition string, args ...any) error {
	first := "history." + table + "_first"
	var there bool
	if err := db.Pool.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, first).Scan(&there); err != nil || !there {
		return err
	}
	return db.InChunks(ctx, fmt.Sprintf(`DELETE FROM %[1]s WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM %[1]s AS old WHERE %[2]s LIMIT $%[3]d FOR UPDATE SKIP LOCKED))`, first, condition, len(args)+1),
		args...)
}

// TimeOf is the moment of a UUIDv7.
func TimeOf(id uuid.UUID) time.Time {
	var milli int64
	for _, b := range id[:6] {
		milli = milli<<8 | int64(b)
	}
	return time.UnixMilli(milli).UTC()
}

// FirstID is the smallest id of a moment's millisecond.
func FirstID(at time.Time) (id uuid.UUID) {
	milli := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(milli >> (40 - 8*i)) //nolint:gosec // the low eight bits
	}
	return id
}

// SameMonth tells whether two ids belong to one partition.
func SameMonth(a, b uuid.UUID) bool {
	x, y := TimeOf(a), TimeOf(b)
	return x.Year() == y.Year() && x.Month() == y.Month()
}
