package database

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database/seal"
	"debitdesk/models/paging"
)

// Damage marks a record with sealed values that cannot be read.
type Damage = seal.Damage

// OrNull stores the zero value as NULL.
func OrNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// OrZero reads NULL as the zero value.
func OrZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// InstantOrNull stores the zero time as NULL.
func InstantOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return OrNull(Instant(t))
}

// NewID makes a UUIDv7 (RFC 9562) of the given moment: milliseconds, then the
// microsecond in 12 bits, then chance. A microsecond is at least four of those bits'
// steps, so that two more bits are left to chance: 64 in all from crypto/rand, since
// a client's link is the id of the purchase. Ids of different microseconds sort as
// those do. The library's own maker reads the machine's clock, which is not the
// product's.
func NewID(at time.Time) uuid.UUID {
	var id uuid.UUID
	_, _ = rand.Read(id[7:])        // never fails since Go 1.24
	milli := uint64(at.UnixMilli()) //nolint:gosec // the clock stands after 1970
	micro := at.Sub(at.Truncate(time.Millisecond)) / time.Microsecond
	sub := uint16(micro*4096/1000) + uint16(id[7]&3) //nolint:gosec // at most 4091 and 3
	binary.BigEndian.PutUint64(id[:8], milli<<16|0x7000|uint64(sub&0x0fff))
	id[8] = id[8]&0x3f | 0x80
	return id
}

// InOrder sorts ids, each once, without touching what was given: rows are locked in this order.
func InOrder(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// Bound is a condition that a column of ids has a value. For the planner the column is no constant then, and an order
// that begins with it is that of an index that begins with it. It would else take the index of the primary key where it
// has one plan for all merchants, and read the records of others to find those of a merchant that has few.
func Bound(column string) string { return BoundTo(column, "?") }

// BoundTo is Bound with a place of its own for the value.
func BoundTo(column, place string) string { return column + " = ANY(ARRAY[" + place + "]::uuid[])" }

// PageOf is a page of those records of a list whose column has a value; an index begins with that column.
func PageOf(list *gorm.DB, column string, value uuid.UUID, ask paging.Ask) *gorm.DB {
	direction, _, _ := BesideID("id", ask)
	return Page(list.Where(Bound(column), value).Order(column+" "+direction), ask)
}

// Page gives a list the order and the bounds of one page by its id column.
func Page(list *gorm.DB, ask paging.Ask) *gorm.DB {
	direction, beside, from := BesideID("id", ask)
	if len(from) > 0 {
		list = list.Where(strings.TrimPrefix(beside, " AND "), from...)
	}
	return list.Order("id " + direction).Limit(ask.Fetch())
}
