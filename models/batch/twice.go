package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/google/uuid"
)

// Twice finds rows of one file that bill the same client the same amount for the same day. It keeps 20 bytes a row.
type Twice struct{ seen map[[16]byte]int32 }

// See gives the line back, with a warning when an earlier row said the same. Lines with problems are left alone.
func (t *Twice) See(l Line) Line {
	if !l.OK() {
		return l
	}
	key, ok := l.Values.sameAs()
	if !ok {
		return l
	}
	if t.seen == nil {
		t.seen = map[[16]byte]int32{}
	}
	first, known := t.seen[key]
	if !known {
		t.seen[key] = int32(l.Row) //nolint:gosec // at most 50 000 rows
		return l
	}
	l.Warnings = append(l.Warnings, Problem{Code: "duplicate", Mend: MendTwice,
		Message: fmt.Sprintf("the same client, amount and due date as row %d", first)})
	return l
}

// sameAs is a short name for who owes how much when.
func (v Values) sameAs() (key [16]byte, ok bool) {
	var who string
	switch {
	case v.ClientID != uuid.Nil:
		who = "client " + v.ClientID.String()
	case v.PersonalCode != "":
		who = "id " + v.PersonalCode.Reveal()
	case v.Email != "":
		who = "mail " + strings.ToLower(v.Email)
	default:
		return key, false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x1f%d\x1f%s\x1f%s", who, v.TotalCents, v.Currency, v.Due))
	copy(key[:], sum[:])
	return key, true
}

// Fingerprint tells that the same rows were sent before, whatever the encoding, separator or blanks of the file.
type Fingerprint struct{ h hash.Hash }

// NewFingerprint begins with the heading.
func NewFingerprint(header []string) *Fingerprint {
	f := &Fingerprint{sha256.New()}
	f.Add(header)
	return f
}

// Add takes one row. Empty cells at its end do not count.
func (f *Fingerprint) Add(cells []string) {
	n := len(cells)
	for n > 0 && Tidy(cells[n-1]) == "" {
		n--
	}
	size := make([]byte, 4)
	number := func(n int) {
		binary.BigEndian.PutUint32(size, uint32(n)) //nolint:gosec // a cell has at most some thousand bytes
		_, _ = f.h.Write(size)                      // a hash never fails
	}
	number(n)
	for _, c := range cells[:n] {
		c = strings.ReplaceAll(Tidy(c), "\r\n", "\n")
		number(len(c))
		_, _ = f.h.Write([]byte(c))
	}
}

// Sum is the SHA-256 of the rows so far, in hexadecimal.
func (f *Fingerprint) Sum() string { return hex.EncodeToString(f.h.Sum(nil)) }
