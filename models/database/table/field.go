package table

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/gorm/schema"
)

// field is how one field of a record is stored.
type field struct {
	index    []int
	kind     kind
	notNull  bool
	zeroNull bool // of kinds whose zero value is no NULL by itself
}

type kind int

const (
	plain kind = iota
	id
	instant
	text
	texts
	octets
	asJSON
)

func fieldOf(f *schema.Field) *field {
	return &field{index: f.StructField.Index, kind: kindOf(f), notNull: f.NotNull, zeroNull: f.DefaultValue == "null"}
}

func kindOf(f *schema.Field) kind {
	of := f.StructField.Type
	switch {
	case f.TagSettings["SERIALIZER"] == "json":
		return asJSON
	case of == reflect.TypeFor[uuid.UUID]():
		return id
	case of == reflect.TypeFor[time.Time]():
		return instant
	case of.Kind() == reflect.String:
		return text
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.String:
		return texts
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Uint8:
		return octets
	}
	return plain
}

// write gives a field in the form that travels to PostgreSQL, by COPY too. Instants
// are UTC in whole microseconds.
func (f *field) write(record reflect.Value) (any, error) {
	v := record.FieldByIndex(f.index)
	zero := v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 && f.zeroNull
	if zero && f.zeroNull {
		return nil, nil
	}
	switch f.kind {
	case id:
		if zero && !f.notNull {
			return nil, nil
		}
		return pgtype.UUID{Bytes: v.Interface().(uuid.UUID), Valid: true}, nil
	case instant:
		if zero && !f.notNull {
			return nil, nil
		}
		return v.Interface().(time.Time).UTC().Truncate(time.Microsecond), nil
	case text:
		return v.String(), nil
	case texts:
		list := make([]string, v.Len())
		for i := range list {
			list[i] = v.Index(i).String()
		}
		return list, nil
	case octets:
		if v.IsNil() && f.notNull {
			return []byte{}, nil
		}
		return v.Bytes(), nil
	case asJSON:
		return f.encoded(v)
	case plain:
	}
	return v.Interface(), nil
}

// encoded is a field as JSON. What is missing is NULL, or empty where the column
// must have something.
func (f *field) encoded(v reflect.Value) (any, error) {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		if v.IsNil() && !f.notNull {
			return nil, nil
		}
		if v.IsNil() && v.Kind() == reflect.Slice {
			return "[]", nil
		}
		if v.IsNil() {
			return "{}", nil
		}
	default:
	}
	b, err := json.Marshal(v.Interface())
	return string(b), err
}

// read puts a value that is not NULL into its field; scan puts it into what it is given.
func (f *field) read(record reflect.Value, scan func(into any) error) error {
	v := record.FieldByIndex(f.index)
	into := v.Addr()
	switch f.kind {
	case id:
		return scan((*[16]byte)(into.Interface().(*uuid.UUID)))
	case instant:
		at := into.Interface().(*time.Time)
		err := scan(at)
		*at = at.UTC()
		return err
	case text:
		return scan(into.Convert(reflect.TypeFor[*string]()).Interface())
	case texts:
		var list []string
		if err := scan(&list); err != nil {
			return err
		}
		v.Set(textsOf(v.Type(), list))
		return nil
	case octets:
		return scan(into.Convert(reflect.TypeFor[*[]byte]()).Interface())
	case asJSON:
		var b []byte
		if err := scan(&b); err != nil {
			return err
		}
		return f.decode(v, b)
	case plain:
	}
	return scan(into.Interface())
}

// decode reads JSON into a field. An empty object is how a column that must have
// something stores a pointer to nothing.
func (f *field) decode(v reflect.Value, b []byte) error {
	if v.Kind() == reflect.Pointer && f.notNull && string(b) == "{}" {
		return nil
	}
	return json.Unmarshal(b, v.Addr().Interface())
}

func textsOf(of reflect.Type, list []string) reflect.Value {
	out := reflect.MakeSlice(of, len(list), len(list))
	for i, s := range list {
		out.Index(i).SetString(s)
	}
	return out
}
