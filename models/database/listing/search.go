package listing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// What one page of a search costs at most, however long the list is. A search that has
// looked at so much ends there; the next page goes on.
const (
	nearRows   = 250   // looked at first, from the place of the page on
	commonRows = 12    // a word that more of these have is met on the way and not looked up
	MostJoined = 1_000 // rows that are met with what stands in other tables
	mostSteps  = 512   // steps of time in which a word is looked up
	widest     = 64    // steps at a time
)

// searchCount is how far is counted what a search finds.
const searchCount = 500

// Search is a search in a list. What it finds near the place of the page is met there.
// For the rest the Arms look, each in an index of its own.
type Search struct {
	Query database.Search
	Walk  Walk // through the list; Fits narrows what is found
	// Words finds a query in a walked row.
	Words  func(query string) (string, []any)
	Or     string // what finds a row besides its words; empty: nothing
	OrArgs []any
	Arms   []Arm

	counting bool // all that is found is wanted, or nothing
}

// Arm finds ids on one side of a place, nearest first, and says how far it looked; the
// zero id says to the end.
type Arm func(ctx context.Context, near Near, ask paging.Ask) (ids []uuid.UUID, reached uuid.UUID, err error)

// Near is what the first rows tell of a search.
type Near struct {
	n      int // rows that were looked at
	hits   []uuid.UUID
	last   uuid.UUID // the last of the rows
	rarest int       // the typed word that fewest of them have
	common bool      // even that one is common
}

// Typed tells whether anything was typed.
func (f *Search) Typed() bool { return len(f.Query.Words()) > 0 || f.Or != "" }

// matches is the condition that a walked row is found.
func (f *Search) matches() (string, []any) {
	condition, args := f.Words(f.Query.All())
	if f.Or != "" {
		condition, args = "("+condition+" OR "+f.Or+")", slices.Concat(args, f.OrArgs)
	}
	if f.Walk.Fits != "" {
		condition, args = condition+" AND "+f.Walk.Fits, slices.Concat(args, f.Walk.FitArgs)
	}
	return "(" + condition + ") IS TRUE", args
}

// Find gives the ids of one page of a search, at most ask.Fetch of them in the order of
// the walk, and the record at which it ended before the page was full; the zero id where
// it did not.
func Find(ctx context.Context, db *database.DB, f *Search, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
	near, err := lookNear(ctx, db, f, ask)
	if err != nil || near.n < nearRows || len(near.hits) >= ask.Fetch() {
		return upTo(near.hits, ask), uuid.Nil, err
	}
	rest, arms := ask, f.Arms
	if rest.From = near.last; near.common {
		arms = []Arm{ByWalk(db, f)}
	}
	all, ended := near.hits, uuid.Nil
	for _, look := range arms {
		ids, reached, err := look(ctx, near, rest)
		if err != nil {
			return nil, uuid.Nil, err
		}
		if f.counting && reached != uuid.Nil { // what is not met to its end is not counted
			return nil, reached, nil
		}
		if all = append(all, ids...); reached != uuid.Nil && (ended == uuid.Nil || further(ask, ended, reached)) {
			ended = reached
		}
	}
	slices.SortFunc(all, func(a, b uuid.UUID) int {
		if ask.Newer {
			return strings.Compare(string(a[:]), string(b[:]))
		}
		return strings.Compare(string(b[:]), string(a[:]))
	})
	all = slices.Compact(all)
	if ended != uuid.Nil { // beyond it, others may be missing
		all = slices.DeleteFunc(all, func(id uuid.UUID) bool { return further(ask, id, ended) })
	}
	if len(all) >= ask.Fetch() {
		ended = uuid.Nil
	}
	return upTo(all, ask), ended, nil
}

// FindAll gives all that a search finds; nil where that is more than is counted.
func FindAll(ctx context.Context, db *database.DB, f *Search) ([]uuid.UUID, error) {
	f.counting = true
	ids, reached, err := Find(ctx, db, f, paging.Ask{Limit: searchCount})
	if err != nil || reached != uuid.Nil || len(ids) > searchCount {
		return nil, err
	}
	return append([]uuid.UUID{}, ids...), nil
}

// further tells whether an id lies behind another in the order of a walk.
func further(ask paging.Ask, id, other uuid.UUID) bool {
	return (string(id[:]) > string(other[:])) == ask.Newer && id != other
}

func upTo(ids []uuid.UUID, ask paging.Ask) []uuid.UUID { return ids[:min(len(ids), ask.Fetch())] }

// lookNear looks at the first rows from the place of the page on.
func lookNear(ctx context.Context, db *database.DB, f *Search, ask paging.Ask) (near Near, err error) {
	matches, args := f.matches()
	columns, seen := f.Walk.ID()+" AS id, "+matches+" AS hit", []string(nil)
	for n, word := range f.Query.Words() {
		condition, more := f.Words(word)
		columns, args = columns+fmt.Sprintf(", (%s) IS TRUE AS w%d", condition, n), append(args, more...)
		seen = append(seen, fmt.Sprintf("count(*) FILTER (WHERE w%d)", n))
	}
	query := fmt.Sprintf(
		`SELECT count(*), coalesce(array_agg(id) FILTER (WHERE hit), '{}'), (array_agg(id))[count(*)::int],
			ARRAY[%s]::bigint[]
		FROM (%s) AS near`,
		strings.Join(seen, ", "),
		f.Walk.rows(columns, ask, nearRows),
	)
	query, args = db.Statement(query, slices.Concat(args, f.Walk.asked(ask))...)
	near, err = once(ctx, query, args, func() (near Near, err error) {
		var last *uuid.UUID
		var weights []int
		err = db.Pool.QueryRow(ctx, query, database.Native(args)...).Scan(&near.n, &near.hits, &last, &weights)
		if err != nil {
			return near, fmt.Errorf("look near: %w", err)
		}
		for n, weight := range weights {
			if weight < weights[near.rarest] {
				near.rarest = n
			}
		}
		near.last, near.common = database.OrZero(last), len(weights) > 0 && weights[near.rarest] > commonRows
		return near, nil
	})
	near.hits = slices.Clone(near.hits)
	return near, err
}

// once asks a statement, unless the same was asked for this answer: the page of a search and its count begin alike.
func once[T any](ctx context.Context, query string, args []any, ask func() (T, error)) (T, error) {
	return paging.Once(ctx, fmt.Sprint(query, args), ask)
}

// ByWalk meets what is common on the way. Where all is wanted, and there is more than a walk looks at, nothing is met.
func ByWalk(db *database.DB, f *Search) Arm {
	return func(ctx context.Context, _ Near, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
		if f.counting {
			w := f.Walk
			w.Fits, w.FitArgs = "true", nil
			if reached, err := walkedTo(ctx, db, &w, ask, 0); err != nil || reached != uuid.Nil {
				return nil, reached, err
			}
		}
		matches, args := f.matches()
		w := f.Walk
		w.Columns, w.columnArgs = w.ID()+" AS id, "+matches+" AS hit", args
		if !w.Ordered {
			w.Columns += ", " + w.by(w.ID())
		}
		w.Fits, w.FitArgs, w.Called = "hit", nil, ""
		query, args := w.statement(ask, false)
		ids, err := w.readIDs(ctx, db, query, args...)
		if err != nil {
			return nil, uuid.Nil, err
		}
		w = f.Walk
		w.Fits = "hit"
		reached, err := walkedTo(ctx, db, &w, ask, len(ids))
		return ids, reached, err
	}
}

// Vector is how words are found in a column.
func Vector(column string) func(string) (string, []any) {
	return func(query string) (string, []any) { return column + " @@ ?::tsquery", []any{query} }
}

// ByWords looks the rarest word up in the index of a table, from step to step of time.
// The steps grow while little is found. where narrows the rows, which stand in the walk
// by their own ids.
func ByWords(db *database.DB, f *Search, from, alias, where string, args ...any) Arm {
	return func(ctx context.Context, near Near, ask paging.Ask) (ids []uuid.UUID, reached uuid.UUID, err error) {
		end, err := endOf(ctx, db, &f.Walk, ask)
		if err != nil || end == uuid.Nil {
			return nil, uuid.Nil, err
		}
		common := false
		err = withoutScans(ctx, db, func(on reader) error {
			at, last, forward := database.Step(ask.From), database.Step(end), -1
			if ask.Newer {
				forward = 1
			}
			for width, left := 1, mostSteps; ; width = min(2*width, widest) {
				to := at + forward*(width-1)
				if (to-last)*forward >= 0 {
					to = last
				}
				found, err := lookUp(ctx, db, on, f, near.rarest, min(at, to), max(at, to), ask, from, alias, where, args)
				if err != nil {
					return err
				}
				if slices.Contains(found, uuid.Max) { // common here, though not near the place of the page
					if common = at == database.Step(ask.From); !common {
						reached = database.FirstOf(max(at, at-forward))
					}
					return nil
				}
				left -= width
				if ids = append(ids, found...); len(ids) >= ask.Fetch() || to == last {
					return nil
				}
				if at = to + forward; left <= 0 {
					reached = database.FirstOf(max(at, to)) // between the last step that was looked at and the next
					return nil
				}
			}
		})
		if common && err == nil { // it asks by a connection of its own
			return ByWalk(db, f)(ctx, near, ask)
		}
		return ids, reached, err
	}
}

// lookUp finds what is in a part of time. Where more rows than MostJoined have the words, it gives the last of all ids.
func lookUp(ctx context.Context, db *database.DB, on reader, f *Search, word, first, last int, ask paging.Ask,
	from, alias, where string, args []any) ([]uuid.UUID, error) {
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	query := fmt.Sprintf(`WITH found AS MATERIALIZED (SELECT %[1]s.id, (%[3]s) IS TRUE AS stands FROM %[2]s WHERE
			search_key(%[1]s.merchant_id, %[1]s.id, %[1]s.search) @@ ?::tsquery AND (%[1]s.search @@ ?::tsquery) IS TRUE
			AND (%[1]s.id %[4]s ?) IS TRUE LIMIT %[7]d)
		(SELECT id FROM found WHERE stands ORDER BY id %[5]s LIMIT %[6]d)
		UNION ALL SELECT ?::uuid WHERE (SELECT count(*) FROM found) > %[8]d`, alias, from, where,
		compare, direction, ask.Fetch(),
		MostJoined+1, MostJoined)
	return readIDs(ctx, db, on, query,
		slices.Concat(args, []any{f.Query.Keys(word, first, last), f.Query.All(), ask.From, uuid.Max})...)
}

// Few gives what a query finds by an index of its own, where that is not many: its one row
// says how many there are, up to most, and the ids of one page of them. Where there are as
// many as that, they are met on the way.
func Few(ctx context.Context, db *database.DB, f *Search, ask paging.Ask, most int, query string,
	args ...any) ([]uuid.UUID, uuid.UUID, error) {
	var n int
	var ids []uuid.UUID
	if err := db.Row(ctx, query, args...).Scan(&n, &ids); err != nil {
		return nil, uuid.Nil, fmt.Errorf("find few of many: %w", err)
	}
	if n == most {
		return ByWalk(db, f)(ctx, Near{}, ask)
	}
	return ids, uuid.Nil, nil
}

// endOf is the last record on the side of a place; the zero id where there is none.
func endOf(ctx context.Context, db *database.DB, w *Walk, ask paging.Ask) (uuid.UUID, error) {
	back := paging.Ask{Newer: !ask.Newer}
	ids, err := IDs(ctx, db, w.rows(w.ID(), back, 1), w.Values(back)...)
	if err != nil || len(ids) == 0 || ask.From != uuid.Nil && !further(ask, ids[0], ask.From) {
		return uuid.Nil, err
	}
	return ids[0], nil
}
