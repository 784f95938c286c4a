// Package listing reads lists that may be long: record by record through an index, or by
// the words that a person searches for. No page costs more the longer its list is.
package listing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// mostWalked is how many records one page of a walk looks at. A walk that comes so far
// without filling its page ends there, and the next page goes on: no page costs more
// the longer the list is.
const mostWalked = 10_000

// Walk is a list that is met record by record in the order of its ids. An index leads
// through what Where lets by; what Fits says is looked at in each record.
type Walk struct {
	Columns, From string // what is read, and of what
	Alias         string // what Fits calls the records; empty: it names columns alone
	Key           string // the id column; empty: id
	Where         string // never empty
	Args          []any
	Fits          string // empty: every record fits
	FitArgs       []any
	Most          int // records that one page looks at; 0: 10 000
}

// And adds a condition that an index answers.
func (w *Walk) And(condition string, args ...any) {
	if w.Where != "" {
		condition = " AND " + condition
	}
	w.Where, w.Args = w.Where+condition, append(w.Args, args...)
}

// Fitting adds a condition that is looked at in each record.
func (w *Walk) Fitting(condition string, args ...any) {
	if w.Fits != "" {
		condition = " AND " + condition
	}
	w.Fits, w.FitArgs = w.Fits+condition, append(w.FitArgs, args...)
}

// All is the condition on every record of the walk.
func (w *Walk) All() (string, []any) {
	if w.Fits == "" {
		return w.Where, w.Args
	}
	return w.Where + " AND " + w.Fits, slices.Concat(w.Args, w.FitArgs)
}

// ID is the id column.
func (w *Walk) ID() string {
	if w.Key == "" {
		return "id"
	}
	return w.Key
}

// Source is what is read, whose parts stand in the direction of a page.
func (w *Walk) Source(ask paging.Ask) string {
	direction, _, _ := database.BesideID("", ask)
	return strings.ReplaceAll(w.From, "@direction", direction)
}

func (w *Walk) reach() int {
	if w.Most == 0 {
		return mostWalked
	}
	return w.Most
}

// statement reads the records of one page, or, with end, the id of the record at which
// the walk ends.
func (w *Walk) statement(ask paging.Ask, end bool) (string, []any) {
	direction, beside, from := database.BesideID(w.ID(), ask)
	args := slices.Concat(w.Args, from)
	order := fmt.Sprintf(" ORDER BY %s %s", w.ID(), direction)
	if end {
		return fmt.Sprintf("SELECT %s AS id FROM %s WHERE %s%s%s OFFSET %d LIMIT 1", w.ID(), w.Source(ask), w.Where, beside, order,
			w.reach()-1), args
	}
	page := fmt.Sprintf("SELECT %s FROM %s WHERE %s%s%s", w.Columns, w.Source(ask), w.Where, beside, order)
	if w.Fits == "" {
		return fmt.Sprintf("%s LIMIT %d", page, ask.Fetch()), args
	}
	return fmt.Sprintf("SELECT * FROM (%s LIMIT %d) AS %s WHERE %s ORDER BY id %s LIMIT %d", page, w.reach(),
		cmp.Or(w.Alias, "walked"), w.Fits, direction, ask.Fetch()), slices.Concat(args, w.FitArgs)
}

// Page reads one page of a walk. read says how, where more than the record is wanted.
func Page[T any](ctx context.Context, db *database.DB, as *table.Table[T], w *Walk, ask paging.Ask,
	read func(page string) string) (paging.Page[T], error) {
	page, args := w.statement(ask, false)
	if read != nil {
		page = read(page)
	}
	found, err := database.Seek(ctx, db, as, page, args...)
	if err != nil {
		return paging.Page[T]{}, err
	}
	reached, err := walkedTo(ctx, db, w, ask, len(found))
	return paging.CutAt(ask, found, reached), err
}

// walkedTo is the record at which a walk ended that did not fill its page; the zero id
// where it came to the end of the list.
func walkedTo(ctx context.Context, db *database.DB, w *Walk, ask paging.Ask, found int) (reached uuid.UUID, err error) {
	if w.Fits == "" || found >= ask.Fetch() {
		return uuid.Nil, nil
	}
	query, args := w.statement(ask, true)
	ids, err := IDs(ctx, db, query, args...)
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// Count counts by state, the first column of the walk, what fits among the records
// that one page would look at; nil where there are more of them.
func Count[S ~string](ctx context.Context, db *database.DB, w *Walk) (map[S]int64, error) {
	fits := w.Fits
	if fits == "" {
		fits = "true"
	}
	var rows []struct {
		State S
		N     int64
		Seen  int64
	}
	err := db.Gorm(ctx).Raw(fmt.Sprintf(`SELECT state, count(*) FILTER (WHERE %s) AS n, count(*) AS seen
		FROM (SELECT %s FROM %s WHERE %s LIMIT %d) AS %s GROUP BY state`, fits, w.Columns, w.Source(paging.Ask{}), w.Where, w.reach(),
		cmp.Or(w.Alias, "walked")),
		slices.Concat(w.FitArgs, w.Args)...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	counts, seen := map[S]int64{}, int64(0)
	for _, r := range rows {
		if seen += r.Seen; r.N > 0 {
			counts[r.State] = r.N
		}
	}
	if seen >= int64(w.reach()) {
		return nil, nil
	}
	return counts, nil
}

// CountFound counts by state what a search finds; nil where that is more than is counted.
// of reads the states of some ids.
func CountFound[S ~string](ctx context.Context, db *database.DB, f *Search, of string, args ...any) (map[S]int64, error) {
	ids, err := FindAll(ctx, db, f)
	if ids == nil {
		return nil, err
	}
	return database.CountByState[S](ctx, db, "SELECT state, count(*) AS n FROM ("+of+
		" = ANY(?::uuid[])) AS found GROUP BY state", append(args, database.IDs(ids))...)
}

// InStates are the records of a merchant in some states, each state in the order of its
// index, so that they are merged and not sorted.
func InStates[S ~string](table, column string, merchantID uuid.UUID, states []S) (from string, args []any) {
	for n, state := range states {
		if n > 0 {
			from += " UNION ALL "
		}
		from += "(SELECT * FROM " + table + " WHERE merchant_id = ? AND " + column + " = ? ORDER BY id @direction)"
		args = append(args, merchantID, string(state))
	}
	return "(" + from + ")", args
}

// Waits is the condition that a record waits for somebody's attention for a reason. Its place is the merchant.
func Waits(id, kind, and string) string {
	return id + " IN (SELECT w.object_id FROM attention_now(?, '" + kind + "') AS w" + and + ")"
}
