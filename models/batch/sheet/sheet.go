// Package sheet knows how a table in a file becomes rows of text: encodings, separators, quotes and workbooks, in
// constant memory. It must not know what a column means.
package sheet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// What any file may have at most. Cells are counted in characters (a spreadsheet's own limit).
const (
	MaxColumns = 200
	MaxCell    = 32_767
)

// Limits is how large a file may be.
type Limits struct {
	Rows     int   // below the heading
	Bytes    int64 // of the file
	words    int   // bytes of its cells: shared texts of a workbook are written out
	unzipped int64 // bytes of a workbook; sheets and their texts are unzipped to disk
	shared   int   // shared texts of a workbook
}

// The limits of tables that people work with, and of the clients of a whole business.
var (
	Usual = Limits{Rows: 50_000, Bytes: 20 << 20, words: 64 << 20, unzipped: 160 << 20, shared: 1_000_000}
	Large = Limits{Rows: 250_000, Bytes: 64 << 20, words: 256 << 20, unzipped: 800 << 20, shared: 5_000_000}
)

// TooLarge is what is said of a larger file.
func (l Limits) TooLarge() string {
	return fmt.Sprintf("The file is larger than %d MB. Split it into several files.", l.Bytes>>20)
}

// Kind is what sort of table it is.
type Kind string

// The kinds. Paste is text copied out of a spreadsheet.
const (
	CSV   Kind = "csv"
	XLSX  Kind = "xlsx"
	Paste Kind = "paste"
)

// Told is what a person said about the file; everything left out is guessed.
type Told struct {
	Kind      Kind     `json:"kind,omitempty"`
	Encoding  Encoding `json:"encoding,omitempty"`  // a mark in the file is believed first
	Separator string   `json:"separator,omitempty"` // , ; tab or |
	Sheet     string   `json:"sheet,omitempty"`     // of a workbook; else the first one with data that is not hidden
	HeaderRow int      `json:"header_row,omitempty"`
}

// NoHeader as Told.HeaderRow says that the first row is data.
const NoHeader = -1

// Format is how the file is written, as told or guessed.
type Format struct {
	Kind      Kind           `json:"kind"`
	Encoding  Encoding       `json:"encoding,omitempty"`
	Separator string         `json:"separator,omitempty"`
	Decimal   money.Mark     `json:"decimal,omitempty"` // guessed from the first rows; empty: they do not show it
	Dates     calendar.Order `json:"dates,omitempty"`   // likewise
	Sheet     string         `json:"sheet,omitempty"`
	Sheets    []string       `json:"sheets,omitempty"` // that are not hidden
	Header    []string       `json:"header"`           // one per column; empty texts where there is no heading
	HeaderRow int            `json:"header_row"`       // 0: the file has no heading
}

// Row is one row that holds something. Number is what a spreadsheet shows beside it, from 1, blank rows counted. Cells
// has one text per column of the heading, or more where the row has too many.
type Row struct {
	Number int
	Cells  []string
	Broken []Problem
	// Numbers are the columns, from 0, whose cells a workbook keeps as numbers with decimals: the point in them stands
	// before the decimals, however texts of the column are written.
	Numbers []int

	hidden bool // a spreadsheet does not show the row
}

// Problem is something wrong with how a row is written. Column counts from 1; 0 is the whole row.
type Problem struct {
	Column  int    `json:"column"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The codes of a Problem.
const (
	BadQuote     = "bad_quote"
	TooFewCells  = "too_few_cells"
	TooManyCells = "too_many_cells"
	CellTooLong  = "cell_too_long"
	Damaged      = "damaged" // what is stored of the row cannot be read
	BadEncoding  = "bad_encoding"
	HiddenRow    = "hidden_row"
)

// source gives every row of a table, blank ones and those above the heading too.
type source interface {
	each(width int, see func(Row) error) error
	close() error
}

// File is a table that was looked at and can be read, from the start each time.
type File struct {
	Format Format
	rows   source
	limits Limits
	padded bool // rows leave out empty cells at their end and mean nothing by it
}

var errEnough = errors.New("enough rows were seen")

const (
	sampleRows = 200
	maxSample  = 4 << 20 // bytes of the rows that are guessed from
)

// Open looks at the whole file once for its size and encoding, and at its first rows for the rest. Errors are faults
// that say what to do: too large, no table, a kind that is not read.
func Open(src io.ReadSeeker, told Told) (*File, error) { return OpenWithin(src, told, Usual) }

// OpenWithin is Open with limits of its own.
func OpenWithin(src io.ReadSeeker, told Told, limits Limits) (*File, error) {
	f := &File{Format: Format{Kind: told.Kind}, limits: limits}
	if err := f.open(src, told); err != nil {
		return nil, err
	}
	var sample []Row
	held := 0
	err := f.rows.each(0, func(r Row) error {
		if blank(r.Cells) {
			return nil
		}
		if len(r.Cells) > MaxColumns {
			return fault.New(fault.TooLarge, "too_many_columns",
				"The file has more than %d columns. Delete the columns that are not needed.", MaxColumns)
		}
		for _, c := range r.Cells {
			held += len(c)
		}
		if sample = append(sample, r); len(sample) == sampleRows || held > maxSample {
			return errEnough
		}
		return nil
	})
	if err == nil || errors.Is(err, errEnough) {
		err = f.guess(sample, told)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Close frees what reading a workbook keeps on disk.
func (f *File) Close() error { return f.rows.close() }

// Each calls see for every row below the heading that is not blank, in order, and stops at its first error. A broken
// row is given like any other, with what is wrong. More rows than the limits allow are a fault.
func (f *File) Each(see func(Row) error) error {
	width, n, held := len(f.Format.Header), 0, 0
	return f.rows.each(width, func(r Row) error {
		if r.Number <= f.Format.HeaderRow || blank(r.Cells) {
			return nil
		}
		if n++; n > f.limits.Rows {
			return fault.New(fault.TooLarge, "too_many_rows", "The file has more than %s rows. Split it into several files.",
				plural.Number(f.limits.Rows))
		}
		f.fit(&r, width)
		for _, c := range r.Cells {
			held += len(c)
		}
		if held > f.limits.words {
			return fault.New(fault.TooLarge, "file_too_large",
				"The rows hold more than %d MB of text. Split the file into several files.", f.limits.words>>20)
		}
		return see(r)
	})
}

// Raw calls see for every row of the table as it is written: those above the heading, blank ones, and each with the
// cells that it has.
func (f *File) Raw(see func(Row) error) error { return f.rows.each(0, see) }

// fit gives a row one cell per column and says where that was not so.
func (f *File) fit(r *Row, width int) {
	r.Cells = slices.Clone(r.Cells)
	for len(r.Cells) > width && blank(r.Cells[width:]) {
		r.Cells = r.Cells[:len(r.Cells)-1]
	}
	have := len(r.Cells)
	if have > MaxColumns {
		r.Cells = r.Cells[:MaxColumns]
	}
	for len(r.Cells) < width {
		r.Cells = append(r.Cells, "")
	}
	already := len(r.Broken) > 0
	for i, c := range r.Cells {
		if len(c) > MaxCell && utf8.RuneCountInString(c) > MaxCell {
			r.Cells[i] = string([]rune(c)[:MaxCell])
			r.Broken = append(r.Broken, Problem{i + 1, CellTooLong,
				"The cell has more than 32 767 characters; the rest was cut off."})
		}
	}
	if r.hidden {
		r.Broken = append(r.Broken, Problem{0, HiddenRow, "The row is hidden in the spreadsheet."})
	}
	switch {
	case already: // an unclosed quotation mark explains the wrong number of cells
	case have > width:
		r.Broken = append(r.Broken, Extra(have, width))
	case have < width && !f.padded:
		r.Broken = append(r.Broken, Problem{have + 1, TooFewCells, cellsOf(have, width) + ". Add the missing separators."})
	}
}

// Extra says that a row has more cells than the heading.
func Extra(have, width int) Problem {
	return Problem{width + 1, TooManyCells, cellsOf(have, width) +
		". A value that contains the separator needs quotation marks around it."}
}

func cellsOf(row, heading int) string {
	return "The row has " + plural.Of(row, "cell") + ", the heading has " + plural.Of(heading, "cell")
}

func blank(cells []string) bool {
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return true
}

// WithUnreadable are the problems of a row of which nothing can be read any more.
func WithUnreadable(problems []Problem) []Problem {
	return append(WithoutUnreadable(problems), Problem{Code: Damaged, Message: "this row cannot be read: what is stored " +
		"of it was damaged. Leave it out, or type its cells again"})
}

// WithoutUnreadable are the problems of a row whose cells are known again.
func WithoutUnreadable(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Code == Damaged })
}

// Unread tells whether nothing of the row can be read.
func (r Row) Unread() bool {
	return slices.ContainsFunc(r.Broken, func(p Problem) bool { return p.Code == Damaged })
}
