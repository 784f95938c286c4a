package store

import (
	"crypto/rand"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/paging"
	"debitdesk/models/store/seal"
)

// orNull stores the zero value as NULL.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// orZero reads NULL as the zero value.
func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// utc reads NULL as the zero time, and any other in UTC.
func utc(p *time.Time) time.Time { return orZero(p).UTC() }

// instantOrNull stores the zero time as NULL.
func instantOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return orNull(Instant(t))
}

// newID makes a UUIDv7 (RFC 9562) of the given moment: milliseconds, then the
// microsecond in 12 bits, then chance. A microsecond is at least four of those bits'
// steps, so that two more bits are left to chance: 64 in all from crypto/rand, since
// a payer's link is the id of the purchase. Ids of different microseconds sort as
// those do. The library's own maker reads the machine's clock, which is not the
// product's.
func newID(at time.Time) uuid.UUID {
	var id uuid.UUID
	_, _ = rand.Read(id[7:])        // never fails since Go 1.24
	milli := uint64(at.UnixMilli()) //nolint:gosec // the clock stands after 1970
	micro := at.Sub(at.Truncate(time.Millisecond)) / time.Microsecond
	sub := uint16(micro*4096/1000) + uint16(id[7]&3) //nolint:gosec // at most 4091 and 3
	binary.BigEndian.PutUint64(id[:8], milli<<16|0x7000|uint64(sub&0x0fff))
	id[8] = id[8]&0x3f | 0x80
	return id
}

// beside gives a list the order and the bounds of one page by its id column.
func beside(list *gorm.DB, ask paging.Ask) *gorm.DB {
	switch {
	case ask.From == uuid.Nil:
		list = list.Order("id DESC")
	case ask.Newer:
		list = list.Where("id > ?", ask.From).Order("id ASC")
	default:
		list = list.Where("id < ?", ask.From).Order("id DESC")
	}
	return list.Limit(ask.Fetch())
}

// The places of sealed values, as the rotation of keys finds them by sealedColumns.

func placeOf(table, column string, owner, row uuid.UUID) seal.Place {
	return seal.Place{Owner: owner, Table: table, Column: column, Row: row.String()}
}

// cellsAt is the place of the cells of one row of a batch.
func cellsAt(merchantID, batchID uuid.UUID, n int) seal.Place {
	return seal.Place{Owner: merchantID, Table: "batch_rows", Column: "cells", Row: batchID.String() + "/" +
		strconv.Itoa(n)}
}

// accountAt is the place of the account number of a token.
func accountAt(merchantID, tokenID uuid.UUID) seal.Place {
	return placeOf("tokens", "account_sealed", merchantID, tokenID)
}

// answerAt is the place of the answer that an Idempotency-Key keeps.
func answerAt(merchantID string, isTest bool, key string) seal.Place {
	owner, _ := uuid.Parse(merchantID)
	return seal.Place{Owner: owner, Table: "idempotency_keys", Column: "body", Row: strconv.FormatBool(isTest) + "/" + key}
}
