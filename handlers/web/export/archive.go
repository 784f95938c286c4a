package export

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// archive is the frame of a ZIP file: small parts as they are, and one last part that is compressed while it is
// written. The library's own writer cannot go on with an archive that another process began, so the few structures
// are written here (APPNOTE 4.3 of the ZIP format).
type archive struct {
	made  time.Time
	parts []archivePart
	bytes int64 // written so far
}

type archivePart struct {
	name          string
	packed, plain int64
	sum           uint32
	at            int64
	streamed      bool // its sizes follow it, and it is compressed
}

const (
	zipLimit    = 1<<32 - 1 // the sizes have 32 bits
	zipVersion  = 20
	zipStreamed = 1 << 3 // sizes follow the part
	zipUTF8     = 1 << 11
	zipDeflate  = 8
)

var errArchiveFull = errors.New("a workbook can hold 4 GB at most")

// stored adds a part that is not compressed.
func (a *archive) stored(b []byte, name, content string) []byte {
	from := len(b)
	p := archivePart{name: name, packed: int64(len(content)), plain: int64(len(content)),
		sum: crc32.ChecksumIEEE([]byte(content)), at: a.bytes}
	b = append(a.head(b, p), content...)
	a.parts = append(a.parts, p)
	a.bytes += int64(len(b) - from)
	return b
}

// stream begins the last part.
func (a *archive) stream(b []byte, name string) []byte {
	from := len(b)
	p := archivePart{name: name, at: a.bytes, streamed: true}
	b = a.head(b, p)
	a.parts = append(a.parts, p)
	a.bytes += int64(len(b) - from)
	return b
}

// end completes the last part, and the archive with the list of its parts.
func (a *archive) end(b []byte, packed, plain int64, sum uint32) ([]byte, error) {
	last := &a.parts[len(a.parts)-1]
	last.packed, last.plain, last.sum = packed, plain, sum
	list := a.bytes + packed + 16
	if list > zipLimit || plain > zipLimit {
		return nil, errArchiveFull
	}
	le := binary.LittleEndian
	b = le.AppendUint32(b, 0x08074b50)
	b = appendSizes(b, *last)
	from := len(b)
	for _, p := range a.parts {
		b = le.AppendUint32(b, 0x02014b50)
		b = le.AppendUint16(b, zipVersion) // made by
		b = a.facts(b, p)
		b = appendSizes(b, p)
		b = le.AppendUint16(b, uint16(len(p.name))) //nolint:gosec // a name of ours
		b = append(b, make([]byte, 12)...)          // no extra, no comment, first disk, no attributes
		b = le.AppendUint32(b, uint32(p.at))        //nolint:gosec // below the limit
		b = append(b, p.name...)
	}
	size := len(b) - from
	b = le.AppendUint32(b, 0x06054b50)
	b = le.AppendUint32(b, 0)                    // this is the only disk
	b = le.AppendUint16(b, uint16(len(a.parts))) //nolint:gosec // a few
	b = le.AppendUint16(b, uint16(len(a.parts))) //nolint:gosec // a few
	b = le.AppendUint32(b, uint32(size))         //nolint:gosec // a few names
	b = le.AppendUint32(b, uint32(list))         //nolint:gosec // below the limit
	return le.AppendUint16(b, 0), nil
}

// head is what stands before a part.
func (a *archive) head(b []byte, p archivePart) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, 0x04034b50)
	b = a.facts(b, p)
	b = appendSizes(b, p)
	b = le.AppendUint16(b, uint16(len(p.name))) //nolint:gosec // a name of ours
	b = le.AppendUint16(b, 0)                   // no extra
	return append(b, p.name...)
}

func (a *archive) facts(b []byte, p archivePart) []byte {
	le := binary.LittleEndian
	flags, method := uint16(zipUTF8), uint16(0)
	if p.streamed {
		flags, method = flags|zipStreamed, zipDeflate
	}
	at := a.made
	b = le.AppendUint16(b, zipVersion) // needed to read it
	b = le.AppendUint16(b, flags)
	b = le.AppendUint16(b, method)
	b = le.AppendUint16(b, uint16(at.Hour()<<11|at.Minute()<<5|at.Second()/2))               //nolint:gosec // 16 bits
	return le.AppendUint16(b, uint16(max(at.Year()-1980, 0)<<9|int(at.Month())<<5|at.Day())) //nolint:gosec // 16 bits
}

func appendSizes(b []byte, p archivePart) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, p.sum)
	b = le.AppendUint32(b, uint32(p.packed))   //nolint:gosec // below the limit
	return le.AppendUint32(b, uint32(p.plain)) //nolint:gosec // below the limit
}
