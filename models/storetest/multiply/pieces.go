package multiply

import (
	"crypto/md5" //nolint:gosec // it spreads ids; nothing is kept secret by it
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
)

// piece is a part of a row as it is copied: the same in all copies, or made for each.
type piece interface {
	write(to []byte, c copyOf) []byte
}

type literal string

func (p literal) write(to []byte, _ copyOf) []byte { return append(to, p...) }

// identity is the id of a row. Its time moves with the copy, the order of ids within a millisecond stays.
type identity struct {
	id    uuid.UUID
	class class
}

func (p identity) write(to []byte, c copyOf) []byte {
	id := p.of(c)
	var text [36]byte
	hex.Encode(text[:8], id[:4])
	text[8] = '-'
	hex.Encode(text[9:13], id[4:6])
	text[13] = '-'
	hex.Encode(text[14:18], id[6:8])
	text[18] = '-'
	hex.Encode(text[19:23], id[8:10])
	text[23] = '-'
	hex.Encode(text[24:], id[10:])
	return append(to, text[:]...)
}

func (p identity) of(c copyOf) uuid.UUID {
	k, days := c.k, c.days
	switch p.class {
	case copied:
	case fixed:
		return p.id
	case owned:
		k, days = 0, 0
	case young:
		days = 0
	case shared:
		if k != c.sharedK {
			k, days = c.sharedK, daysOfShared(c)
		}
	}
	if k == 0 && !c.neighbour {
		return p.id
	}
	id := p.id
	if id[6]>>4 == 7 && days > 0 {
		ms := int64(binary.BigEndian.Uint64(id[:8])>>16) - int64(days)*24*time.Hour.Milliseconds() //nolint:gosec // 48 bits
		var moved [8]byte
		binary.BigEndian.PutUint64(moved[:], uint64(ms)<<16) //nolint:gosec // the times of this century
		copy(id[:6], moved[:6])
	}
	sum := md5.Sum(salted(p.id[:], k, c.neighbour)) //nolint:gosec // as above
	copy(id[8:], sum[:8])
	id[8] = id[8]&0x3f | 0x80
	return id
}

// daysOfShared: the rows that copies share are those that were there.
func daysOfShared(copyOf) int { return 0 }

func salted(value []byte, k int, neighbour bool) []byte {
	out := append(make([]byte, 0, len(value)+9), value...)
	out = binary.BigEndian.AppendUint64(out, uint64(k)) //nolint:gosec // a small number
	if neighbour {
		out = append(out, 1)
	}
	return out
}

// day counts days from the beginning of 2000.
type day int

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func dayOf(t time.Time) day { return day(t.Sub(epoch) / (24 * time.Hour)) }

func (d day) time() time.Time { return epoch.AddDate(0, 0, int(d)) }

func (d day) write(to []byte, c copyOf) []byte {
	return (d - day(c.days)).time().AppendFormat(to, time.DateOnly)
}

// year is the year of a day.
type year day

func (y year) write(to []byte, c copyOf) []byte {
	return strconv.AppendInt(to, int64((day(y) - day(c.days)).time().Year()), 10)
}

// number goes on from copy to copy.
type number struct {
	n, step int64
	width   int
}

func (p number) write(to []byte, c copyOf) []byte {
	text := strconv.FormatInt(p.n+int64(c.k)*p.step, 10)
	for i := len(text); i < p.width; i++ {
		to = append(to, '0')
	}
	return append(to, text...)
}

// order goes on in the order in which copies are written, the oldest first, neighbours between.
type order struct{ n, step int64 }

func (p order) write(to []byte, c copyOf) []byte {
	n := p.n + 2*c.turn*p.step
	if c.neighbour {
		n += p.step
	}
	return strconv.AppendInt(to, n, 10)
}

// suffix makes an address another one.
type suffix struct{}

func (suffix) write(to []byte, c copyOf) []byte {
	if c.k == 0 {
		return to
	}
	return strconv.AppendInt(append(to, '.'), int64(c.k), 10)
}

// phone keeps the first four digits of eleven.
type phone string

func (p phone) write(to []byte, c copyOf) []byte {
	if c.k == 0 {
		return append(to, p...)
	}
	sum := md5.Sum(salted([]byte(p), c.k, false)) //nolint:gosec // as above
	text := strconv.FormatUint(uint64(binary.BigEndian.Uint32(sum[:4]))%10_000_000+10_000_000, 10)
	return append(append(to, p[:4]...), text[1:]...)
}

// hashed is the hash of a value that differs from copy to copy.
type hashed []byte

func (p hashed) write(to []byte, c copyOf) []byte {
	out := []byte(p)
	if c.k > 0 || c.neighbour {
		sum := sha256.Sum256(salted(p, c.k, c.neighbour))
		out = sum[:min(len(p), len(sum))]
	}
	return hex.AppendEncode(to, out)
}

// inHex is content of bytes that holds ids.
type inHex []piece

func (p inHex) write(to []byte, c copyOf) []byte { return hex.AppendEncode(to, joined(p, c)) }

func joined(pieces []piece, c copyOf) []byte {
	var out []byte
	for _, p := range pieces {
		out = p.write(out, c)
	}
	return out
}

// sealed is sealed for the row that it is in.
type sealed struct {
	box           *seal.Box
	table, column string
	owner         identity
	row           []piece
	was, content  []byte
}

func (p sealed) write(to []byte, c copyOf) []byte {
	if c.k == 0 && !c.neighbour {
		return hex.AppendEncode(to, p.was)
	}
	at := seal.Place{Owner: p.owner.of(c), Table: p.table, Column: p.column, Row: string(joined(p.row, c))}
	return hex.AppendEncode(to, p.box.SealBytes(at, p.content))
}
