package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/schema"

	"debitdesk/models/fault"
)

// selection is how one kind of row is read, worked out once from its GORM model.
type selection struct {
	sql    string // up to and with WHERE
	fields [][]int
}

var selections sync.Map // reflect.Type → *selection

func selectionOf[T any](namer schema.Namer) (*selection, error) {
	kind := reflect.TypeFor[T]()
	if known, ok := selections.Load(kind); ok {
		return known.(*selection), nil
	}
	model, err := schema.Parse(new(T), &models, namer)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", kind, err)
	}
	sel := &selection{}
	var columns []string
	for _, f := range model.Fields {
		if f.DBName != "" && f.Readable {
			columns = append(columns, `"`+f.DBName+`"`)
			sel.fields = append(sel.fields, f.StructField.Index)
		}
	}
	sel.sql = fmt.Sprintf(`SELECT %s FROM "%s" WHERE `, strings.Join(columns, ","), model.Table)
	selections.Store(kind, sel)
	return sel, nil
}

// take reads the one row that a condition finds; fault.Missing when there is
// none. The rows that every call of the API reads come this way: GORM would
// build the same statement anew each time.
func take[T any](ctx context.Context, s *Store, condition string, args ...any) (row T, err error) {
	sel, err := selectionOf[T](s.db.NamingStrategy)
	if err != nil {
		return row, err
	}
	err = s.Pool.QueryRow(ctx, sel.sql+condition, native(args)...).Scan(sel.into(&row)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, fault.Missing()
	}
	return row, err
}

// takeAll reads the rows that a condition finds, as take does.
func takeAll[T any](ctx context.Context, s *Store, condition string, args ...any) ([]T, error) {
	sel, err := selectionOf[T](s.db.NamingStrategy)
	if err != nil {
		return nil, err
	}
	rows, err := s.Pool.Query(ctx, sel.sql+condition, native(args)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(found pgx.CollectableRow) (row T, err error) {
		return row, found.Scan(sel.into(&row)...)
	})
}

// into are the places of a row that the columns of a selection are read into.
func (sel *selection) into(row any) []any {
	value := reflect.ValueOf(row).Elem()
	into := make([]any, len(sel.fields))
	for i, index := range sel.fields {
		into[i] = value.FieldByIndex(index).Addr().Interface()
		if list, ok := into[i].(*textArray); ok {
			into[i] = (*[]string)(list)
		}
	}
	return into
}
