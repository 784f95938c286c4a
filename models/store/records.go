package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"debitdesk/models/fault"
	"debitdesk/models/store/table"
)

// insert queues the INSERT of a record.
func insert[T any](t *Tx, into *table.Table[T], record T) { write(t, into.Insert, record) }

// write queues a statement about a record whose result nobody needs.
func write[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.seal, &record, more...)
	if err != nil {
		t.fail(fmt.Errorf("write a record: %w", err))
		return
	}
	t.later(st.SQL, args...)
}

// move queues a change of one record before everything that waits for nothing; the
// transaction ends with fault.ErrLost when it does not find its row, as with must.
func move[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.seal, &record, more...)
	if err != nil {
		t.fail(fmt.Errorf("change a record: %w", err))
		return
	}
	t.mustOne(st.One, args...)
}

// moved changes one record now, and tells whether it found its row.
func moved[T any](t *Tx, st *table.Statement[T], record T, more ...any) (bool, error) {
	args, err := st.Args(t.s.seal, &record, more...)
	if err != nil {
		return false, fmt.Errorf("change a record: %w", err)
	}
	return t.one("change a record", st.SQL, args...)
}

// one reads the record that a condition finds; fault.Missing when there is none.
func one[T any](ctx context.Context, s *Store, from *table.Table[T], condition string,
	args ...any) (record T, err error) {
	return first(collect(ctx, s, from, from.Select+condition, args))
}

// all reads the records that a condition finds.
func all[T any](ctx context.Context, s *Store, from *table.Table[T], condition string, args ...any) ([]T, error) {
	return collect(ctx, s, from, from.Select+condition, args)
}

// seek reads what a query finds whose values stand where it says ?; a list takes as
// many places as it has values, as in "IN ?".
func seek[T any](ctx context.Context, s *Store, from *table.Table[T], query string, args ...any) ([]T, error) {
	stmt := s.dry.Raw(query, args...).Statement
	return collect(ctx, s, from, stmt.SQL.String(), stmt.Vars)
}

// list is a query of a table, to which conditions and an order are added. It reads
// all columns but those that are named.
func list[T any](ctx context.Context, s *Store, from *table.Table[T], without ...string) *gorm.DB {
	return s.read(ctx).Table(from.Name).Select(from.Columns("", without...))
}

// find reads what a list finds.
func find[T any](ctx context.Context, s *Store, from *table.Table[T], of *gorm.DB) ([]T, error) {
	stmt := of.Session(&gorm.Session{DryRun: true}).Find(&[]map[string]any{}).Statement
	if stmt.Error != nil {
		return nil, fmt.Errorf("list from %s: %w", from.Name, stmt.Error)
	}
	return collect(ctx, s, from, stmt.SQL.String(), stmt.Vars)
}

// collect reads what a statement finds.
func collect[T any](ctx context.Context, s *Store, from *table.Table[T], sql string, args []any) ([]T, error) {
	rows, err := s.Pool.Query(ctx, sql, native(args)...)
	if err != nil {
		return nil, fmt.Errorf("read from %s: %w", from.Name, err)
	}
	return from.Collect(s.seal, rows)
}

// first is the only record of a list; fault.Missing when there is none.
func first[T any](found []T, err error) (record T, _ error) {
	switch {
	case err != nil:
		return record, err
	case len(found) == 0:
		return record, fault.Missing()
	}
	return found[0], nil
}

// execOne runs a statement about a record outside any unit of work, and tells whether
// it found one row.
func execOne[T any](ctx context.Context, s *Store, st *table.Statement[T], record T, more ...any) (bool, error) {
	args, err := st.Args(s.seal, &record, more...)
	if err != nil {
		return false, err
	}
	done, err := s.Pool.Exec(ctx, st.SQL, native(args)...)
	return done.RowsAffected() == 1, err
}
