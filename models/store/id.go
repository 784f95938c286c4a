package store

import (
	"crypto/rand"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// newID makes a UUIDv7 (RFC 9562) of the given moment: milliseconds, then the
// sub-millisecond part in 12 bits, then chance. The library's own maker reads
// the machine's clock, which is not the product's.
func newID(at time.Time) uuid.UUID {
	var id uuid.UUID
	_, _ = rand.Read(id[8:])                                                       // never fails since Go 1.24
	milli := uint64(at.UnixMilli())                                                //nolint:gosec // the clock stands after 1970
	sub := uint16(at.Sub(at.Truncate(time.Millisecond)) * 4096 / time.Millisecond) //nolint:gosec // below 4096
	binary.BigEndian.PutUint64(id[:8], milli<<16|0x7000|uint64(sub&0x0fff))
	id[8] = id[8]&0x3f | 0x80
	return id
}
