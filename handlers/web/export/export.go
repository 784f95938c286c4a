// Package export writes rows of typed cells as a file that spreadsheet programs
// read, CSV or XLSX, in constant memory. It must not know which lists there are,
// nor who may see them.
package export

import (
	"fmt"
	"io"
	"time"

	"debitdesk/models/calendar"
)

// Format is a kind of file.
type Format string

// The formats that are written.
const (
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// Known tells whether files of this format can be written.
func (f Format) Known() bool { return f == CSV || f == XLSX }

// ContentType is what an answer with such a file says it is.
func (f Format) ContentType() string {
	if f == XLSX {
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return "text/csv; charset=utf-8"
}

// Head is the name of a column, and its width in characters where a file has one.
type Head struct {
	Text  string
	Width float64
}

// Table is what a file says about itself.
type Table struct {
	Name  string // of the sheet
	Heads []Head
	Made  time.Time // by the product's clock
	// Follows says that the file goes on with rows, after a part that holds the heads. Only CSV has parts.
	Follows bool
}

// Writer writes one file. Release it whatever happens; only Finish completes it.
type Writer interface {
	Row(cells []Cell) error
	// Note is a line for the reader, in the first column.
	Note(text string) error
	// Flush sends what is ready.
	Flush() error
	Finish() error
	Release()
}

// Open begins a file with its row of heads.
func Open(f Format, to io.Writer, t Table) (Writer, error) {
	switch f {
	case CSV:
		return openCSV(to, t)
	case XLSX:
		return openXLSX(to, t)
	}
	return nil, fmt.Errorf("no file is written as %q", string(f))
}

type kind int

const (
	blank kind = iota
	text
	amount
	count
	day
	moment
)

// Cell is one value with its type; the zero cell is blank.
type Cell struct {
	kind kind
	text string
	n    int64
	at   time.Time // SAST as read from a clock on the wall, written as if it were UTC
}

// Text is a cell that no program may take for anything else.
func Text(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{kind: text, text: s}
}

// Amount is money in cents, written as a number with two decimals.
func Amount(cents int64) Cell { return Cell{kind: amount, n: cents} }

// Count is a whole number.
func Count(n int64) Cell { return Cell{kind: count, n: n} }

// Day is a calendar date; none is blank.
func Day(d calendar.Date) Cell {
	if d.IsZero() {
		return Cell{}
	}
	return Cell{kind: day, at: time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)}
}

// DayOf is the SAST day of an instant; the zero time is blank.
func DayOf(at time.Time) Cell {
	if at.IsZero() {
		return Cell{}
	}
	return Day(calendar.DateOf(at))
}

// Moment is an instant in SAST, to the second: a file has no time zones, so the
// head of the column names it. The zero time is blank.
func Moment(at time.Time) Cell {
	if at.IsZero() {
		return Cell{}
	}
	return MomentIn(at, calendar.SAST)
}

// MomentIn is Moment as a clock in another zone tells it.
func MomentIn(at time.Time, zone *time.Location) Cell {
	if at.IsZero() {
		return Cell{}
	}
	at = at.In(zone)
	return Cell{kind: moment, at: time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0,
		time.UTC)}
}
