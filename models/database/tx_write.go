package database

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"debitdesk/models/database/internal/wire"
)

// Create adds a record, or several, by GORM. An error ends the transaction.
func (t *Tx) Create(records any) { t.Fail(t.Gorm().Create(records).Error) }

// Exec runs a statement by GORM, whose values stand where it says ?. An error ends the transaction.
func (t *Tx) Exec(sql string, args ...any) { t.Fail(t.Gorm().Exec(sql, args...).Error) }

// Later queues a statement whose result nobody needs.
func (t *Tx) Later(sql string, args ...any) { t.add(wire.Statement{SQL: sql, Args: args}) }

func (t *Tx) add(s wire.Statement) {
	t.writes.Add(s)
	t.wrote = true
}

// control queues a statement that writes nothing.
func (t *Tx) control(sql string) { t.writes.Add(wire.Statement{SQL: sql}) }

// Check queues a statement before all writes: its one result is a count, and any other count than 1 ends the
// transaction with fault.ErrLost. Checks keep their own order, in which they lock rows.
func (t *Tx) Check(count string, args ...any) {
	t.CheckOne("SELECT must_be_one(("+count+"))", args...)
}

// CheckOne is Check for a statement that counts by itself, such as the change of one
// record.
func (t *Tx) CheckOne(sql string, args ...any) { t.check(wire.Statement{SQL: sql, Args: args}) }

func (t *Tx) check(s wire.Statement) {
	t.writes.AddCheck(s)
	t.wrote = true
}

// CheckLock is Check for a row that this transaction locks so that others leave it alone. Units of work that are
// written together lock it once.
func (t *Tx) CheckLock(table, count string, args ...any) {
	sql := "SELECT must_be_one((" + count + "))"
	t.check(wire.Statement{SQL: sql, Args: args, Merger: wire.Locks{Table: table, SQL: sql}})
}

// Flush writes what waits.
func (t *Tx) Flush() error {
	if t.writes.Len() == 0 {
		return nil
	}
	_, err := t.send()
	return err
}

// send runs the waiting statements in one round trip, with one more for each table that
// gets many rows, and returns the row count of the last one.
func (t *Tx) send() (rows int64, err error) {
	if err := t.open(); err != nil {
		return 0, err
	}
	if err := t.writes.Copy(t.ctx, t.pgx, t.beginNow); err != nil {
		return 0, err
	}
	batch := &pgx.Batch{}
	if !t.begun {
		batch.Queue("begin")
		t.begun = true
	}
	if err := t.writes.Take(t.ctx, t.pgx, batch); err != nil {
		return 0, err
	}
	if batch.Len() == 0 {
		return 0, nil
	}
	err = t.conn.Raw(func(dc any) error {
		rows, err = wire.Exec(t.ctx, dc.(*stdlib.Conn).Conn(), batch)
		return err
	})
	return rows, err
}

// beginNow opens the transaction by a round trip of its own, before what no batch can hold.
func (t *Tx) beginNow() error {
	if t.begun {
		return nil
	}
	if _, err := t.pgx.Exec(t.ctx, "begin"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	t.begun = true
	return nil
}

// CopyAll has all new rows of this transaction go by COPY, before whatever else waits: those of the named tables in
// this order, so that rows find what they refer to, and the others after them.
func (t *Tx) CopyAll(tables ...string) { t.writes.CopyAll(tables...) }

// Pgx runs fn on the transaction's own pgx connection. Inside fn the Tx itself
// must not be used: the connection is locked.
func (t *Tx) Pgx(fn func(pgx.Tx) error) error {
	if err := t.begin(); err != nil {
		return err
	}
	return t.conn.Raw(func(dc any) error { return fn(wire.Within(dc.(*stdlib.Conn).Conn())) })
}

// Violates tells whether err is a broken unique or check constraint of that name.
func Violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.ConstraintName == constraint
}

// Query writes what waits and reads the rows of one more statement.
func Query[T any](t *Tx, row func(*T) []any, each func(T), sql string, args ...any) error {
	return t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.ctx, sql, args...)
		if err != nil {
			return err
		}
		var v T
		_, err = pgx.ForEachRow(rows, row(&v), func() error { each(v); return nil })
		return err
	})
}
