package wire

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/table"
)

// From so many on, statements of one kind travel as a set.
const (
	minUpdates = 4  // changes of one kind are one statement
	minCopied  = 50 // new rows of one table go by COPY, which takes round trips of its own
)

// Writes are the statements of one unit of work whose results nobody needs. They wait, and are sent in one round trip.
// The zero value is empty.
type Writes struct {
	list   []Statement
	checks int      // of them, at the front
	copies []string // tables whose new rows go by COPY, however few; nil: few of them are statements like all others
}

// Statement is one write.
type Statement struct {
	SQL     string
	Args    []any
	Merger  Merger      // how several units of work write it in one statement; nil: each by itself
	Appends *table.Many // it adds a row to a table that only grows; nil: it does not

	set *set
}

// set are changes of one kind about different records.
type set struct {
	of    *table.Many
	rows  [][]any
	known map[uuid.UUID]bool
	whole bool // one statement, however few there are
}

// Len is how many statements wait.
func (w *Writes) Len() int { return len(w.list) }

// Add adds a statement after all others.
func (w *Writes) Add(s Statement) { w.list = append(w.list, s) }

// AddCheck adds a statement that decides whether the transaction may be: after the other checks, whose order is that in
// which they lock rows, and before all else.
func (w *Writes) AddCheck(s Statement) {
	w.list = slices.Insert(w.list, w.checks, s)
	w.checks++
}

// AddUpdate adds the change of one record. Changes of one kind in a row, each of another record, are a set.
func (w *Writes) AddUpdate(sql string, args []any, of *table.Many) {
	id, found := of.ID(args)
	if last := w.lastSet(); found && last != nil && last.of == of && !last.known[id] {
		last.rows, last.known[id] = append(last.rows, args), true
		return
	}
	s := Statement{SQL: sql, Args: args}
	if found {
		s.set = &set{of: of, rows: [][]any{args}, known: map[uuid.UUID]bool{id: true}}
	}
	w.Add(s)
}

// AddSet adds changes of several records as one statement, however few there are.
func (w *Writes) AddSet(sql string, of *table.Many, rows [][]any) {
	w.Add(Statement{SQL: sql, set: &set{of: of, rows: rows, whole: true}})
}

// lastSet is that of the last statement, rows of tables that only grow aside: their order does not matter.
func (w *Writes) lastSet() *set {
	for i := len(w.list) - 1; i >= w.checks; i-- {
		if w.list[i].Appends == nil {
			return w.list[i].set
		}
	}
	return nil
}

// CopyAll has all new rows go by COPY, however few, before all other statements: those of the named tables in this
// order, so that rows find what they refer to, and the others after them.
func (w *Writes) CopyAll(tables ...string) { w.copies = tables }

// CopiesAll tells whether new rows of any table go by COPY.
func (w *Writes) CopiesAll() bool { return w.copies != nil }

// NeedConn tells whether some of the statements are sets, which need the connection before they are queued.
func (w *Writes) NeedConn() bool {
	appended := 0
	for _, s := range w.list {
		if s.Appends != nil {
			appended++
		}
		if s.set != nil && (s.set.whole || len(s.set.rows) >= minUpdates) || appended >= minCopied ||
			appended > 0 && w.CopiesAll() {
			return true
		}
	}
	return false
}

// Copy writes new rows by COPY, of tables that get many of them. begin comes before the first.
func (w *Writes) Copy(ctx context.Context, conn *pgx.Conn, begin func() error) error {
	rows := map[*table.Many][][]any{}
	var tables []*table.Many
	for _, s := range w.list {
		if s.Appends == nil || !s.Appends.Copies() {
			continue
		}
		if rows[s.Appends] == nil {
			tables = append(tables, s.Appends)
		}
		rows[s.Appends] = append(rows[s.Appends], Native(s.Args))
	}
	w.inOrder(tables)
	for _, into := range tables {
		if len(rows[into]) < minCopied && !w.CopiesAll() {
			continue
		}
		if err := begin(); err != nil {
			return err
		}
		if err := into.Copy(ctx, conn, rows[into]); err != nil {
			return err
		}
		w.drop(into)
	}
	return nil
}

// inOrder puts tables into the order in which they are copied.
func (w *Writes) inOrder(tables []*table.Many) {
	place := func(of *table.Many) int {
		if at := slices.Index(w.copies, of.Table); at >= 0 {
			return at
		}
		return len(w.copies)
	}
	slices.SortStableFunc(tables, func(a, b *table.Many) int { return place(a) - place(b) })
}

// drop forgets the rows of a table.
func (w *Writes) drop(into *table.Many) {
	left := w.list[:0]
	for _, s := range w.list {
		if s.Appends != into {
			left = append(left, s)
		}
	}
	clear(w.list[len(left):])
	w.list = left
}

// Take moves all statements into a batch: a large set as one statement, others one by one.
func (w *Writes) Take(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) error {
	for _, s := range w.list {
		if err := s.queue(ctx, conn, batch); err != nil {
			return err
		}
	}
	w.list, w.checks = w.list[:0], 0
	return nil
}

func (s Statement) queue(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) error {
	switch {
	case s.set == nil:
		batch.Queue(s.SQL, Native(s.Args)...)
	case len(s.set.rows) < minUpdates && !s.set.whole:
		for _, args := range s.set.rows {
			batch.Queue(s.SQL, Native(args)...)
		}
	default:
		for _, args := range s.set.rows {
			Native(args)
		}
		sql, args, err := s.set.of.Statement(ctx, conn, s.set.rows)
		if err != nil {
			return err
		}
		batch.Queue(sql, args...)
	}
	return nil
}
