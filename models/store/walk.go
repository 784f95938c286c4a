package store

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

// walk is a list that is met record by record in the order of its ids. An index leads
// through what where lets by; what fits says is looked at in each record.
type walk struct {
	columns, from string // what is read, and of what
	alias         string // what fits calls the records; empty: it names columns alone
	key           string // the id column; empty: id
	where         string // never empty
	args          []any
	fits          string // empty: every record fits
	fitArgs       []any
	most          int // records that one page looks at; 0: mostWalked
}

// and adds a condition that an index answers.
func (w *walk) and(condition string, args ...any) {
	if w.where != "" {
		condition = " AND " + condition
	}
	w.where, w.args = w.where+condition, append(w.args, args...)
}

// fitting adds a condition that is looked at in each record.
func (w *walk) fitting(condition string, args ...any) {
	if w.fits != "" {
		condition = " AND " + condition
	}
	w.fits, w.fitArgs = w.fits+condition, append(w.fitArgs, args...)
}

// all is the condition on every record of the walk.
func (w *walk) all() (string, []any) {
	if w.fits == "" {
		return w.where, w.args
	}
	return w.where + " AND " + w.fits, slices.Concat(w.args, w.fitArgs)
}

func (w *walk) id() string {
	if w.key == "" {
		return "id"
	}
	return w.key
}

// source is what is read, whose parts stand in the direction of a page.
func (w *walk) source(ask paging.Ask) string {
	direction, _, _ := database.BesideID("", ask)
	return strings.ReplaceAll(w.from, "@direction", direction)
}

func (w *walk) reach() int {
	if w.most == 0 {
		return mostWalked
	}
	return w.most
}

// statement reads the records of one page, or, with end, the id of the record at which
// the walk ends.
func (w *walk) statement(ask paging.Ask, end bool) (string, []any) {
	direction, beside, from := database.BesideID(w.id(), ask)
	args := slices.Concat(w.args, from)
	order := fmt.Sprintf(" ORDER BY %s %s", w.id(), direction)
	if end {
		return fmt.Sprintf("SELECT %s AS id FROM %s WHERE %s%s%s OFFSET %d LIMIT 1", w.id(), w.source(ask), w.where, beside, order,
			w.reach()-1), args
	}
	page := fmt.Sprintf("SELECT %s FROM %s WHERE %s%s%s", w.columns, w.source(ask), w.where, beside, order)
	if w.fits == "" {
		return fmt.Sprintf("%s LIMIT %d", page, ask.Fetch()), args
	}
	return fmt.Sprintf("SELECT * FROM (%s LIMIT %d) AS %s WHERE %s ORDER BY id %s LIMIT %d", page, w.reach(),
		cmp.Or(w.alias, "walked"), w.fits, direction, ask.Fetch()), slices.Concat(args, w.fitArgs)
}

// walked reads one page of a walk. read says how, where more than the record is wanted.
func walked[T any](ctx context.Context, s *Store, as *table.Table[T], w *walk, ask paging.Ask,
	read func(page string) string) (paging.Page[T], error) {
	page, args := w.statement(ask, false)
	if read != nil {
		page = read(page)
	}
	found, err := database.Seek(ctx, s.DB, as, page, args...)
	if err != nil {
		return paging.Page[T]{}, err
	}
	reached, err := s.walkedTo(ctx, w, ask, len(found))
	return paging.CutAt(ask, found, reached), err
}

// walkedTo is the record at which a walk ended that did not fill its page; the zero id
// where it came to the end of the list.
func (s *Store) walkedTo(ctx context.Context, w *walk, ask paging.Ask, found int) (reached uuid.UUID, err error) {
	if w.fits == "" || found >= ask.Fetch() {
		return uuid.Nil, nil
	}
	query, args := w.statement(ask, true)
	ids, err := s.ids(ctx, s.Pool, query, args...)
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// countWalked counts by state, the first column of the walk, what fits among the records
// that one page would look at; nil where there are more of them.
func (s *Store) countWalked(ctx context.Context, w *walk) (map[string]int64, error) {
	fits := w.fits
	if fits == "" {
		fits = "true"
	}
	var rows []struct {
		State string
		N     int64
		Seen  int64
	}
	err := s.Gorm(ctx).Raw(fmt.Sprintf(`SELECT state, count(*) FILTER (WHERE %s) AS n, count(*) AS seen
		FROM (SELECT %s FROM %s WHERE %s LIMIT %d) AS %s GROUP BY state`, fits, w.columns, w.source(paging.Ask{}), w.where, w.reach(),
		cmp.Or(w.alias, "walked")),
		slices.Concat(w.fitArgs, w.args)...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	counts, seen := map[string]int64{}, int64(0)
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

// countFound counts by state what a search finds; nil where that is more than is counted.
// of reads the states of some ids.
func (s *Store) countFound(ctx context.Context, f *finder, of string, args ...any) (map[string]int64, error) {
	ids, err := s.foundAll(ctx, f)
	if ids == nil {
		return nil, err
	}
	return database.CountByState[string](ctx, s.DB, "SELECT state, count(*) AS n FROM ("+of+
		" = ANY(?::uuid[])) AS found GROUP BY state", append(args, idsText(ids))...)
}

// inStates are the records of a merchant in some states, each state in the order of its
// index, so that they are merged and not sorted.
func inStates[S ~string](table, column string, merchantID uuid.UUID, states []S) (from string, args []any) {
	for n, state := range states {
		if n > 0 {
			from += " UNION ALL "
		}
		from += "(SELECT * FROM " + table + " WHERE merchant_id = ? AND " + column + " = ? ORDER BY id @direction)"
		args = append(args, merchantID, string(state))
	}
	return "(" + from + ")", args
}
