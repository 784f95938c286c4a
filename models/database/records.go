package database

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database/internal/wire"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Insert queues the INSERT of a record.
func Insert[T any](t *Tx, into *table.Table[T], record T) { Write(t, into.Insert, record) }

// Write queues a statement about a record whose result nobody needs.
func Write[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		t.Fail(fmt.Errorf("write a record: %w", err))
		return
	}
	w := wire.Statement{SQL: st.SQL, Args: args}
	if st.Many.Copies() {
		w.Merger = wire.Inserts{Of: st.Many}
		if t.writes.CopiesAll() {
			w.Appends = st.Many
		}
	}
	t.add(w)
}

// CompareAndSet queues a change of one record as a check: the transaction ends with
// fault.ErrLost when it does not find its row.
func CompareAndSet[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		t.Fail(fmt.Errorf("change a record: %w", err))
		return
	}
	w := wire.Statement{SQL: st.One, Args: args}
	if _, found := st.Many.ID(Native(args)); found {
		w.Merger = wire.Updates{Of: st.Many}
	}
	t.check(w)
}

// Save queues a change of a record that this transaction holds. Many of them in a row
// are one statement.
func Save[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		t.Fail(fmt.Errorf("change a record: %w", err))
		return
	}
	t.writes.AddUpdate(st.SQL, args, st.Many)
	t.wrote = true
}

// Append queues a new row of a table to which rows are only added, and which nothing in
// the database depends on. Many of them go by COPY, before all else that waits.
func Append[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		t.Fail(fmt.Errorf("write a record: %w", err))
		return
	}
	t.add(wire.Statement{SQL: st.SQL, Args: args, Appends: st.Many, Merger: wire.Inserts{Of: st.Many}})
}

// ChangeMany changes records by one statement, now, and tells how many of them it found.
func ChangeMany[T any](t *Tx, st *table.Statement[T], records []T, more ...any) (int64, error) {
	if len(records) == 0 {
		return 0, nil
	}
	rows := make([][]any, len(records))
	for n := range records {
		args, err := st.Args(t.s.Seal, &records[n], more...)
		if err != nil {
			return 0, fmt.Errorf("change records: %w", err)
		}
		rows[n] = args
	}
	t.writes.AddSet(st.SQL, st.Many, rows)
	t.wrote = true
	return t.send()
}

// Change changes one record now, and tells whether it found its row.
func Change[T any](t *Tx, st *table.Statement[T], record T, more ...any) (bool, error) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		return false, fmt.Errorf("change a record: %w", err)
	}
	t.Later(st.SQL, args...)
	n, err := t.send()
	if err != nil {
		return false, fmt.Errorf("change a record: %w", err)
	}
	return n == 1, nil
}

// All reads the records that a condition finds.
func All[T any](ctx context.Context, s *DB, from *table.Table[T], condition string, args ...any) ([]T, error) {
	return Collect(ctx, s, from, from.Select+condition, args)
}

// Both reads the records of two tables, each by its condition and all by the same
// values, in one round trip.
func Both[A, B any](ctx context.Context, s *DB, a *table.Table[A], conditionA string, b *table.Table[B],
	conditionB string, args ...any) (as []A, bs []B, err error) {
	return CollectBoth(ctx, s, a, a.Select+conditionA, b, b.Select+conditionB, args...)
}

// Seek reads what a query finds whose values stand where it says ?; a list takes as
// many places as it has values, as in "IN ?".
func Seek[T any](ctx context.Context, s *DB, from *table.Table[T], query string, args ...any) ([]T, error) {
	query, args = s.Statement(query, args...)
	return Collect(ctx, s, from, query, args)
}

// Statement is a query whose values stand where it says ?, as PostgreSQL takes it.
func (s *DB) Statement(query string, args ...any) (string, []any) {
	stmt := s.dry.Raw(query, args...).Statement
	return stmt.SQL.String(), stmt.Vars
}

// Collect reads what a statement finds. Where a standby fails at it, the primary answers.
func Collect[T any](ctx context.Context, s *DB, from *table.Table[T], sql string, args []any) ([]T, error) {
	return orPrimary(ctx, func(ctx context.Context) (found []T, err error) {
		q := into(&found, s, from, sql, args)
		err = s.Pool.Read(ctx, q.Rows, q.SQL, q.Args...)
		return found, err
	})
}

// orPrimary reads once more from the primary where a standby fails.
func orPrimary[T any](ctx context.Context, read func(context.Context) ([]T, error)) ([]T, error) {
	a := standbyOf(ctx)
	if a == nil || TxOf(ctx) != nil {
		return read(ctx)
	}
	soon, cancel := context.WithTimeout(ctx, standbyReadTimeout)
	defer cancel()
	found, err := read(soon)
	if err != nil && ctx.Err() == nil {
		a.failed.Store(true)
		return read(ctx)
	}
	return found, err
}

// Statement is one of several that travel together. Args stand where Query says ?.
type Statement struct {
	Query string
	Args  []any
}

// SeekEach is Seek of several statements in one round trip. It gives what each of them found.
func SeekEach[T any](ctx context.Context, s *DB, from *table.Table[T], asked []Statement) ([][]T, error) {
	return orPrimary(ctx, func(ctx context.Context) ([][]T, error) {
		found, queries := make([][]T, len(asked)), make([]wire.Query, len(asked))
		for i, a := range asked {
			sql, args := s.Statement(a.Query, a.Args...)
			queries[i] = into(&found[i], s, from, sql, args)
		}
		return found, s.Pool.send(ctx, s.Pool.reads(ctx), queries...)
	})
}

// SeekUnsorted is Seek by an index that has the order of the statement: nothing is sorted where there is one.
func SeekUnsorted[T any](ctx context.Context, s *DB, from *table.Table[T], query string, args ...any) ([]T, error) {
	if TxOf(ctx) != nil { // its settings last until its end
		return Seek(ctx, s, from, query, args...)
	}
	return orPrimary(ctx, func(ctx context.Context) ([]T, error) {
		return seekSet(ctx, s.Pool.reads(ctx), s, from, "enable_sort", "off", "on", query, args...)
	})
}

// seekSet is Seek with a setting, which lasts until the end of the batch: for what others ask there, it is as before.
func seekSet[T any](ctx context.Context, on wire.Sender, s *DB, from *table.Table[T], name, value, before, sql string,
	args ...any) (found []T, err error) {
	sql, args = s.Statement(sql, args...)
	asked := []wire.Query{wire.Setting(name, value), into(&found, s, from, sql, args)}
	if pipelineOf(ctx) != nil {
		asked = append(asked, wire.Setting(name, before))
	}
	err = s.Pool.send(ctx, on, asked...)
	return found, err
}

// First is the only record of a list; fault.Missing when there is none.
func First[T any](found []T, err error) (record T, _ error) {
	switch {
	case err != nil:
		return record, err
	case len(found) == 0:
		return record, fault.Missing()
	}
	return found[0], nil
}

// BesideID is the order of a page by one id column, and what bounds it.
func BesideID(column string, ask paging.Ask) (direction, where string, args []any) {
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		where, args = " AND "+column+" "+compare+" ?", []any{ask.From}
	}
	return direction, where, args
}

// CountByState reads how many there are of each state that has any: the columns state and n of a query.
func CountByState[S ~string](ctx context.Context, s *DB, query string, args ...any) (map[S]int64, error) {
	var found []struct {
		State S
		N     int64
	}
	if err := s.Gorm(ctx).Raw(query, args...).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("count by state: %w", err)
	}
	counts := map[S]int64{}
	for _, f := range found {
		if f.N != 0 {
			counts[f.State] = f.N
		}
	}
	return counts, nil
}
