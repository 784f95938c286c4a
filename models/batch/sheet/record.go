package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// How far a quotation mark may stay open before it counts as a slip of the pen: a cell with more lines than this is
// rarer than a row with a lost quotation mark.
const (
	mostLines = 50
	mostBytes = 4 * MaxCell
	maxLine   = 1 << 20
	mostCells = 20 * MaxColumns // of a line; it is refused, or said to be too long, with fewer
)

// records cuts text into rows. A row with an unbalanced quotation mark ends with its line, so that it cannot swallow
// the rows after it.
type records struct {
	in    *bufio.Reader
	sep   byte
	width int      // cells of the heading; 0: not known yet
	back  []string // lines that were read too far, the next one last
}

// record is one row as it is written.
type record struct {
	cells  []string
	open   bool // the last cell's quotation mark was not closed
	bad    int  // the column, from 1, where text follows a closing quotation mark
	broken []Problem
}

// next gives one record; io.EOF after the last.
func (r *records) next() (record, error) {
	line, err := r.line()
	if err != nil {
		return record{}, err
	}
	rec := parse(line, r.sep)
	if rec.open {
		rec, err = r.across(line, rec)
	}
	if rec.bad > 0 {
		rec.broken = append(rec.broken, Problem{rec.bad, BadQuote,
			`Text follows a closing quotation mark. Write a quotation mark inside a value twice: "".`})
	}
	return rec.clean(), err
}

// across reads on while a quotation mark is open. It goes back when the mark is never closed, or when the line alone
// has as many cells as the heading and with the lines after it has not.
func (r *records) across(line string, first record) (record, error) {
	var more []string
	joined := line
	for len(more) < mostLines && len(joined) < mostBytes {
		next, err := r.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return record{}, err
		}
		more, joined = append(more, next), joined+"\n"+next
		if !strings.Contains(next, `"`) {
			continue
		}
		rec := parse(joined, r.sep)
		if rec.open {
			continue
		}
		if rec.bad == 0 && (r.width == 0 || len(rec.cells) == r.width || len(split(line, r.sep)) != r.width) {
			return rec, nil
		}
		break
	}
	for i := len(more) - 1; i >= 0; i-- {
		r.back = append(r.back, more[i])
	}
	return record{cells: split(line, r.sep), broken: []Problem{{len(first.cells), BadQuote,
		"A quotation mark is opened and not closed. Close it, or remove it."}}}, nil
}

// line gives the next line without its end, be that LF, CR or CRLF. What goes beyond maxLine is dropped.
func (r *records) line() (string, error) {
	if n := len(r.back); n > 0 {
		line := r.back[n-1]
		r.back = r.back[:n-1]
		return line, nil
	}
	var line []byte
	for {
		c, err := r.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return "", io.EOF
		case errors.Is(err, io.EOF), err == nil && c == '\n':
			return string(line), nil
		case err != nil:
			return "", fmt.Errorf("read the file: %w", err)
		case c == '\r':
			if after, err := r.in.Peek(1); err == nil && after[0] == '\n' {
				_, _ = r.in.Discard(1)
			}
			return string(line), nil
		case len(line) < maxLine:
			line = append(line, c)
		}
	}
}

func split(line string, sep byte) []string { return strings.SplitN(line, string(sep), mostCells) }

// parse cuts a record at its separators, with quotation marks as spreadsheets write them.
func parse(text string, sep byte) record {
	var rec record
	for {
		cell, rest, state := oneCell(text, sep)
		rec.cells = append(rec.cells, cell)
		switch {
		case state == unclosed:
			rec.open = true
			return rec
		case state == trailing && rec.bad == 0:
			rec.bad = len(rec.cells)
		}
		if rest == "" || len(rec.cells) == mostCells {
			return rec
		}
		text = rest[1:]
	}
}

type cellState int

const (
	proper cellState = iota
	unclosed
	trailing
)

// oneCell takes the first cell; rest starts at the separator after it, or is empty.
func oneCell(text string, sep byte) (cell, rest string, state cellState) {
	quoted := strings.TrimLeft(text, " ")
	if !strings.HasPrefix(quoted, `"`) {
		return untilSep(text, sep)
	}
	var b strings.Builder
	for left := quoted[1:]; ; {
		at := strings.IndexByte(left, '"')
		if at < 0 {
			b.WriteString(left)
			return b.String(), "", unclosed
		}
		b.WriteString(left[:at])
		left = left[at+1:]
		if strings.HasPrefix(left, `"`) {
			b.WriteByte('"')
			left = left[1:]
			continue
		}
		after, rest, _ := untilSep(left, sep)
		if strings.TrimLeft(after, " ") == "" {
			return b.String(), rest, proper
		}
		return b.String() + after, rest, trailing
	}
}

func untilSep(text string, sep byte) (cell, rest string, state cellState) {
	at := strings.IndexByte(text, sep)
	if at < 0 {
		return text, "", proper
	}
	return text[:at], text[at:], proper
}

// unwanted never reaches a cell: marks of an encoding, also one read as Windows-1252, and the NUL that no database
// stores.
var unwanted = strings.NewReplacer("\uFEFF", "", "\x00", "")

func tidy(cell string) string {
	for strings.ContainsAny(cell, "\uFEFF\x00") {
		cell = unwanted.Replace(cell)
	}
	return strings.TrimPrefix(cell, "ï»¿")
}

func (rec record) clean() record {
	for i, c := range rec.cells {
		if !utf8.ValidString(c) {
			c = strings.ToValidUTF8(c, "\uFFFD")
			rec.broken = append(rec.broken, Problem{i + 1, BadEncoding,
				"The cell has a character that is not UTF-8. Choose another encoding."})
		}
		rec.cells[i] = tidy(c)
	}
	return rec
}
