package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// Limits of the parts of a workbook, judged while they are unzipped. What reads a
// workbook afterwards keeps a row, a text and every mark of the smaller parts in
// memory, so each of them is bounded.
const (
	mostMark     = 64 << 10  // bytes of one mark, <row r="1" …>
	mostText     = 1 << 20   // bytes of one text between two marks
	mostRowBytes = 8 << 20   // bytes of one row
	mostRowWords = 32 << 20  // bytes of a row with its shared texts written out
	mostRowCells = 16_384    // columns of a sheet
	mostSheet    = 1_048_576 // rows of a sheet
	mostMarks    = 100_000   // marks of all parts that are no sheet
	mostDepth    = 64
)

var errTooMuch = errors.New("more than a batch needs")

// census counts what is in the parts of one workbook.
type census struct {
	limits  Limits
	longest int // bytes of the longest shared text
	marks   int // of parts that are no sheet
	shared  int
	area    int // cells, empty ones before a filled one included, of all sheets
}

// part says what is being read.
type part int

const (
	otherPart part = iota
	sheetPart
	sharedPart
)

// scan reads one part to its end and stops at the first thing that is too large.
type scan struct {
	*census
	part  part
	in    *bufio.Reader
	mark  []byte
	depth int
	entry int // bytes of the shared text that is open

	rows int
	row  struct{ cells, column, width, bytes, shared int }
}

// read gives errTooMuch, or an error of the source.
func (c *census) read(src io.Reader, kind part) error {
	s := &scan{census: c, part: kind, in: bufio.NewReaderSize(src, 64<<10)}
	if start, _ := s.in.Peek(512); isPicture(start) {
		_, err := io.Copy(io.Discard, s.in)
		return err
	}
	for {
		n, err := s.text()
		switch {
		case errors.Is(err, io.EOF):
			return s.endRow()
		case err != nil:
			return err
		}
		s.grow(n)
		if err := s.next(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil // it ends within a mark, and is refused when it is read
			}
			return err
		}
	}
}

// isPicture tells bytes that nobody takes for a text.
func isPicture(start []byte) bool {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return !bytes.HasPrefix(trimmed, []byte("<")) &&
		(bytes.IndexByte(start, 0) >= 0 || !utf8.Valid(trimmed[:min(len(trimmed), 64)]))
}

// text skips to the next mark and tells how long the text before it is.
func (s *scan) text() (n int, err error) {
	for {
		piece, err := s.in.ReadSlice('<')
		n += len(piece)
		switch {
		case err == nil && bytes.IndexByte(piece, 0) >= 0, n > mostText:
			return n, errTooMuch
		case err == nil:
			return n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, err
		}
	}
}

// next reads one mark, whose < was read.
func (s *scan) next() error {
	s.mark = s.mark[:0]
	end := []byte(">")
	var quote byte
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		if s.mark = append(s.mark, b); len(s.mark) > mostMark {
			return errTooMuch
		}
		switch {
		case len(s.mark) == 3 && string(s.mark) == "!--":
			end = []byte("-->")
		case len(s.mark) == 8 && string(s.mark) == "![CDATA[":
			end = []byte("]]>")
		case len(s.mark) == 1 && b == '?':
			end = []byte("?>")
		}
		switch {
		case len(end) > 1: // a comment, a text or an instruction
			if bytes.HasSuffix(s.mark, end) && len(s.mark) > len(end) {
				s.grow(len(s.mark))
				return nil
			}
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '>':
			return s.judge(s.mark[:len(s.mark)-1])
		}
	}
}

// judge counts one mark.
func (s *scan) judge(mark []byte) error {
	s.grow(len(mark))
	if len(mark) == 0 || mark[0] == '!' {
		return nil
	}
	closing, empty := mark[0] == '/', mark[len(mark)-1] == '/'
	switch {
	case closing:
		s.depth--
	case !empty:
		if s.depth++; s.depth > mostDepth {
			return errTooMuch
		}
	}
	switch s.part {
	case otherPart:
		if s.marks++; s.marks > mostMarks {
			return errTooMuch
		}
	case sharedPart:
		return s.sharedMark(mark, closing)
	case sheetPart:
		return s.sheetMark(mark, closing, empty)
	}
	return nil
}

func (s *scan) sharedMark(mark []byte, closing bool) error {
	if local(mark) != "si" {
		return nil
	}
	if closing {
		s.longest = max(s.longest, s.entry)
	} else if s.shared++; s.shared > s.limits.shared {
		return errTooMuch
	}
	s.entry = 0
	return nil
}

func (s *scan) sheetMark(mark []byte, closing, empty bool) error {
	switch name := local(mark); {
	case closing:
	case name == "row":
		if s.rows++; s.rows > mostSheet {
			return errTooMuch
		}
		return s.endRow()
	case name == "c":
		s.row.cells++
		s.row.column++
		if at := columnOf(mark); at > 0 {
			s.row.column = at
		}
		if !empty {
			s.row.width = max(s.row.width, s.row.column)
		}
		if bytes.Contains(mark, []byte(`t="s"`)) || bytes.Contains(mark, []byte(`t='s'`)) {
			s.row.shared++
		}
	}
	return nil
}

// endRow judges the row that ended and begins the next.
func (s *scan) endRow() error {
	r := s.row
	s.row.cells, s.row.column, s.row.width, s.row.bytes, s.row.shared = 0, 0, 0, 0, 0
	s.area += r.width
	if s.part == sheetPart && (r.cells > mostRowCells || r.bytes > mostRowBytes || r.shared*s.longest > mostRowWords ||
		s.area > s.limits.Rows*MaxColumns) {
		return errTooMuch
	}
	return nil
}

func (s *scan) grow(n int) {
	s.row.bytes += n
	s.entry += n
}

// local is the name of a mark without its prefix: c of <x:c r="A1">.
func local(mark []byte) string {
	mark = bytes.TrimPrefix(mark, []byte("/"))
	if end := bytes.IndexAny(mark, " \t\r\n/"); end >= 0 {
		mark = mark[:end]
	}
	if at := bytes.IndexByte(mark, ':'); at >= 0 {
		mark = mark[at+1:]
	}
	return string(mark)
}

// columnOf is the column that r="AB12" names; 0 when the mark names none.
func columnOf(mark []byte) (column int) {
	for _, start := range []string{` r="`, ` r='`} {
		at := bytes.Index(mark, []byte(start))
		if at < 0 {
			continue
		}
		for _, b := range mark[at+len(start):] {
			if b |= 0x20; b < 'a' || b > 'z' || column > mostRowCells {
				return column
			}
			column = column*26 + int(b-'a') + 1
		}
	}
	return column
}
