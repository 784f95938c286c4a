package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// What one page of a sorted list costs at most, however long the list is.
const (
	nearSorted  = 500    // looked at first, along the index of the order
	mostSorted  = 10_000 // sorted in memory, where no index has the order
	mostInOrder = 10_000 // looked at along the index of the order
)

// Condition is a part of a WHERE with its values; the zero Condition lets everything by.
type Condition struct {
	SQL  string
	Args []any
}

// And adds a condition.
func (c *Condition) And(sql string, args ...any) {
	if c.SQL != "" {
		sql = c.SQL + " AND " + sql
	}
	c.SQL, c.Args = sql, slices.Concat(c.Args, args)
}

func (c Condition) orTrue() string { return cmp.Or(c.SQL, "true") }

// Order is an order by a value of the records; equal values stand in the order of the ids.
type Order struct {
	Value string // an expression that is never NULL
	Type  string // its type in PostgreSQL
	Index bool   // an index begins with the merchant and goes on with Value and the id
	Most  int    // records that are sorted at once where no index has the order; 0: 10 000
}

func (o Order) most() int { return cmp.Or(o.Most, mostSorted) }

// Sorted reads a list in an Order. No page reads more the longer the list is: either an index has the order, or few
// records are left to be sorted; otherwise the answer is paging.TooMany.
type Sorted struct {
	DB     *database.DB
	Order  Order
	From   string    // the table, with its joins
	ID     string    // the column of the id
	Of     Condition // the merchant, by which the index of the order begins
	Few    *Walk     // the way to what Narrow lets by, where one index does not lead there in one order
	Narrow Condition // what other indexes answer
	Many   bool      // Narrow is known to let more by than can be sorted at once
	Fits   Condition // what is looked at in each record
	Look   int       // records that one page looks at along the index of the order; 0: 10 000
	Alone  string    // From without what is joined, which Of and Narrow say nothing of; empty: nothing is joined
}

// sortedRow is a record as it stands in the order.
type sortedRow struct {
	id    uuid.UUID
	value string
}

// Page gives the ids of one page.
func (s *Sorted) Page(ctx context.Context, ask paging.Ask) (page paging.Page[uuid.UUID], err error) {
	if ask.From != uuid.Nil && ask.Value == "" {
		if ask.Value, err = s.valueOf(ctx, ask.From); err != nil {
			return page, err
		}
	}
	if s.Order.Index {
		near := nearSorted
		if s.Narrow.SQL == "" && s.Fits.SQL == "" {
			near = ask.Fetch()
		}
		seen, found, err := s.near(ctx, ask, near)
		if err != nil || seen < near || len(found) >= ask.Fetch() {
			return cut(ask, found, sortedRow{}), err
		}
	}
	if !s.Many {
		n, rows, err := s.sortFew(ctx, ask)
		if err != nil || n <= s.Order.most() {
			return cut(ask, rows, sortedRow{}), err
		}
	}
	if !s.Order.Index {
		return page, &paging.TooMany{Most: s.Order.most()}
	}
	return s.along(ctx, ask)
}

func cut(ask paging.Ask, rows []sortedRow, reached sortedRow) paging.Page[uuid.UUID] {
	ids, values := make([]uuid.UUID, len(rows)), make([]string, len(rows))
	for n, r := range rows {
		ids[n], values[n] = r.id, r.value
	}
	return paging.CutSorted(ask, ids, values, reached.id, reached.value)
}

// Search narrows the list to what a search finds.
func (s *Sorted) Search(ctx context.Context, f *Search) error {
	ids, err := FindAll(ctx, s.DB, f)
	switch {
	case err != nil:
		return err
	case ids != nil:
		s.Narrow.And(s.ID+" = ANY(?::uuid[])", database.IDs(ids))
	case !s.Order.Index:
		return &paging.TooMany{Most: searchCount}
	default:
		matches, args := f.matches()
		s.Many = true
		s.Narrow.And(matches, args...)
	}
	return nil
}

// valueOf is the value of a record by whose side a page lies.
func (s *Sorted) valueOf(ctx context.Context, id uuid.UUID) (value string, err error) {
	query := fmt.Sprintf("SELECT (%s)::text FROM %s WHERE %s AND %s = ?", s.Order.Value, s.From, s.Of.orTrue(), s.ID)
	err = s.DB.Row(ctx, query, slices.Concat(s.Of.Args, []any{id})...).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", paging.ErrNoPlace
	}
	if err != nil {
		return "", fmt.Errorf("find the place of a page: %w", err)
	}
	return value, nil
}

// way is the direction of a page, and the condition that rows lie on its side of a place, by the names that their
// value and their id have.
func (s *Sorted) way(ask paging.Ask, value, id string) (order string, beside Condition) {
	direction, compare := "DESC", "<"
	if ask.Sort.Up != ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		beside.And(fmt.Sprintf("(%s, %s) %s (?::text::%s, ?)", value, id, compare, s.Order.Type), ask.Value, ask.From)
	}
	return fmt.Sprintf(" ORDER BY %s %s, %s %s", value, direction, id, direction), beside
}

// walked are the next records along the index, each with whether it is let by.
func (s *Sorted) walked(ask paging.Ask, most int) (query string, args []any) {
	order, beside := s.way(ask, s.Order.Value, s.ID)
	where := s.Of
	if beside.SQL != "" {
		where.And(beside.SQL, beside.Args...)
	}
	query = fmt.Sprintf(
		"SELECT %s AS id, %s AS v, (%s AND %s) IS TRUE AS hit FROM %s WHERE %s%s LIMIT %d",
		s.ID,
		s.Order.Value,
		s.Narrow.orTrue(),
		s.Fits.orTrue(),
		s.From,
		where.orTrue(),
		order,
		most,
	)
	return query, slices.Concat(s.Narrow.Args, s.Fits.Args, where.Args)
}

// near looks at the next records along the index.
func (s *Sorted) near(ctx context.Context, ask paging.Ask, most int) (seen int, rows []sortedRow, err error) {
	query, args := s.walked(ask, most)
	order, _ := s.way(ask, "v", "id")
	return s.counted(ctx, fmt.Sprintf(`WITH walked AS MATERIALIZED (%s),
		part AS MATERIALIZED (SELECT id, v FROM walked WHERE hit%s LIMIT %d)
		SELECT (SELECT count(*) FROM walked), ARRAY(SELECT id FROM part),
		ARRAY(SELECT v::text FROM part)`, query, order, ask.Fetch()),
		args)
}

// sortFew sorts what the indexed conditions let by, where that is little; n is how many records that is. Where these
// are all records of the merchant, they are counted first, and their values are read only where they are few.
func (s *Sorted) sortFew(ctx context.Context, ask paging.Ask) (n int, rows []sortedRow, err error) {
	most := s.Order.most()
	few, args := s.few(fmt.Sprintf("%s AS id, %s AS v, (%s) IS TRUE AS hit", s.ID, s.Order.Value, s.Fits.orTrue()), most+1)
	args = slices.Concat(s.Fits.Args, args)
	begin := fmt.Sprintf("WITH few AS MATERIALIZED (%s), there AS MATERIALIZED (SELECT count(*) AS n FROM few)", few)
	if s.Narrow.SQL == "" {
		alone := *s
		alone.From = cmp.Or(s.Alone, s.From)
		all, more := alone.few("1", most+1)
		begin = fmt.Sprintf(`WITH there AS MATERIALIZED (SELECT count(*) AS n FROM (%s) AS every),
			few AS MATERIALIZED (SELECT * FROM (%s) AS few WHERE (SELECT n FROM there) <= %d)`, all, few, most)
		args = slices.Concat(more, args)
	}
	order, beside := s.way(ask, "v", "id")
	return s.counted(
		ctx,
		fmt.Sprintf(`%s, part AS MATERIALIZED (SELECT id, v FROM few WHERE hit AND %s%s LIMIT %d)
		SELECT (SELECT n FROM there), ARRAY(SELECT id FROM part), ARRAY(SELECT v::text FROM part)`, begin,
			beside.orTrue(), order, ask.Fetch()),
		slices.Concat(args, beside.Args),
	)
}

// few reads some of what the indexed conditions let by, by an index that begins with the merchant.
func (s *Sorted) few(columns string, most int) (query string, args []any) {
	if s.Few != nil {
		return fmt.Sprintf("SELECT %s FROM %s WHERE %s LIMIT %d", columns, s.Few.bound(s.Few.Source(paging.Ask{}, most)),
			s.Few.bound(s.Few.Where), most), s.Few.Values(paging.Ask{})
	}
	where := s.Of
	if s.Narrow.SQL != "" {
		where.And(s.Narrow.SQL, s.Narrow.Args...)
	}
	w := Walk{Key: s.ID, Where: where.orTrue()}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d", columns, s.From, w.bound(w.Where), w.by(s.ID),
		most), where.Args
}

func (s *Sorted) counted(ctx context.Context, query string, args []any) (n int, rows []sortedRow, err error) {
	var ids []uuid.UUID
	var values []string
	if err := s.DB.Row(ctx, query, args...).Scan(&n, &ids, &values); err != nil {
		return 0, nil, fmt.Errorf("sort: %w", err)
	}
	for i, id := range ids {
		rows = append(rows, sortedRow{id, values[i]})
	}
	return n, rows, nil
}

// along goes along the index until a page is full, and says how far it came.
func (s *Sorted) along(ctx context.Context, ask paging.Ask) (page paging.Page[uuid.UUID], err error) {
	look := cmp.Or(s.Look, mostInOrder)
	inner, args := s.walked(ask, look)
	order, _ := s.way(ask, "v", "id")
	rows, err := s.rows(
		ctx,
		fmt.Sprintf("SELECT id, v::text AS value FROM (%s) AS walked WHERE hit%s LIMIT %d", inner, order, ask.Fetch()),
		args,
	)
	if err != nil || len(rows) >= ask.Fetch() {
		return cut(ask, rows, sortedRow{}), err
	}
	order, beside := s.way(ask, s.Order.Value, s.ID)
	where := s.Of
	if beside.SQL != "" {
		where.And(beside.SQL, beside.Args...)
	}
	last, err := s.rows(
		ctx,
		fmt.Sprintf("SELECT %s, (%s)::text AS value FROM %s WHERE %s%s OFFSET %d LIMIT 1", s.ID, s.Order.Value, s.From,
			where.orTrue(), order, look-1),
		where.Args,
	)
	if err != nil || len(last) == 0 {
		return cut(ask, rows, sortedRow{}), err
	}
	return cut(ask, rows, last[0]), nil
}

func (s *Sorted) rows(ctx context.Context, query string, args []any) (rows []sortedRow, err error) {
	var r sortedRow
	err = s.DB.Each(ctx, []any{&r.id, &r.value}, func() error { rows = append(rows, r); return nil }, query, args...)
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	return rows, nil
}

// Arranged puts records in the order of a page of their ids. One that has gone meanwhile is left out.
func Arranged[T any](page paging.Page[uuid.UUID], records []T, id func(T) uuid.UUID) paging.Page[T] {
	at := make(map[uuid.UUID]int, len(records))
	for n, r := range records {
		at[id(r)] = n
	}
	return paging.Pick(page, func(wanted uuid.UUID) (record T, ok bool) {
		n, ok := at[wanted]
		if ok {
			record = records[n]
		}
		return record, ok
	})
}
