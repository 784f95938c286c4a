// Package table keeps records of one type in one table of PostgreSQL. The columns
// are the fields of the type, as GORM reads its tags; statements are built once,
// when the program starts. It knows no concept of the product.
package table

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/schema"

	"debitdesk/models/database/seal"
)

// Table is how records of one type are written and read.
type Table[T any] struct {
	Name    string
	Insert  *Statement[T]
	Select  string // the beginning of a query, up to and with WHERE
	columns []*column[T]
	byName  map[string]*column[T]
	then    func(*T)
}

// Column is one that is no plain field of the type: it is worked out from the
// record, or sealed.
type Column[T any] struct {
	Name string
	Once bool // no change of the record writes it
	// Write gives what is stored.
	Write func(box *seal.Box, record *T) (any, error)
	// Read puts what is stored, as bytes, into a record that has its fields; nil: it
	// is only written.
	Read func(box *seal.Box, record *T, stored []byte) error
}

// secret is a value that no column may hold as it is.
type secret interface{ Reveal() string }

// column is a field of the type, or a Column beside the fields.
type column[T any] struct {
	Column[T]
	field    *field // nil: beside the fields
	inserted bool
	changed  bool
	selected bool // it stands in the table and is read
}

// New reads the type and its tags. A tag "->" is a field that is only read, and with
// "-:migration" one that a query reads from elsewhere; "<-:create" is written once,
// as are the id, the merchant and the moment of creation. The zero id, time and date
// are NULL unless the tag says "not null"; other zero values are NULL where it says
// "default:null".
func New[T any](name string, beside ...Column[T]) *Table[T] {
	t := parse(name, beside)
	t.Select = "SELECT " + t.Columns("") + " FROM " + name + " WHERE "
	t.Insert = t.Write(`INSERT INTO ` + name + ` (@columns) VALUES (@values)`)
	made = append(made, struct {
		name    string
		columns []string
	}{name, t.Stored()})
	return t
}

// made are the columns of the tables that New made when the program started.
var made []struct {
	name    string
	columns []string
}

// Made gives the columns that each table which New made must have, for the test that
// compares them with the schema.
func Made(see func(name string, columns []string)) {
	for _, t := range made {
		see(t.name, t.columns)
	}
}

// View reads records that queries put together from several tables.
func View[T any](beside ...Column[T]) *Table[T] { return parse(fmt.Sprintf("%T", *new(T)), beside) }

func parse[T any](name string, beside []Column[T]) *Table[T] {
	model, err := schema.Parse(new(T), &sync.Map{}, schema.NamingStrategy{})
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", name, err))
	}
	t := &Table[T]{Name: name, byName: map[string]*column[T]{}}
	for _, f := range model.Fields {
		if f.DBName == "" {
			continue
		}
		if slices.ContainsFunc(beside, func(b Column[T]) bool { return b.Name == f.DBName }) {
			continue // GORM reads it by its tag
		}
		if f.StructField.Type.Implements(reflect.TypeFor[secret]()) {
			panic(fmt.Sprintf("table %s: %s is a secret: give it the tag \"-\" and a Column that seals it", name, f.Name))
		}
		c := &column[T]{Column: Column[T]{Name: f.DBName}, field: fieldOf(f), inserted: f.Creatable, selected: f.Readable &&
			!f.IgnoreMigration}
		c.changed = f.Updatable && f.DBName != "id" && f.DBName != "merchant_id" && f.DBName != "created_at"
		t.add(c)
	}
	for _, b := range beside {
		t.add(&column[T]{Column: b, inserted: b.Write != nil, changed: b.Write != nil && !b.Once, selected: b.Read != nil})
	}
	return t
}

// Then is called with each record that was read.
func (t *Table[T]) Then(then func(*T)) *Table[T] {
	t.then = then
	return t
}

func (t *Table[T]) add(c *column[T]) {
	if t.byName[c.Name] != nil {
		panic(fmt.Sprintf("table %s: two fields for column %s", t.Name, c.Name))
	}
	t.columns = append(t.columns, c)
	t.byName[c.Name] = c
}

// Columns lists what is read of the table, without the columns that are named, for
// a SELECT from the alias; no alias is empty.
func (t *Table[T]) Columns(alias string, without ...string) string {
	if alias != "" {
		alias += "."
	}
	var names []string
	for _, c := range t.columns {
		if c.selected && !slices.Contains(without, c.Name) {
			names = append(names, alias+c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Stored names the columns that the table must have.
func (t *Table[T]) Stored() []string {
	var names []string
	for _, c := range t.columns {
		if c.inserted || c.selected {
			names = append(names, c.Name)
		}
	}
	return names
}

// value is what a column stores of a record.
func (c *column[T]) value(box *seal.Box, record *T) (any, error) {
	if c.Write != nil {
		if marked, is := any(record).(seal.Marked); is {
			if stored := marked.Stored(c.Name); stored != nil {
				return stored, nil
			}
		}
		return c.Write(box, record)
	}
	return c.field.write(reflect.ValueOf(record).Elem())
}

// Copy writes many records by COPY: all columns, or those that are named.
func (t *Table[T]) Copy(ctx context.Context, tx pgx.Tx, box *seal.Box, records []T, only ...string) error {
	return t.CopyTo(ctx, tx, box, t.Name, records, only...)
}

// CopyTo is Copy into another table of the same form.
func (t *Table[T]) CopyTo(ctx context.Context, tx pgx.Tx, box *seal.Box, name string, records []T,
	only ...string) error {
	if len(records) == 0 {
		return nil
	}
	var written []*column[T]
	var names []string
	for _, c := range t.columns {
		if c.inserted && (len(only) == 0 || slices.Contains(only, c.Name)) {
			written, names = append(written, c), append(names, c.Name)
		}
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{name}, names,
		pgx.CopyFromSlice(len(records), func(i int) (_ []any, err error) {
			values := make([]any, len(written))
			for n, c := range written {
				if values[n], err = c.value(box, &records[i]); err != nil {
					return nil, fmt.Errorf("column %s: %w", c.Name, err)
				}
			}
			return values, nil
		}))
	if err != nil {
		return fmt.Errorf("copy into %s: %w", t.Name, err)
	}
	return nil
}

// JSON is a column beside the fields that stores a part of the record as JSON. The
// zero value of the part is NULL where the column allows it.
func JSON[T, P any](name string, part func(*T) *P, nullable bool) Column[T] {
	return Column[T]{
		Name: name,
		Write: func(_ *seal.Box, record *T) (any, error) {
			p := part(record)
			if nullable && reflect.ValueOf(p).Elem().IsZero() {
				return nil, nil
			}
			text, err := json.Marshal(p)
			return string(text), err
		},
		Read: func(_ *seal.Box, record *T, stored []byte) error { return json.Unmarshal(stored, part(record)) },
	}
}
