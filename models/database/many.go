package database

import (
	"fmt"
	"slices"

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
	whole bool // one statement, however few there are
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
	t.add(statement{sql: st.SQL, many: &many{of: st.Many, rows: rows, whole: true}})
	return t.send()
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
		if w.many != nil && (w.many.whole || len(w.many.rows) >= manySaved) || appended >= manyAppended ||
			appended > 0 && t.gathers != nil {
			return true
		}
	}
	return false
}

// Gather has all new rows of this transaction travel by COPY, before whatever else waits: those of the named tables in
// this order, so that rows find what they refer to, and the others after them.
func (t *Tx) Gather(tables ...string) { t.gathers = tables }

// inOrder puts tables into the order in which they are written.
func (t *Tx) inOrder(tables []*table.Many) {
	place := func(of *table.Many) int {
		if at := slices.Index(t.gathers, of.Table); at >= 0 {
			return at
		}
		return len(t.gathers)
	}
	slices.SortStableFunc(tables, func(a, b *table.Many) int { return place(a) - place(b) })
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
	t.inOrder(tables)
	for _, into := range tables {
		if len(rows[into]) < manyAppended && t.gathers == nil {
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
	case len(w.many.rows) < manySaved && !w.many.whole:
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
