package database

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/table"
)

// Writes of one kind that wait travel as one statement when they are many. The caller
// says of each record what it would say of one alone.
const (
	manySaved    = 4  // from so many on, changes are one statement
	manyAppended = 50 // from so many on, new rows go by COPY, which takes round trips of its own
)

// many are writes of one kind about different records.
type many struct {
	of    *table.Many
	rows  [][]any
	known map[uuid.UUID]bool
}

// Save queues a change of a record that this transaction holds. Many of them in a row
// are one statement.
func Save[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		t.Fail(fmt.Errorf("change a record: %w", err))
		return
	}
	id, found := st.Many.ID(args)
	if m := t.last().many; found && m != nil && m.of == st.Many && !m.known[id] {
		m.rows, m.known[id] = append(m.rows, args), true
		return
	}
	w := statement{sql: st.SQL, args: args}
	if found {
		w.many = &many{of: st.Many, rows: [][]any{args}, known: map[uuid.UUID]bool{id: true}}
	}
	t.add(w)
}

// last is the last statement that waits, new rows aside: they wait for nothing.
func (t *Tx) last() statement {
	for i := len(t.waiting) - 1; i >= t.musts; i-- {
		if t.waiting[i].appends == nil {
			return t.waiting[i]
		}
	}
	return statement{}
}

// Append queues a new row of a table to which rows are only added, and which nothing in
// the database depends on. Many of them go by COPY, before all else that waits.
func Append[T any](t *Tx, st *table.Statement[T], record T, more ...any) {
	args, err := st.Args(t.s.Seal, &record, more...)
	if err != nil {
		t.Fail(fmt.Errorf("write a record: %w", err))
		return
	}
	t.add(statement{sql: st.SQL, args: args, appends: st.Many, joined: newRows{st.Many}})
}

// hasSets tells whether some of what waits travels as a set, for which the connection
// must be there before the batch.
func (t *Tx) hasSets() bool {
	appended := 0
	for _, w := range t.waiting {
		if w.appends != nil {
			appended++
		}
		if w.many != nil && len(w.many.rows) >= manySaved || appended >= manyAppended {
			return true
		}
	}
	return false
}

// sendCopies writes the new rows of tables that get many.
func (t *Tx) sendCopies() error {
	rows := map[*table.Many][][]any{}
	var tables []*table.Many
	for _, w := range t.waiting {
		if w.appends == nil || !w.appends.Copies() {
			continue
		}
		if rows[w.appends] == nil {
			tables = append(tables, w.appends)
		}
		rows[w.appends] = append(rows[w.appends], Native(w.args))
	}
	for _, into := range tables {
		if len(rows[into]) < manyAppended {
			continue
		}
		if !t.begun {
			if _, err := t.pgx.Exec(t.ctx, "begin"); err != nil {
				return fmt.Errorf("begin: %w", err)
			}
			t.begun = true
		}
		if err := into.Copy(t.ctx, t.pgx, rows[into]); err != nil {
			return err
		}
		t.drop(into)
	}
	return nil
}

// drop forgets the rows that wait for a table.
func (t *Tx) drop(into *table.Many) {
	left := t.waiting[:0]
	for _, w := range t.waiting {
		if w.appends != into {
			left = append(left, w)
		}
	}
	clear(t.waiting[len(left):])
	t.waiting = left
}

// queue puts what waits into a batch: many changes as one, few one by one.
func (t *Tx) queue(batch *pgx.Batch, w statement) error {
	switch {
	case w.many == nil:
		batch.Queue(w.sql, Native(w.args)...)
	case len(w.many.rows) < manySaved:
		for _, args := range w.many.rows {
			batch.Queue(w.sql, Native(args)...)
		}
	default:
		for _, args := range w.many.rows {
			Native(args)
		}
		sql, args, err := w.many.of.Statement(t.ctx, t.pgx, w.many.rows)
		if err != nil {
			return err
		}
		batch.Queue(sql, args...)
	}
	return nil
}
