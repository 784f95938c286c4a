package database

import (
	"errors"
	"slices"

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
func (t *Tx) Later(sql string, args ...any) { t.add(statement{sql: sql, args: args}) }

func (t *Tx) add(w statement) { t.waiting, t.wrote = append(t.waiting, w), true }

// control queues a statement that writes nothing.
func (t *Tx) control(sql string) { t.waiting = append(t.waiting, statement{sql: sql}) }

// Must queues a statement before everything that waits for nothing: its one
// result is a count, and any other count than 1 ends the transaction with
// fault.ErrLost. Such statements keep their own order, in which they lock rows.
func (t *Tx) Must(count string, args ...any) {
	t.MustOne("SELECT must_be_one(("+count+"))", args...)
}

// MustOne is must for a statement that counts by itself, such as the change of one
// record.
func (t *Tx) MustOne(sql string, args ...any) { t.must(statement{sql: sql, args: args}) }

func (t *Tx) must(w statement) {
	t.waiting = slices.Insert(t.waiting, t.musts, w)
	t.musts++
	t.wrote = true
}

// MustHold is Must for a record of a table that this transaction holds for others to leave alone. Units of work that
// are written together hold it once.
func (t *Tx) MustHold(table, count string, args ...any) {
	sql := "SELECT must_be_one((" + count + "))"
	t.must(statement{sql: sql, args: args, joined: holds{table, sql}})
}

func (t *Tx) Flush() error {
	if len(t.waiting) == 0 {
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
	if err := t.sendCopies(); err != nil {
		return 0, err
	}
	batch := &pgx.Batch{}
	if !t.begun {
		batch.Queue("begin")
		t.begun = true
	}
	if err := t.take(batch); err != nil {
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

// Pgx runs fn on the transaction's own pgx connection. Inside fn the Tx itself
// Must not be used: the connection is locked.
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
