package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// What one page of a search costs at most, however long the list is. A search that has
// looked at so much ends there; the next page goes on.
const (
	nearRows   = 250   // looked at first, from the place of the page on
	commonRows = 12    // a word that more of these have is met on the way and not looked up
	fewClients = 1_000 // whose records are looked up one client after the other
	mostJoined = 2_500 // rows that are met with what stands in other tables
	mostSteps  = 512   // steps of time in which a word is looked up
	widest     = 64    // steps at a time
)

// searchCount is how far is counted what a search finds.
const searchCount = 500

// finder is a search in a list. What it finds near the place of the page is met there.
// For the rest the arms look, each in an index of its own.
type finder struct {
	q    database.Search
	walk walk // through the list; fits narrows what is found
	// words finds a query in a walked row.
	words  func(query string) (string, []any)
	or     string // what finds a row besides its words; empty: nothing
	orArgs []any
	arms   []arm
}

// arm finds ids on one side of a place, nearest first, and says how far it looked; the
// zero id says to the end.
type arm func(ctx context.Context, near nearby, ask paging.Ask) (ids []uuid.UUID, reached uuid.UUID, err error)

// nearby is what the first rows tell of a search.
type nearby struct {
	n      int // rows that were looked at
	hits   []uuid.UUID
	last   uuid.UUID // the last of the rows
	rarest int       // the typed word that fewest of them have
	common bool      // even that one is common
}

// searches tells whether anything was typed.
func (f *finder) searches() bool { return len(f.q.Words()) > 0 || f.or != "" }

// matches is the condition that a walked row is found.
func (f *finder) matches() (string, []any) {
	condition, args := f.words(f.q.All())
	if f.or != "" {
		condition, args = "("+condition+" OR "+f.or+")", slices.Concat(args, f.orArgs)
	}
	if f.walk.fits != "" {
		condition, args = condition+" AND "+f.walk.fits, slices.Concat(args, f.walk.fitArgs)
	}
	return "(" + condition + ") IS TRUE", args
}

// find gives the ids of one page of a search, at most ask.Fetch of them in the order of
// the walk, and the record at which it ended before the page was full; the zero id where
// it did not.
func (s *Store) find(ctx context.Context, f *finder, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
	near, err := s.lookNear(ctx, f, ask)
	if err != nil || near.n < nearRows || len(near.hits) >= ask.Fetch() {
		return upTo(near.hits, ask), uuid.Nil, err
	}
	rest, arms := ask, f.arms
	if rest.From = near.last; near.common {
		arms = []arm{s.byWalk(f)}
	}
	all, ended := near.hits, uuid.Nil
	for _, look := range arms {
		ids, reached, err := look(ctx, near, rest)
		if err != nil {
			return nil, uuid.Nil, err
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

// foundAll gives all that a search finds; nil where that is more than is counted.
func (s *Store) foundAll(ctx context.Context, f *finder) ([]uuid.UUID, error) {
	ids, reached, err := s.find(ctx, f, paging.Ask{Limit: searchCount})
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
func (s *Store) lookNear(ctx context.Context, f *finder, ask paging.Ask) (near nearby, err error) {
	direction, beside, from := database.BesideID(f.walk.id(), ask)
	matches, args := f.matches()
	columns, seen := f.walk.id()+" AS id, "+matches+" AS hit", []string(nil)
	for n, word := range f.q.Words() {
		condition, more := f.words(word)
		columns, args = columns+fmt.Sprintf(", (%s) IS TRUE AS w%d", condition, n), append(args, more...)
		seen = append(seen, fmt.Sprintf("count(*) FILTER (WHERE w%d)", n))
	}
	query := fmt.Sprintf(`SELECT count(*), coalesce(array_agg(id) FILTER (WHERE hit), '{}'), (array_agg(id))[count(*)::int], ARRAY[%s]::bigint[]
		FROM (SELECT %s FROM %s WHERE %s%s ORDER BY %s %s LIMIT %d) AS near`, strings.Join(seen, ", "), columns, f.walk.source(ask),
		f.walk.where, beside, f.walk.id(), direction, nearRows)
	query, args = s.Statement(query, slices.Concat(args, f.walk.args, from)...)
	var last *uuid.UUID
	var weights []int
	err = s.Pool.QueryRow(ctx, query, database.Native(args)...).Scan(&near.n, &near.hits, &last, &weights)
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
}

// byWalk meets what is common on the way.
func (s *Store) byWalk(f *finder) arm {
	return func(ctx context.Context, _ nearby, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
		matches, args := f.matches()
		w := f.walk
		w.columns, w.args = w.id()+" AS id, "+matches+" AS hit", slices.Concat(args, w.args)
		w.fits, w.fitArgs = "hit", nil
		query, args := w.statement(ask, false)
		ids, err := s.ids(ctx, s.Pool, query, args...)
		if err != nil {
			return nil, uuid.Nil, err
		}
		w = f.walk
		w.fits = "hit"
		reached, err := s.walkedTo(ctx, &w, ask, len(ids))
		return ids, reached, err
	}
}

// vector is how words are found in a column.
func vector(column string) func(string) (string, []any) {
	return func(query string) (string, []any) { return column + " @@ ?::tsquery", []any{query} }
}

// byWords looks the rarest word up in the index of a table, from step to step of time.
// The steps grow while little is found. where narrows the rows, which stand in the walk
// by their own ids.
func (s *Store) byWords(f *finder, from, alias, where string, args ...any) arm {
	return func(ctx context.Context, near nearby, ask paging.Ask) (ids []uuid.UUID, reached uuid.UUID, err error) {
		end, err := s.endOf(ctx, &f.walk, ask)
		if err != nil || end == uuid.Nil {
			return nil, uuid.Nil, err
		}
		err = s.withoutScans(ctx, func(on queries) error {
			at, last, forward := database.Step(ask.From), database.Step(end), -1
			if ask.Newer {
				forward = 1
			}
			for width, left := 1, mostSteps; ; width = min(2*width, widest) {
				to := at + forward*(width-1)
				if (to-last)*forward >= 0 {
					to = last
				}
				found, err := s.lookUp(ctx, on, f, near.rarest, min(at, to), max(at, to), ask, from, alias, where, args)
				if err != nil {
					return err
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
		return ids, reached, err
	}
}

// lookUp finds what is in a part of time.
func (s *Store) lookUp(ctx context.Context, on queries, f *finder, word, first, last int, ask paging.Ask,
	from, alias, where string, args []any) ([]uuid.UUID, error) {
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	query := fmt.Sprintf(`WITH found AS MATERIALIZED (SELECT %[1]s.id FROM %[2]s WHERE %[3]s
			AND search_key(%[1]s.merchant_id, %[1]s.id, %[1]s.search) @@ ?::tsquery AND (%[1]s.search @@ ?::tsquery) IS TRUE
			AND (%[1]s.id %[4]s ?) IS TRUE)
		SELECT id FROM found ORDER BY id %[5]s LIMIT %[6]d`, alias, from, where, compare, direction, ask.Fetch())
	return s.ids(ctx, on, query, slices.Concat(args, []any{f.q.Keys(word, first, last), f.q.All(), ask.From})...)
}

// byClients looks up the records of the clients that the words find. each finds those of
// one client, who is called k.
func (s *Store) byClients(f *finder, merchantID uuid.UUID, each string, args ...any) arm {
	return func(ctx context.Context, near nearby, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
		everybody := &walk{from: "clients"} // deleted ones too: their records stay
		everybody.and("merchant_id = ?", merchantID)
		clients, reached, err := s.find(ctx, s.clientFinder(f.q, everybody), paging.Ask{Limit: fewClients})
		if err != nil {
			return nil, uuid.Nil, err
		}
		if reached != uuid.Nil || len(clients) > fewClients {
			return s.byWalk(f)(ctx, near, ask)
		}
		direction, beside, from := database.BesideID("id", ask)
		order := fmt.Sprintf(" ORDER BY id %s LIMIT %d", direction, ask.Fetch())
		ids, err := s.ids(ctx, s.Pool, "SELECT found.id FROM unnest(?::uuid[]) AS k (client), LATERAL (SELECT id FROM "+each+beside+
			order+") AS found"+order, slices.Concat([]any{idsText(clients)}, args, from)...)
		return ids, uuid.Nil, err
	}
}

// endOf is the last record on the side of a place; the zero id where there is none.
func (s *Store) endOf(ctx context.Context, w *walk, ask paging.Ask) (uuid.UUID, error) {
	_, beside, from := database.BesideID(w.id(), ask)
	back := paging.Ask{Newer: !ask.Newer}
	direction, _, _ := database.BesideID(w.id(), back)
	ids, err := s.ids(ctx, s.Pool, fmt.Sprintf("SELECT %s FROM %s WHERE %s%s ORDER BY %s %s LIMIT 1", w.id(), w.source(back),
		w.where, beside, w.id(), direction), slices.Concat(w.args, from)...)
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// queries runs what is asked.
type queries interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// ids reads the first column, and no more, of what a query finds whose values stand
// where it says ?.
func (s *Store) ids(ctx context.Context, on queries, query string, args ...any) ([]uuid.UUID, error) {
	query, args = s.Statement(query, args...)
	rows, err := on.Query(ctx, query, database.Native(args)...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
		values := make([]any, len(row.FieldDescriptions()))
		values[0] = &id
		return id, row.Scan(values...)
	})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// withoutScans keeps PostgreSQL from reading a whole table because it takes a word for
// a common one: here the words are rare.
func (s *Store) withoutScans(ctx context.Context, do func(queries) error) error {
	if database.TxOf(ctx) != nil {
		return do(s.Pool)
	}
	err := s.Pool.Reading(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		return do(tx)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("look words up: %w", err)
	}
	return err
}
