package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"
)

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
