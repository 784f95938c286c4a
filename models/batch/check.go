package batch

import (
	"strconv"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// Checker reads rows by a mapping. Today (SAST) decides what is past. It keeps nothing between rows.
type Checker struct {
	Header  []string
	Mapping Mapping
	Today   calendar.Date
}

// reading is one row while it is read.
type reading struct {
	Checker
	cells   []string
	numbers []int // columns of numbers, from 0
	line    Line
}

// Check reads one row and reports everything about it at once.
func (c Checker) Check(row sheet.Row) Line {
	r := &reading{Checker: c, cells: row.Cells, numbers: row.Numbers, line: Line{Row: row.Number}}
	r.broken(row.Broken)
	if row.Unread() {
		return r.line // what its cells say is not known
	}
	r.person()
	r.money()
	r.rest()
	return r.line
}

var brokenCauses = map[string]string{sheet.BadQuote: CauseQuotes, sheet.TooFewCells: CauseCells,
	sheet.TooManyCells: CauseCells,
	sheet.CellTooLong:  CauseLength, sheet.BadEncoding: CauseEncoding,
	sheet.HiddenRow: CauseHidden, sheet.Damaged: CauseDamaged}

func (r *reading) broken(problems []sheet.Problem) {
	for _, p := range problems {
		r.line.Problems = append(r.line.Problems, Problem{Column: p.Column, Name: r.name(p.Column), Field: r.field(p.Column),
			Code: p.Code, Message: p.Message, Cause: brokenCauses[p.Code]})
	}
}

func (r *reading) name(column int) string {
	if column > 0 && column <= len(r.Header) && r.Header[column-1] != "" {
		return r.Header[column-1]
	}
	return ColumnName(column)
}

func (r *reading) field(column int) Field {
	if column > 0 && column <= len(r.Mapping.Columns) {
		return r.Mapping.Columns[column-1].Field
	}
	return ""
}

// cell is what the row says about a field, without stray blanks; ok is false where it says nothing.
func (r *reading) cell(f Field) (text string, ok bool) {
	at := r.Mapping.Column(f)
	if at < 0 || at >= len(r.cells) {
		return "", false
	}
	text = Tidy(r.cells[at])
	return text, text != ""
}

func (r *reading) target(f Field) Target {
	if at := r.Mapping.Column(f); at >= 0 {
		return r.Mapping.reading(at, r.numbers)[at]
	}
	return Target{}
}

func (r *reading) about(f Field, code, cause, message string) Problem {
	p := Problem{Field: f, Code: code, Message: message, Cause: cause}
	if at := r.Mapping.Column(f); at >= 0 {
		p.Column, p.Name = at+1, r.name(at+1)
	}
	return p
}

func (r *reading) wrong(f Field, code, cause, message string) {
	r.line.Problems = append(r.line.Problems, r.about(f, code, cause, message))
}

func (r *reading) warn(f Field, code, cause, message string) {
	r.line.Warnings = append(r.line.Warnings, r.about(f, code, cause, message))
}

func (r *reading) note(f Field, code, cause, message string) {
	r.line.Notes = append(r.line.Notes, r.about(f, code, cause, message))
}

// expected says what was wanted and what stands there, cut short; secrets are not repeated.
func expected(f Field, wanted, found string) string {
	if f.secret() {
		return "expected " + wanted
	}
	const most = 40
	if short := []rune(found); len(short) > most {
		found = string(short[:most]) + "…"
	}
	return "expected " + wanted + ", found " + found
}

// text takes a text of one line and at most so many characters.
func (r *reading) text(f Field, most int) string {
	text := r.lines(f, most)
	if !fault.IsOneLine(text) {
		r.wrong(f, "invalid", CauseLine, "expected one line; remove the line breaks and control characters")
		return ""
	}
	return text
}

// lines takes a text of at most so many characters.
func (r *reading) lines(f Field, most int) string {
	text, _ := r.cell(f)
	if n := len([]rune(text)); n > most {
		r.wrong(f, "max_length", CauseLength, "expected at most "+strconv.Itoa(most)+" characters, found "+strconv.Itoa(n))
		return ""
	}
	return text
}
