// Package source knows the layouts in which other systems give a book away: how each is recognised by its first lines,
// how its lines become rows with a heading, what its columns mean, what it leaves out, and what its check sums say. It
// must not know what becomes of a row.
package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"debitdesk/models/bank/tape"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// Meaning is what a column of a known layout means: a field of a row of the book, by its name there.
type Meaning string

// The meanings that layouts know; the empty one is a column that a person may give a meaning.
const (
	ClientID      Meaning = "client_id"
	Reference     Meaning = "reference"
	FullName      Meaning = "full_name"
	Email         Meaning = "email"
	Phone         Meaning = "phone"
	Identity      Meaning = "personal_code"
	Street        Meaning = "street_address"
	City          Meaning = "city"
	PostCode      Meaning = "zip_code"
	Branch        Meaning = "bank_code"
	Account       Meaning = "bank_account"
	Type          Meaning = "account_type"
	Holder        Meaning = "account_holder"
	SignedOn      Meaning = "signed_on"
	OldMandate    Meaning = "contract_reference"
	MandateStatus Meaning = "mandate_status"
	Template      Meaning = "template"
	Amount        Meaning = "amount"
	Cycle         Meaning = "cycle"
	Day           Meaning = "day"
	Next          Meaning = "next_debit"
	LastDebit     Meaning = "last_debit"
	Failures      Meaning = "failures"
	Status        Meaning = "status"
	Group         Meaning = "group"

	Province         Meaning = "state"
	Country          Meaning = "country"
	LegalName        Meaning = "legal_name"
	TradeName        Meaning = "brand_name"
	Registration     Meaning = "registration_number"
	TaxNumber        Meaning = "tax_number"
	Tags             Meaning = "tags"
	Copies           Meaning = "cc"
	HiddenCopies     Meaning = "bcc"
	ShipStreet       Meaning = "shipping_street_address"
	ShipCity         Meaning = "shipping_city"
	ShipProvince     Meaning = "shipping_state"
	ShipPostCode     Meaning = "shipping_zip_code"
	ShipCountry      Meaning = "shipping_country"
	MandateAmount    Meaning = "mandate_amount"
	Remaining        Meaning = "remaining"
	Paused           Meaning = "paused"
	InvoiceReference Meaning = "subscription_reference"
	Owed             Meaning = "owed"
	OwedDue          Meaning = "owed_due"
	OwedReference    Meaning = "owed_reference"
)

// Column is a column of a known layout. Decimal and Dates say how its texts are written, where the layout knows it.
type Column struct {
	Name    string
	Means   Meaning
	Decimal money.Mark
	Dates   calendar.Order
	Guessed bool
}

// rands is a column of amounts with a point before the cents.
func rands(name string) Column { return Column{Name: name, Means: Amount, Decimal: money.PointMark} }

// The codes of problems with lines of a known layout, beside those of a sheet.
const (
	Aside = "aside"        // the line is no client and is left out
	Unfit = "source_line"  // the layout does not allow it
	Card  = "source_card"  // it is debited by card
	Again = "source_again" // its mandate has to be confirmed again
	// Planned is a debit that the old system is to make: it is no client, and keeps one from being debited twice.
	Planned = "planned"
	// More is another account or subscription of a client that an earlier row names.
	More = "more"
)

// File is a file of clients whose layout was recognised, or a table whose columns have to be guessed: its report then
// has no layout.
type File struct {
	Format  sheet.Format
	Columns []Column // of a known layout, one for each heading
	Report  Report
	each    func(func(sheet.Row) error) error
	close   func() error
}

// Made is a file that was put together from others, with the rows that each gives.
func Made(format sheet.Format, columns []Column, report Report, each func(func(sheet.Row) error) error) *File {
	return &File{Format: format, Columns: columns, Report: report, each: each, close: func() error { return nil }}
}

// Each calls see for every row, and stops at its first error.
func (f *File) Each(see func(sheet.Row) error) error { return f.each(see) }

// Close frees what reading a workbook keeps on disk.
func (f *File) Close() error { return f.close() }

// walker reads the lines of a file one after the other.
type walker interface {
	// line takes a line; ok tells that it gives a row.
	line(sheet.Row) (row sheet.Row, ok bool, err error)
	// end tells that it was the last line; a fault refuses the whole file.
	end() error
	// found is what was recognised.
	found() ([]Column, Report)
}

// layout is a foreign form of files.
type layout struct {
	key, name string
	is        func(first []sheet.Row) bool
	walk      func() walker
}

var layouts = []layout{netcashMaster, netcashMandates, stitchCollections, fnbPayments}

// headed are layouts of tables that are known by their heading alone.
var headed = []heading{xeroContacts, sageSouthAfrica, sageAccounting, quickBooks}

// firstRows is how many rows that hold something a layout is recognised by.
const firstRows = 12

var errEnough = errors.New("enough rows were seen")

// Open recognises the layout of a file, reads it once from start to end, and can give its rows. What is no known layout
// is a table, as sheet reads it. Errors are faults that say what to do; they repeat nothing of the file.
func Open(src io.ReadSeeker, told sheet.Told) (*File, error) {
	isTape, err := beginsAsTape(src)
	if err != nil {
		return nil, err
	}
	if isTape {
		return open(acbTape, sheet.Format{Kind: sheet.CSV, Encoding: sheet.UTF8, Separator: ","}, tapeLines(src),
			func() error { return nil })
	}
	if f, is, err := ownBook(src); is {
		return f, err
	}
	table, err := sheet.OpenWithin(src, told, sheet.Large)
	if err != nil {
		return nil, err
	}
	f, err := openTable(table)
	if err != nil {
		_ = table.Close()
	}
	return f, err
}

func openTable(table *sheet.File) (*File, error) {
	var first []sheet.Row
	err := table.Raw(func(r sheet.Row) error {
		if strings.TrimSpace(strings.Join(r.Cells, "")) == "" {
			return nil
		}
		r.Cells = slices.Clone(r.Cells)
		if first = append(first, r); len(first) == firstRows {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	for _, l := range layouts {
		if l.is(first) {
			return open(l, table.Format, table.Raw, table.Close)
		}
	}
	for _, h := range headed {
		if h.is(table.Format.Header) {
			return h.open(table)
		}
	}
	return &File{Format: table.Format, each: table.Each, close: table.Close}, nil
}

// beginsAsTape tells a file of fixed records, whose commas and quotation marks mean nothing.
func beginsAsTape(src io.ReadSeeker) (bool, error) {
	start := make([]byte, 2048)
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("go to the start of the file: %w", err)
	}
	n, err := io.ReadFull(src, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("read the file: %w", err)
	}
	_, err = src.Seek(0, io.SeekStart)
	return n > 0 && tape.Is(bytes.TrimRight(start[:n], "\x00")), err
}

// open walks through a file once: what it says about itself is known then, and what cannot be read is refused.
func open(l layout, format sheet.Format, lines func(func(sheet.Row) error) error, shut func() error) (*File, error) {
	f := &File{Format: format, close: shut}
	w := l.walk()
	rows := 0
	if err := walk(w, lines, func(sheet.Row) error { rows++; return tooMany(rows) }); err != nil {
		return nil, err
	}
	f.Columns, f.Report = w.found()
	f.Report.Layout, f.Report.Name = l.key, l.name
	f.Format.HeaderRow, f.Format.Header = 0, make([]string, len(f.Columns))
	for n, c := range f.Columns {
		f.Format.Header[n] = c.Name
	}
	if len(f.Columns) > sheet.MaxColumns {
		return nil, fault.New(fault.TooLarge, "too_many_columns",
			"The file has more than %d columns. Delete the columns that are not needed.", sheet.MaxColumns)
	}
	f.each = func(see func(sheet.Row) error) error {
		return walk(l.walk(), lines, func(r sheet.Row) error {
			for len(r.Cells) < len(f.Columns) {
				r.Cells = append(r.Cells, "")
			}
			for n, c := range r.Cells {
				if len([]rune(c)) > sheet.MaxCell {
					r.Cells[n] = string([]rune(c)[:sheet.MaxCell])
					r.Broken = append(r.Broken, sheet.Problem{Column: n + 1, Code: sheet.CellTooLong,
						Message: "The cell has more than 32 767 characters; the rest was cut off."})
				}
			}
			return see(r)
		})
	}
	return f, nil
}

func tooMany(rows int) error {
	if rows > sheet.Large.Rows {
		return fault.New(fault.TooLarge, "too_many_rows",
			"The file has more than %s rows. Split it into several files.", plural.Number(sheet.Large.Rows))
	}
	return nil
}

func walk(w walker, lines func(func(sheet.Row) error) error, see func(sheet.Row) error) error {
	err := lines(func(r sheet.Row) error {
		row, ok, err := w.line(r)
		if err != nil || !ok {
			return err
		}
		return see(row)
	})
	if err != nil {
		return err
	}
	return w.end()
}

// refuse is why a file cannot be brought in as a whole.
func refuse(code, format string, args ...any) error {
	return fault.New(fault.Invalid, code, format, args...)
}
