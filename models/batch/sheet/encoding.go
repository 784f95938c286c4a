package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"debitdesk/models/fault"
)

// Encoding is how characters became bytes, by the name a person sees.
type Encoding string

// The encodings that are read.
const (
	UTF8        Encoding = "UTF-8"
	UTF8Marked  Encoding = "UTF-8 with mark"
	UTF16Little Encoding = "UTF-16 LE"
	UTF16Big    Encoding = "UTF-16 BE"
	Windows1252 Encoding = "Windows-1252"
)

var marks = []struct {
	bytes    string
	encoding Encoding
}{{"\xEF\xBB\xBF", UTF8Marked}, {"\xFF\xFE", UTF16Little}, {"\xFE\xFF", UTF16Big}}

// looked is what one pass over the bytes tells.
type looked struct {
	start     []byte // the first bytes
	size      int64
	validUTF8 bool
}

// look reads the whole file once, a piece at a time, and goes back to its start.
func look(src io.ReadSeeker, limits Limits) (looked, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return looked{}, fmt.Errorf("go to the start of the file: %w", err)
	}
	l := looked{validUTF8: true}
	buffer, kept := make([]byte, 64<<10), 0
	for {
		n, err := src.Read(buffer[kept:])
		if l.size += int64(n); l.size > limits.Bytes {
			return l, fault.New(fault.TooLarge, "file_too_large", "%s", limits.TooLarge())
		}
		if room := 4096 - len(l.start); room > 0 {
			l.start = append(l.start, buffer[kept:kept+min(n, room)]...)
		}
		kept = l.check(buffer[:kept+n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return l, fmt.Errorf("read the file: %w", err)
		}
	}
	l.validUTF8 = l.validUTF8 && kept == 0
	_, err := src.Seek(0, io.SeekStart)
	return l, err
}

// check looks for bytes that are no UTF-8, and keeps a character that was cut in two at the front of the piece.
func (l *looked) check(piece []byte) (kept int) {
	if !l.validUTF8 {
		return 0
	}
	whole := piece
	for len(whole) > 0 {
		r, size := utf8.DecodeRune(whole)
		if r == utf8.RuneError && size == 1 {
			if utf8.FullRune(whole) {
				l.validUTF8 = false
				return 0
			}
			break
		}
		whole = whole[size:]
	}
	return copy(piece, whole)
}

// encodingOf believes a mark first, then what was told, then the bytes: what is no UTF-8 is Windows-1252, as Excel in
// South Africa saves plain CSV.
func (l looked) encodingOf(told Encoding) Encoding {
	for _, m := range marks {
		if bytes.HasPrefix(l.start, []byte(m.bytes)) {
			return m.encoding
		}
	}
	switch {
	case told == UTF8Marked:
		return UTF8
	case told != "":
		return told
	case l.validUTF8:
		return UTF8
	}
	return Windows1252
}

func (e Encoding) known() bool {
	switch e {
	case "", UTF8, UTF8Marked, UTF16Little, UTF16Big, Windows1252:
		return true
	}
	return false
}

// text reads the bytes as UTF-8 without a mark.
func (e Encoding) text(src io.Reader) io.Reader {
	var from encoding.Encoding
	switch e {
	case UTF16Little:
		from = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case UTF16Big:
		from = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case Windows1252:
		from = charmap.Windows1252
	default:
		return src
	}
	return transform.NewReader(src, from.NewDecoder())
}
