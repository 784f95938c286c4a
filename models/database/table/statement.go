package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"debitdesk/models/database/seal"
)

// Statement writes a record. Its places are numbered once, when the program starts.
type Statement[T any] struct {
	SQL string
	// One is the same statement, which ends the transaction unless it finds one row.
	One string
	// Many is the same statement about many records.
	Many   *Many
	places []place[T]
	more   int // values that do not come from the record
}

// place is a numbered place: a column, or one of the values given beside the record.
type place[T any] struct {
	column *column[T]
	more   int // which of the values; -1: it is a column
}

var named = regexp.MustCompile(`@(\w+)(\([^()]*\))?`)

// Write builds a statement. In it @name is the value of that column of the record,
// or one of those that are named: such values are given beside the record, in the
// order of their names. @set is "a = @a, b = @b" for all columns that may change, @set(a, b) for
// those, and @others(a, b) for all that may change but those; @columns and @values are what an INSERT needs.
func (t *Table[T]) Write(sql string, beside ...string) *Statement[T] {
	s := &Statement[T]{more: len(beside)}
	at := map[string]int{}
	place := func(name string) string {
		if _, known := at[name]; !known {
			p := place[T]{more: slices.Index(beside, name)}
			if p.more < 0 {
				p.column = t.columnOf(name)
			}
			s.places = append(s.places, p)
			at[name] = len(s.places)
		}
		return fmt.Sprintf("$%d", at[name])
	}
	list := func(which func(*column[T]) bool, form func(name string) string) string {
		var parts []string
		for _, c := range t.columns {
			if which(c) {
				parts = append(parts, form(c.Name))
			}
		}
		return strings.Join(parts, ", ")
	}
	set := func(name string) string { return name + " = " + place(name) }
	s.SQL = named.ReplaceAllStringFunc(sql, func(found string) string {
		name, only, given := strings.Cut(strings.TrimSuffix(found[1:], ")"), "(")
		switch {
		case (name == "set" || name == "others") && given:
			chosen := strings.Fields(strings.ReplaceAll(only, ",", " "))
			for _, c := range chosen {
				t.columnOf(c)
			}
			return list(func(c *column[T]) bool {
				is := slices.Contains(chosen, c.Name)
				return name == "set" && is || name == "others" && c.changed && !is
			}, set)
		case name == "set":
			return list(func(c *column[T]) bool { return c.changed }, set)
		case name == "columns":
			return list(func(c *column[T]) bool { return c.inserted }, func(name string) string { return name })
		case name == "values":
			return list(func(c *column[T]) bool { return c.inserted }, place)
		}
		return place(name) + strings.TrimPrefix(found, "@"+name)
	})
	s.Many = newMany(s.SQL, at["id"])
	s.One = "WITH moved AS (" + s.SQL + " RETURNING 1) SELECT must_be_one((SELECT count(*) FROM moved))"
	return s
}

func (t *Table[T]) columnOf(name string) *column[T] {
	c := t.byName[name]
	if c == nil || !c.inserted && !c.selected {
		panic(fmt.Sprintf("table %s has no column %s", t.Name, name))
	}
	return c
}

// Args are the values of the statement for one record.
func (s *Statement[T]) Args(box *seal.Box, record *T, more ...any) ([]any, error) {
	if len(more) != s.more {
		return nil, fmt.Errorf("%d values are given to %q", len(more), s.SQL)
	}
	args := make([]any, len(s.places))
	for i, p := range s.places {
		if p.column == nil {
			args[i] = more[p.more]
			continue
		}
		v, err := p.column.value(box, record)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", p.column.Name, err)
		}
		args[i] = v
	}
	return args, nil
}
