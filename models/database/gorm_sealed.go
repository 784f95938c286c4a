package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/uuid"
	"gorm.io/gorm/schema"

	"debitdesk/models/database/seal"
)

// A field with "serializer:sealed" is bytes or text, or else goes as JSON, of a record with an id and a merchant. It is
// stored so that it opens in no other row, column or table, and at no other merchant. What is empty is NULL, or sealed
// all the same where the column must have something. A record that embeds Damage is read also when a value does not
// open, and keeps what is stored.
func init() { schema.RegisterSerializer("sealed", asSealed{}) }

type boxKey struct{}

// withBox is a context whose statements seal and open.
func withBox(ctx context.Context, box *seal.Box) context.Context {
	return context.WithValue(ctx, boxKey{}, box)
}

type asSealed struct{}

// Value implements schema.SerializerValuerInterface.
func (asSealed) Value(ctx context.Context, field *schema.Field, record reflect.Value, value any) (any, error) {
	if marked, is := addressOf(record).(seal.Marked); is {
		if stored := marked.Stored(field.DBName); stored != nil {
			return stored, nil
		}
	}
	content, err := contentOf(value)
	if err != nil {
		return nil, fmt.Errorf("seal %s of %s: %w", field.DBName, field.Schema.Table, err)
	}
	if len(content) == 0 && !field.NotNull {
		return nil, nil
	}
	box, at, err := placeOf(ctx, field, record)
	if err != nil {
		return nil, err
	}
	return box.SealBytes(at, content), nil
}

// Scan implements schema.SerializerInterface. The id and the merchant stand before what is sealed, in a table and so in
// each answer.
func (asSealed) Scan(ctx context.Context, field *schema.Field, record reflect.Value, stored any) error {
	sealed, _ := stored.([]byte)
	if sealed == nil {
		return nil
	}
	box, at, err := placeOf(ctx, field, record)
	if err != nil {
		return err
	}
	content, err := box.OpenBytes(at, sealed)
	if marked, is := addressOf(record).(seal.Marked); is && errors.Is(err, seal.ErrDamaged) {
		marked.Damaged(field.DBName, sealed)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s of %s: %w", field.DBName, field.Schema.Table, err)
	}
	into := field.ReflectValueOf(ctx, record)
	if !isBytes(into.Type()) {
		if len(content) == 0 {
			return nil
		}
		return json.Unmarshal(content, into.Addr().Interface())
	}
	into.Set(reflect.ValueOf(content).Convert(into.Type()))
	return nil
}

func isBytes(t reflect.Type) bool { return reflect.TypeFor[[]byte]().ConvertibleTo(t) }

// contentOf is what is sealed of a value.
func contentOf(value any) ([]byte, error) {
	if v := reflect.ValueOf(value); isBytes(v.Type()) {
		return v.Convert(reflect.TypeFor[[]byte]()).Bytes(), nil
	}
	text, err := json.Marshal(value)
	if string(text) == "null" {
		return nil, err
	}
	return text, err
}

func placeOf(ctx context.Context, field *schema.Field, record reflect.Value) (*seal.Box, seal.Place, error) {
	box, _ := ctx.Value(boxKey{}).(*seal.Box)
	of := func(column string) (id uuid.UUID) {
		if f := field.Schema.LookUpField(column); f != nil {
			id, _ = f.ReflectValueOf(ctx, record).Interface().(uuid.UUID)
		}
		return id
	}
	at := seal.PlaceOf(field.Schema.Table, field.DBName, of("merchant_id"), of("id"))
	if box == nil || at.Row == uuid.Nil.String() || at.Owner == uuid.Nil {
		return nil, at, fmt.Errorf("%s of %s has no place where it could be sealed", field.DBName, field.Schema.Table)
	}
	return box, at, nil
}

// addressOf is a pointer to a record; nil where there is none. One of a list comes as a pointer already.
func addressOf(record reflect.Value) any {
	switch {
	case record.Kind() == reflect.Pointer:
		return record.Interface()
	case record.CanAddr():
		return record.Addr().Interface()
	}
	return nil
}
