package database

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/internal/wire"
	"debitdesk/models/database/table"
)

// Units of work that only write, and that end while others are on their way to the disk, are written many in one
// transaction: what is one statement of each of them is one statement for all.
var together = wire.Policy[*Tx]{
	Unbatched: 2, // each commit waits for the disk
	// The same statements in the same order.
	Compatible: func(a, b *Tx) bool {
		return slices.EqualFunc(a.waiting, b.waiting, func(a, b statement) bool { return a.sql == b.sql })
	},
	One:   (*Tx).alone,
	Batch: writeTogether,
}

// togetherLock is for how long units that are written together wait for a record that somebody else holds.
const togetherLock = 100 * time.Millisecond

// joined says how a statement of several units of work is written for all of them at once.
type joined interface {
	// queue puts the statement into a batch for all units, given its values in each.
	queue(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch, rows [][]any) error
}

// joins tells whether all that waits may be written with what others write: each statement adds or changes records of
// its own, or holds one of a table in which nothing is changed, so that no unit sees what another does.
func (t *Tx) joins() bool {
	var held, changed []string
	for _, w := range t.waiting {
		switch j := w.joined.(type) {
		case nil:
			return false
		case holds:
			held = append(held, j.table)
		case ownChanges:
			changed = append(changed, j.of.Table)
		}
	}
	return !slices.ContainsFunc(held, func(table string) bool { return slices.Contains(changed, table) })
}

// writeTogether writes units in one transaction. Their callers may be gone: what was asked is written all the same.
func writeTogether(ctx context.Context, units []*Tx) error {
	conn, err := units[0].s.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	batch := &pgx.Batch{}
	// By the plan that serves all: planning costs more than any of these statements could gain.
	batch.Queue("SELECT set_config('lock_timeout', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)",
		togetherLock.String())
	for i, w := range units[0].waiting {
		rows := make([][]any, len(units))
		for n, t := range units {
			rows[n] = Native(t.waiting[i].args)
		}
		if err := w.joined.queue(ctx, conn.Conn(), batch, rows); err != nil {
			return err
		}
	}
	_, err = wire.Exec(ctx, conn.Conn(), batch)
	return err
}

// newRows are rows that are added.
type newRows struct{ of *table.Many }

func (j newRows) queue(_ context.Context, _ *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	for chunk := range slices.Chunk(rows, table.MostRows) {
		batch.Queue(j.of.Rows(len(chunk)), slices.Concat(chunk...)...)
	}
	return nil
}

// ownChanges are changes of a record each, which must find it as it was read.
type ownChanges struct{ of *table.Many }

func (j ownChanges) queue(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	sql, args, err := j.of.Statement(ctx, conn, rows)
	if err != nil {
		return err
	}
	batch.Queue(table.MustFind(sql, len(args)), append(args, len(rows))...)
	return nil
}

// holds are records that are held for others to leave alone. Units that hold the same one hold it once.
type holds struct{ table, sql string }

func (j holds) queue(_ context.Context, _ *pgx.Conn, batch *pgx.Batch, rows [][]any) error {
	var held [][]any
	for _, args := range rows {
		if slices.ContainsFunc(held, func(other []any) bool { return reflect.DeepEqual(args, other) }) {
			continue
		}
		held = append(held, args)
		batch.Queue(j.sql, args...)
	}
	return nil
}
