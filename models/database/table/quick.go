package table

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// quick reads the plain form of a value as it came from the connection, without the library's plans, which take
// memory for each value; false for a value that is not of that form.
type quick func(into reflect.Value, raw []byte) bool

// quick is how the field reads values of a type of PostgreSQL; nil: the long way.
func (f *field) quick(oid uint32, format int16) quick {
	switch {
	case f.kind == text && (oid == pgtype.TextOID || oid == pgtype.VarcharOID):
		return readText // text is the same in both formats
	case format != pgx.BinaryFormatCode:
		return nil
	case f.kind == id && oid == pgtype.UUIDOID:
		return readID
	case f.kind == instant && oid == pgtype.TimestamptzOID:
		return readInstant
	}
	return nil
}

func readText(into reflect.Value, raw []byte) bool {
	into.SetString(string(raw))
	return true
}

func readID(into reflect.Value, raw []byte) bool {
	if len(raw) != 16 {
		return false
	}
	*into.Addr().Interface().(*uuid.UUID) = uuid.UUID(raw)
	return true
}

// year2000 is where PostgreSQL counts its microseconds from.
var year2000 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func readInstant(into reflect.Value, raw []byte) bool {
	if len(raw) != 8 {
		return false
	}
	micro := int64(binary.BigEndian.Uint64(raw))          //nolint:gosec // it is signed on the connection
	if micro == math.MaxInt64 || micro == math.MinInt64 { // infinity
		return false
	}
	*into.Addr().Interface().(*time.Time) = time.UnixMicro(year2000 + micro).UTC()
	return true
}
