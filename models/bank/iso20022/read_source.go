package iso20022

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"debitdesk/models/bank/exchange"
)

// What no honest document of a bank comes near.
const (
	maxDocument = 256 << 20 // bytes of a document
	maxToken    = 256 << 10 // bytes of a tag, a text or a comment
)

// source gives the bytes of a document in UTF-8 to the XML decoder. It counts them, so that neither a document nor a
// single text can fill the memory, and remembers how it ended.
type source struct {
	from   io.Reader
	buffer []byte
	at     int
	read   int64 // bytes taken from the reader
	token  int   // bytes given since the last token
	ended  bool  // the reader has nothing more
	failed error // of the reader itself
}

var (
	declaredEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)
	utf8Mark         = []byte{0xEF, 0xBB, 0xBF}
	utf16Marks       = [][]byte{{0xFE, 0xFF}, {0xFF, 0xFE}}
)

// openSource looks at the beginning of a document and finds out how its letters are encoded.
func openSource(r io.Reader) (*source, error) {
	head := bufio.NewReaderSize(r, 64<<10)
	first, err := head.Peek(1024)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(first, []byte("PK\x03\x04")) {
		return nil, unreadable("This is a zip archive, not an XML document.")
	}
	letters, err := lettersOf(first)
	if err != nil {
		return nil, err
	}
	return &source{from: transform.NewReader(head, letters), buffer: make([]byte, 0, 32<<10)}, nil
}

// lettersOf turns the encoding of a document into UTF-8. Letters that are broken become the replacement character:
// codes and references are ASCII, and a name that is broken is not read anyway.
func lettersOf(first []byte) (transform.Transformer, error) {
	for _, mark := range utf16Marks {
		if bytes.HasPrefix(first, mark) {
			return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder(), nil
		}
	}
	first, marked := bytes.CutPrefix(first, utf8Mark)
	if text := bytes.TrimLeft(first, " \t\r\n"); len(text) > 0 && text[0] != '<' {
		return nil, unreadable("%s", notXML(text))
	}
	declared := declaredEncoding.FindSubmatch(first)
	if declared == nil || marked {
		return unicode.UTF8BOM.NewDecoder(), nil
	}
	var known encoding.Encoding
	switch name := strings.ToLower(string(declared[1])); name {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return unicode.UTF8BOM.NewDecoder(), nil
	case "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252":
		known = charmap.Windows1252 // which has ISO-8859-1 inside it, but for control characters
	case "iso-8859-15", "iso8859-15", "latin9":
		known = charmap.ISO8859_15
	default:
		return nil, unreadable("Its letters are encoded as ‘%s’, which is not supported; UTF-8 and ISO-8859-1 are.",
			clip(string(declared[1]), 40))
	}
	return known.NewDecoder(), nil
}

// swiftType is the type of a SWIFT message in the header that it travels with.
var swiftType = regexp.MustCompile(`\{2:[IO]([0-9]{3})`)

// unreadable is why a document will never be read.
var unreadable = exchange.CannotRead

// notXML says what a text is instead.
func notXML(text []byte) string {
	if kind := swiftType.FindSubmatch(text); kind != nil {
		return fmt.Sprintf("This is a SWIFT message MT%s, not an XML document. Ask the bank for camt.053 or camt.054.",
			kind[1])
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.HasPrefix(text, []byte(":20:")) && bytes.Contains(text, []byte(":34F:")):
		return "This is a SWIFT message MT942, not an XML document. Ask the bank for camt.052 or camt.054."
	case bytes.HasPrefix(text, []byte(":20:")):
		return "This is a SWIFT message MT940, not an XML document. Ask the bank for camt.053."
	case bytes.Count(line, []byte(",")) > 1 || bytes.Count(line, []byte(";")) > 1 || bytes.Count(line, []byte("\t")) > 1:
		return "This is a table of text (CSV), not an XML document. Ask the bank for camt.053 or camt.054."
	}
	return "This is not an XML document: it does not begin with ‘<’."
}

// mark is called before each token.
func (s *source) mark() { s.token = 0 }

// ReadByte gives the next byte.
func (s *source) ReadByte() (byte, error) {
	if s.at == len(s.buffer) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	if s.token++; s.token > maxToken {
		return 0, unreadable("One of its texts or tags is longer than %d kB.", maxToken>>10)
	}
	b := s.buffer[s.at]
	s.at++
	return b, nil
}

// Read is there for the XML decoder, which reads byte by byte.
func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

func (s *source) fill() error {
	for range 100 {
		n, err := s.from.Read(s.buffer[:cap(s.buffer)])
		s.buffer, s.at = s.buffer[:max(n, 0)], 0
		if s.read += int64(n); s.read > maxDocument {
			return unreadable("It is larger than %d MB.", maxDocument>>20)
		}
		switch {
		case n > 0:
			return nil
		case errors.Is(err, io.EOF):
			s.ended = true
			return io.EOF
		case err != nil:
			s.failed = err
			return err
		}
	}
	s.failed = io.ErrNoProgress
	return s.failed
}
