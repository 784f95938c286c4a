package table

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Many is a statement about many records at once. What it says about each is what the
// statement about one record says: there is one rule for both.
type Many struct {
	Table   string // that it changes or adds to
	one     string
	id      int      // the place of the id of the record, from 1; 0: there is none
	into    string   // the table of a plain INSERT, which COPY can do; empty: it is another statement
	columns []string // of that INSERT
	built   atomic.Pointer[setForm]
	rows    [MostRows + 1]atomic.Pointer[string]
}

// MostRows is how many new rows one INSERT adds at most.
const MostRows = 16

// setForm is a statement whose values are lists, one for each place.
type setForm struct {
	sql   string
	lists []uint32 // the type of a place that is a list itself; 0: it is none
}

var (
	plainInsert = regexp.MustCompile(`^INSERT INTO (\w+) \(([\w, ]+)\) VALUES \(([$\d, ]+)\)$`)
	written     = regexp.MustCompile(`^(?:INSERT INTO|UPDATE) (\w+)\s`)
	numbered    = regexp.MustCompile(`\$(\d+)`)
	where       = regexp.MustCompile(`\sWHERE\s`)
)

func newMany(one string, id int) *Many {
	m := &Many{one: one, id: id}
	if found := written.FindStringSubmatch(one); found != nil {
		m.Table = found[1]
	}
	if found := plainInsert.FindStringSubmatch(one); found != nil {
		columns := strings.Split(found[2], ", ")
		inOrder := make([]string, len(columns))
		for i := range inOrder {
			inOrder[i] = fmt.Sprintf("$%d", i+1)
		}
		if found[3] == strings.Join(inOrder, ", ") {
			m.into, m.columns = found[1], columns
		}
	}
	return m
}

// ID is the id of the record among the values of the statement about it.
func (m *Many) ID(args []any) (uuid.UUID, bool) {
	if m.id == 0 {
		return uuid.Nil, false
	}
	id, ok := args[m.id-1].(pgtype.UUID)
	return id.Bytes, ok && id.Valid
}

// Copies tells whether COPY can do the statement.
func (m *Many) Copies() bool { return m.into != "" }

// Copy writes new records by COPY; rows are the values of the INSERT of each.
func (m *Many) Copy(ctx context.Context, conn *pgx.Conn, rows [][]any) error {
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{m.into}, m.columns, pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("copy into %s: %w", m.into, err)
	}
	return nil
}

// Rows is the INSERT of so many records; its values are those of the INSERT of each, one after the other.
func (m *Many) Rows(n int) string {
	if known := m.rows[n].Load(); known != nil {
		return *known
	}
	var sql strings.Builder
	sql.WriteString("INSERT INTO " + m.into + " (" + strings.Join(m.columns, ", ") + ") VALUES ")
	for place := range n * len(m.columns) {
		switch {
		case place == 0:
			sql.WriteByte('(')
		case place%len(m.columns) == 0:
			sql.WriteString("), (")
		default:
			sql.WriteString(", ")
		}
		fmt.Fprintf(&sql, "$%d", place+1)
	}
	sql.WriteByte(')')
	text := sql.String()
	m.rows[n].Store(&text)
	return text
}

// ExpectRows is a change of many records, with so many values, that ends the transaction unless it finds as many as the
// one value more says.
func ExpectRows(sql string, values int) string {
	return fmt.Sprintf("WITH moved AS (%s RETURNING 1) SELECT must_be_one((SELECT (count(*) = $%d)::int FROM moved))", sql,
		values+1)
}

// Statement gives an UPDATE of many records; rows are the values of the UPDATE of each.
// The types of the values are those that PostgreSQL finds for the statement about one.
func (m *Many) Statement(ctx context.Context, conn *pgx.Conn, rows [][]any) (sql string, args []any, err error) {
	form := m.built.Load()
	if form == nil {
		if form, err = m.build(ctx, conn); err != nil {
			return "", nil, err
		}
		m.built.Store(form)
	}
	args = make([]any, len(form.lists))
	for place, list := range form.lists {
		values := make([]any, len(rows))
		for n, row := range rows {
			if values[n] = row[place]; list != 0 && row[place] != nil {
				text, err := conn.TypeMap().Encode(list, pgtype.TextFormatCode, row[place], nil)
				if err != nil {
					return "", nil, fmt.Errorf("write a list: %w", err)
				}
				values[n] = string(text)
			}
		}
		args[place] = values
	}
	return form.sql, args, nil
}

// build turns the places of the statement about one record into columns of a set of
// values. A place that is a list travels as text, since unnest would take it apart.
func (m *Many) build(ctx context.Context, conn *pgx.Conn) (*setForm, error) {
	of, err := conn.PgConn().Prepare(ctx, "", m.one, nil)
	if err != nil {
		return nil, fmt.Errorf("find the types of %q: %w", m.one, err)
	}
	parts := where.Split(m.one, -1)
	if len(parts) != 2 {
		return nil, fmt.Errorf("%q does not change one record", m.one)
	}
	form := &setForm{lists: make([]uint32, len(of.ParamOIDs))}
	sets, names, columns := make([]string, len(of.ParamOIDs)), make([]string, len(of.ParamOIDs)), map[string]string{}
	for i, oid := range of.ParamOIDs {
		known, ok := conn.TypeMap().TypeForOID(oid)
		if !ok {
			return nil, fmt.Errorf("value %d of %q has an unknown type", i+1, m.one)
		}
		name, column := known.Name, fmt.Sprintf("v.p%d", i+1)
		if _, list := known.Codec.(*pgtype.ArrayCodec); list {
			form.lists[i], column = oid, column+"::"+strings.TrimPrefix(name, "_")+"[]"
			name = "text"
		}
		sets[i], names[i] = fmt.Sprintf("$%d::%s[]", i+1, name), fmt.Sprintf("p%d", i+1)
		columns[fmt.Sprintf("$%d", i+1)] = column
	}
	column := func(place string) string { return columns[place] }
	form.sql = numbered.ReplaceAllStringFunc(parts[0], column) + " FROM unnest(" + strings.Join(sets, ", ") + ") AS v (" +
		strings.Join(names, ", ") + ") WHERE " + numbered.ReplaceAllStringFunc(parts[1], column)
	return form, nil
}
