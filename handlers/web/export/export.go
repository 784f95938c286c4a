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
}

// Writer writes one file. Release it whatever happens; only Finish completes it.
type Writer interface {
	Row(cells []Cell) error
	// Note is a line for the reader, in the first column.
	Note(text string) error
	// Flush sends everything that was written so far.
	Flush() error
	// Mark is where the file stands after a Flush.
	Mark() Mark
	Finish() error
	Release()
}

// Mark is a place between two rows of a file, at which another process can go on with it. The zero Mark is the
// beginning.
type Mark struct {
	Rows  int64  `json:"rows"`  // below the heads
	Bytes int64  `json:"bytes"` // of the file
	Plain int64  `json:"plain"` // of the sheet of a workbook, before it is compressed
	Sum   uint32 `json:"sum"`   // CRC-32 of those
}

// Open begins a file with its row of heads.
func Open(f Format, to io.Writer, t Table) (Writer, error) { return Resume(f, to, t, Mark{}) }

// Resume goes on with a file from a mark: what is written follows what the file held up to there.
func Resume(f Format, to io.Writer, t Table, at Mark) (Writer, error) {
	switch f {
	case CSV:
		return openCSV(to, t, at)
	case XLSX:
		return openXLSX(to, t, at)
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
