package wire

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/table"
)

// Group commit: units of work that only write, and that end while others are on their way to the disk, are written many
// in one transaction. What is one statement of each of them is one statement for all.

// GroupedFrom is how many units of work commit side by side before another one waits: each commit waits for the disk.
const GroupedFrom = 2

// mergeLockTimeout is for how long units that are written together wait for a row that somebody else has locked.
const mergeLockTimeout = 100 * time.Millisecond

// Merger says how a statement of several units of work is written for all of them at once.
type Merger interface {
	// Queue puts the statement into a batch for all units, given its values in each.
	Queue(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch, rows [][]any) error
}

// Mergeable tells whether the writes may be merged with those of other units: each statement adds or changes rows of
// its own, or locks one of a table in which nothing is changed, so that no unit sees what another does.
func (w *Writes) Mergeable() bool {
	var locked, changed []string
	for _, s := range w.list {
		switch m := s.Merger.(type) {
		case nil:
			return false
		case Locks:
			locked = append(locked, m.Table)
		case Updates:
			changed = append(changed, m.Of.Table)
		}
	}
	return !slices.ContainsFunc(locked, func(table string) bool { return slices.Contains(changed, table) })
}

// SameStatements tells whether two units of work have the same statements in the same order.
func (w *Writes) SameStatements(other *Writes) bool {
	return slices.EqualFunc(w.list, other.list, func(a, b Statement) bool { return a.SQL == b.SQL })
}

// WriteMerged writes units of work that have the same statements in one transaction.
func WriteMerged(ctx context.Context, conn *pgx.Conn, units []*Writes) error {
	batch := &pgx.Batch{}
	// By the generic plan: planning costs more than any of these statements could gain.
	batch.Queue("SELECT set_config('lock_timeout', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)",
		mergeLockTimeout.String())
	for i, s := range units[0].list {
		rows := make([][]any, len(units))
		for n, w := range units {
			rows[n] = Native(w.list[i].Args)
		}
		if err := s.Merger.Queue(ctx, conn, batch, rows); err != nil {
			return err
		}
	}
	_, err := Exec(ctx, conn, batch)
	return err
}

// Inserts are rows that are added.
type Inserts struct{ Of *table.Many }

// Queue implements Merger.
func (m Inserts) Queue(_ context.Context, _ *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	for chunk := range slices.Chunk(rows, table.MostRows) {
		batch.Queue(m.Of.Rows(len(chunk)), slices.Concat(chunk...)...)
	}
	return nil
}

// Updates are changes of one row each, which must find it as it was read.
type Updates struct{ Of *table.Many }

// Queue implements Merger.
func (m Updates) Queue(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	sql, args, err := m.Of.Statement(ctx, conn, rows)
	if err != nil {
		return err
	}
	batch.Queue(table.ExpectRows(sql, len(args)), append(args, len(rows))...)
	return nil
}

// Locks are rows that are locked so that others leave them alone. Units that lock the same one lock it once.
type Locks struct{ Table, SQL string }

// Queue implements Merger.
func (m Locks) Queue(_ context.Context, _ *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	var locked [][]any
	for _, args := range rows {
		if slices.ContainsFunc(locked, func(other []any) bool { return reflect.DeepEqual(args, other) }) {
			continue
		}
		locked = append(locked, args)
		batch.Queue(m.SQL, args...)
	}
	return nil
}
