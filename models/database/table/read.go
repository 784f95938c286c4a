package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"debitdesk/models/database/seal"
)

// Collect reads all rows. Columns of the result are matched to fields by their names,
// and NULL is the zero value; a column that is no field is passed over.
func (t *Table[T]) Collect(box *seal.Box, rows pgx.Rows) ([]T, error) {
	defer rows.Close()
	var out []T
	var r *reading[T]
	for rows.Next() {
		if r == nil {
			r = t.reading(rows)
		}
		out = append(out, *new(T))
		if err := r.row(box, &out[len(out)-1], rows.RawValues()); err != nil {
			return nil, fmt.Errorf("read %s from %s: %w", t.nameOf(&out[len(out)-1]), t.Name, err)
		}
		if t.then != nil {
			t.then(&out[len(out)-1])
		}
	}
	return out, rows.Err()
}

// nameOf is the id of a record, for an error.
func (t *Table[T]) nameOf(record *T) string {
	if c := t.byName["id"]; c != nil {
		return fmt.Sprint(reflect.ValueOf(record).Elem().FieldByIndex(c.field.index).Interface())
	}
	return "a record"
}

// reading is how the columns of one result become records.
type reading[T any] struct {
	types   *pgtype.Map
	columns []resultColumn[T]
}

type resultColumn[T any] struct {
	*column[T] // nil: it is passed over
	oid        uint32
	format     int16
	plan       pgtype.ScanPlan
	quick      quick // nil: the value goes the long way
}

func (t *Table[T]) reading(rows pgx.Rows) *reading[T] {
	r := &reading[T]{types: rows.Conn().TypeMap()}
	for _, d := range rows.FieldDescriptions() {
		c := resultColumn[T]{column: t.byName[d.Name], oid: d.DataTypeOID, format: d.Format}
		if c.column != nil && c.field != nil {
			c.quick = c.field.quick(d.DataTypeOID, d.Format)
		}
		r.columns = append(r.columns, c)
	}
	return r
}

// row reads one row: what stands beside the fields comes after all of them.
func (r *reading[T]) row(box *seal.Box, record *T, raw [][]byte) error {
	value := reflect.ValueOf(record).Elem()
	for i := range r.columns {
		c := &r.columns[i]
		if c.column == nil || c.field == nil || raw[i] == nil {
			continue
		}
		if c.quick != nil && c.quick(value.FieldByIndex(c.field.index), raw[i]) {
			continue
		}
		if err := c.field.read(value, func(into any) error { return r.scan(c, raw[i], into) }); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	for i := range r.columns {
		c := &r.columns[i]
		if c.column == nil || c.Read == nil || raw[i] == nil {
			continue
		}
		var stored []byte
		err := r.scan(c, raw[i], &stored)
		if err == nil {
			err = c.Read(box, record, stored)
		}
		if marked, is := any(record).(seal.Marked); is && errors.Is(err, seal.ErrDamaged) {
			marked.Damaged(c.Name, stored)
			continue
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// scan reads a value in the way that was found for the first row.
func (r *reading[T]) scan(c *resultColumn[T], raw []byte, into any) error {
	if c.plan == nil {
		c.plan = r.types.PlanScan(c.oid, c.format, into)
	}
	return c.plan.Scan(raw, into)
}

// FromJSON reads a record that PostgreSQL wrote with to_jsonb. A column that it does
// not have, since it was written before there was one, keeps its zero value.
func (t *Table[T]) FromJSON(box *seal.Box, row []byte) (record T, err error) {
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(row, &stored); err != nil {
		return record, fmt.Errorf("read from %s: %w", t.Name, err)
	}
	value := reflect.ValueOf(&record).Elem()
	read := func(c *column[T], raw json.RawMessage) error {
		if c.field == nil {
			var text string
			if json.Unmarshal(raw, &text) == nil {
				raw = json.RawMessage(text)
			}
			return c.Read(box, &record, raw)
		}
		v := value.FieldByIndex(c.field.index)
		if c.field.kind == asJSON {
			return c.field.decode(v, raw)
		}
		return json.Unmarshal(raw, v.Addr().Interface())
	}
	for _, plainFirst := range []bool{true, false} {
		for _, c := range t.columns {
			raw, there := stored[c.Name]
			if !there || string(raw) == "null" || !c.selected || plainFirst != (c.field != nil) {
				continue
			}
			if err := read(c, raw); err != nil {
				return record, fmt.Errorf("read from %s, column %s: %w", t.Name, c.Name, err)
			}
		}
	}
	if t.then != nil {
		t.then(&record)
	}
	return record, nil
}
