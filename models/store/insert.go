package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"gorm.io/gorm/schema"
)

// insertion is the INSERT of one kind of row, worked out once from its GORM model.
type insertion struct {
	sql    string
	table  string
	fields []*schema.Field
}

var (
	insertions sync.Map // reflect.Type → *insertion
	models     sync.Map // GORM's own cache of parsed models
	searchType = reflect.TypeFor[searchWords]()
)

// insertionOf gives the statement for a row. GORM would build the same text anew
// for every row.
func insertionOf(namer schema.Namer, row any) (*insertion, error) {
	kind := reflect.TypeOf(row)
	if known, ok := insertions.Load(kind); ok {
		return known.(*insertion), nil
	}
	model, err := schema.Parse(row, &models, namer)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", kind, err)
	}
	ins := &insertion{table: model.Table}
	var columns, places []string
	for _, f := range model.Fields {
		if f.DBName == "" || !f.Creatable {
			continue
		}
		ins.fields = append(ins.fields, f)
		place := fmt.Sprintf("$%d", len(ins.fields))
		if f.FieldType == searchType {
			place = "array_to_tsvector(" + place + ")"
		}
		columns, places = append(columns, `"`+f.DBName+`"`), append(places, place)
	}
	ins.sql = fmt.Sprintf(`INSERT INTO "%s" (%s) VALUES (%s)`, model.Table, strings.Join(columns, ","), strings.Join(places, ","))
	insertions.Store(kind, ins)
	return ins, nil
}

// args are the values of one row in the order of its columns.
func (i *insertion) args(ctx context.Context, row any) []any {
	value := reflect.ValueOf(row).Elem()
	args := make([]any, len(i.fields))
	for n, f := range i.fields {
		args[n], _ = f.ValueOf(ctx, value)
		if words, ok := args[n].(searchWords); ok {
			args[n] = textArray(words)
		}
	}
	return args
}
