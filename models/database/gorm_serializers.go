package database

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/gorm/schema"
)

// Fields that are neither text, numbers nor moments say by a tag how they are stored: "serializer:json" and, for a list
// of texts, "type:text[];serializer:texts".
func init() {
	schema.RegisterSerializer("json", asJSON{})
	schema.RegisterSerializer("texts", asTexts{})
}

// asJSON is GORM's own, but that a column that must have something gets an empty list or object.
type asJSON struct{ schema.JSONSerializer }

// Value implements schema.SerializerValuerInterface.
func (a asJSON) Value(ctx context.Context, field *schema.Field, record reflect.Value, value any) (any, error) {
	stored, err := a.JSONSerializer.Value(ctx, field, record, value)
	if err == nil && field.NotNull && (stored == nil || stored == "") { // which is no JSON
		if stored = "{}"; field.IndirectFieldType.Kind() == reflect.Slice {
			stored = "[]"
		}
	}
	return stored, err
}

// Scan implements schema.SerializerInterface. An empty object is how a column that must have something stores a pointer
// to nothing.
func (a asJSON) Scan(ctx context.Context, field *schema.Field, record reflect.Value, stored any) error {
	if field.NotNull && field.FieldType.Kind() == reflect.Pointer {
		switch s := stored.(type) {
		case string:
			stored = strings.TrimSpace(s)
		case []byte:
			stored = string(bytes.TrimSpace(s))
		}
		if stored == "{}" {
			stored = nil
		}
	}
	return a.JSONSerializer.Scan(ctx, field, record, stored)
}

// asTexts keeps a list of texts, of whatever named type, in an array of PostgreSQL.
type asTexts struct{}

// Value implements schema.SerializerValuerInterface.
func (asTexts) Value(_ context.Context, field *schema.Field, _ reflect.Value, value any) (any, error) {
	list := reflect.ValueOf(value)
	if list.Kind() == reflect.Slice && list.Len() == 0 && field.DefaultValue == "null" {
		return nil, nil
	}
	texts := make([]string, list.Len())
	for i := range texts {
		texts[i] = list.Index(i).String()
	}
	return texts, nil
}

// Scan implements schema.SerializerInterface. NULL is an empty list. What is read together with others comes in binary.
func (asTexts) Scan(ctx context.Context, field *schema.Field, record reflect.Value, stored any) error {
	var texts []string
	var err error
	switch stored := stored.(type) {
	case nil:
	case []byte:
		err = pgtype.NewMap().Scan(pgtype.TextArrayOID, pgtype.BinaryFormatCode, stored, &texts)
	default:
		err = pgtype.NewMap().SQLScanner(&texts).Scan(stored)
	}
	if err != nil {
		return fmt.Errorf("read a list of texts: %w", err)
	}
	into := field.ReflectValueOf(ctx, record)
	list := reflect.MakeSlice(into.Type(), len(texts), len(texts))
	for i, text := range texts {
		list.Index(i).SetString(text)
	}
	if stored == nil {
		list = reflect.Zero(into.Type())
	}
	into.Set(list)
	return nil
}
