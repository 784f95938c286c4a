package export

import (
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// byteOrderMark tells spreadsheet programs that the file is UTF-8.
const byteOrderMark = "\ufeff"

// sentAt is how much of a file is gathered before it is sent.
const sentAt = 32 << 10

// csvFile writes CSV as RFC 4180 has it: commas, CRLF, every record of one length. Rows are put into one buffer, so
// that a row costs no memory of its own.
type csvFile struct {
	to      io.Writer
	columns int
	buffer  []byte
	mark    Mark
}

func openCSV(to io.Writer, t Table, at Mark) (*csvFile, error) {
	f := &csvFile{to: to, columns: len(t.Heads), buffer: make([]byte, 0, sentAt+4<<10), mark: at}
	if at != (Mark{}) {
		return f, nil
	}
	f.buffer = append(f.buffer, byteOrderMark...)
	for i, h := range t.Heads {
		if i > 0 {
			f.buffer = append(f.buffer, ',')
		}
		f.buffer = appendField(f.buffer, h.Text)
	}
	f.buffer = append(f.buffer, "\r\n"...)
	return f, nil
}

func (f *csvFile) Row(cells []Cell) error {
	for i := range f.columns {
		if i > 0 {
			f.buffer = append(f.buffer, ',')
		}
		if i < len(cells) {
			f.buffer = cells[i].appendCSV(f.buffer)
		}
	}
	f.buffer = append(f.buffer, "\r\n"...)
	f.mark.Rows++
	if len(f.buffer) < sentAt {
		return nil
	}
	return f.Flush()
}

func (f *csvFile) Note(s string) error { return f.Row([]Cell{Text(s)}) }

func (f *csvFile) Flush() error {
	n, err := f.to.Write(f.buffer)
	f.mark.Bytes += int64(n)
	f.buffer = f.buffer[:0]
	return err
}

func (f *csvFile) Mark() Mark { return f.mark }

func (f *csvFile) Finish() error { return f.Flush() }

func (f *csvFile) Release() {}

func (c *Cell) appendCSV(b []byte) []byte {
	switch c.kind {
	case blank:
	case text:
		return appendField(b, guarded(c.text))
	case amount:
		return appendAmount(b, c.n)
	case count:
		return strconv.AppendInt(b, c.n, 10)
	case day:
		return c.at.AppendFormat(b, time.DateOnly)
	case moment:
		return c.at.AppendFormat(b, time.DateTime)
	}
	return b
}

// appendAmount writes cents with two decimals.
func appendAmount(b []byte, cents int64) []byte {
	whole := uint64(cents) //nolint:gosec // the digits of the smallest number too
	if cents < 0 {
		b, whole = append(b, '-'), -whole
	}
	b = strconv.AppendUint(b, whole/100, 10)
	return append(b, '.', byte('0'+whole/10%10), byte('0'+whole%10))
}

// appendField writes a text, in quotes where it needs them.
func appendField(b []byte, s string) []byte {
	if !quoted(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		switch s[i] {
		case '"':
			b = append(b, `""`...)
		case '\r': // each line ends with CRLF
		case '\n':
			b = append(b, "\r\n"...)
		default:
			b = append(b, s[i])
		}
	}
	return append(b, '"')
}

func quoted(s string) bool {
	if s == "" {
		return false
	}
	if s == `\.` || strings.ContainsAny(s, ",\"\r\n") {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(first)
}

// guarded keeps a spreadsheet program from running a text as a formula: CSV has no
// types, so what begins like one gets an apostrophe in front (ours; the list, with
// the wide forms of the signs, is what such programs are known to run). Only texts
// come here: a negative amount stays a number.
func guarded(s string) string {
	switch r, _ := utf8.DecodeRuneInString(s); r {
	case '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠':
		return "'" + s
	}
	return s
}
