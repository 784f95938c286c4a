package database

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestIdsOfLaterMicrosecondsSortLater(t *testing.T) {
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	last := NewID(at.Add(-time.Microsecond))
	for i := range 3000 { // over the end of a millisecond, twice
		id := NewID(at.Add(time.Duration(i) * time.Microsecond))
		if bytes.Compare(last[:], id[:]) >= 0 {
			t.Fatalf("microsecond %d: %s does not follow %s", i, id, last)
		}
		if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
			t.Fatalf("%s is no UUIDv7", id)
		}
		last = id
	}
}

// A payer's link is the id of a purchase: whoever knows the microsecond in which it
// was made still has 64 bits to guess (ASVS 3.2.2 asks as much of a session).
func TestAnIdHas64BitsOfChance(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 999_000, time.UTC)
	var ones, zeros uuid.UUID
	seen := map[uuid.UUID]bool{}
	for range 4000 {
		id := NewID(at)
		if seen[id] {
			t.Fatalf("%s came twice", id)
		}
		seen[id] = true
		for i := range id {
			ones[i] |= id[i]
			zeros[i] |= ^id[i]
		}
	}
	moving := 0
	for i := range ones {
		for bit := range 8 {
			if ones[i]&zeros[i]>>bit&1 == 1 {
				moving++
			}
		}
	}
	if moving < 64 {
		t.Errorf("%d bits differ between ids of one microsecond, want 64", moving)
	}
}
