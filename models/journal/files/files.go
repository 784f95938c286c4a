// Package files writes the journal as the files that accounting packages and other programs read. Each format knows
// what its program refuses. A file has the same bytes whenever it is written of the same entries. It must not know
// where entries come from.
package files

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

// Format is a kind of file.
type Format struct {
	Name  string // as commands and addresses call it
	Label string // as people call it
	For   string // what reads it, and what to know of it
	Ext   string
	Type  string // of the content
	write func(w *text, b *journal.Book)
	check func(b *journal.Book, wrong *fault.Problems) // nil: it takes everything
	most  int                                          // documents in a file; 0: it is of entries
}

// Documents tells that the format is of invoices and credit notes in place of entries.
func (f Format) Documents() bool { return f.most > 0 }

// MostDocuments is how many invoices and credit notes one file has at most.
func (f Format) MostDocuments() int { return f.most }

// Takes tells what is wrong with what is asked for, before anything is read.
func (f Format) Takes(ask journal.Ask) (wrong fault.Problems) {
	if f.Documents() && ask.ByDay {
		wrong.Add("by", "invalid_choice", "Invoices are never put together. Choose one entry for each document.")
	}
	return wrong
}

const csvType, plainType = "text/csv; charset=utf-8", "text/plain; charset=utf-8"

// Formats are all of them in the order in which people see them.
var Formats = []Format{
	{"xero-journal", "Xero manual journals", "At most 300 lines in a file. They arrive as drafts.", "csv", csvType,
		writeXero, checkXero, 0},
	{"xero-invoices", "Xero sales invoices", "Invoices and credit notes, with VAT in the prices. 500 in a file.", "csv",
		csvType, writeXeroInvoices, nil, mostXeroInvoices},
	{"quickbooks", "QuickBooks Online journal", "Finds accounts by name. Switch account numbers off to import it.",
		"csv", csvType, writeQuickBooks, checkQuickBooks, 0},
	{"pastel", "Pastel Partner, Sage 50", "A journal batch without a head. Account codes of seven characters.", "csv",
		csvType, writePastel, checkPastel, 0},
	{"ofx", "OFX of collections in transit", "For Sage Accounting, and for a bank-type account in Xero or QuickBooks.",
		"ofx", "application/x-ofx", writeOFX, nil, 0},
	{"csv", "CSV", "One line for each side of an entry, for a spreadsheet or any other program.", "csv", csvType,
		writeCSV, nil, 0},
	{"ledger", "Ledger", "Plain-text accounting, with balances at each month’s end.", "ledger", plainType, writeLedger,
		nil, 0},
	{"hledger", "hledger", "Plain-text accounting, with balances at each month’s end.", "journal", plainType, writeLedger,
		nil, 0},
	{"beancount", "Beancount", "Plain-text accounting, with balances at each month’s end.", "beancount", plainType,
		writeBeancount, nil, 0},
}

// Names are those of the formats.
func Names() (names []string) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// Of finds a format by its name.
func Of(name string) (Format, error) {
	if i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name }); i >= 0 {
		return Formats[i], nil
	}
	return Format{}, fault.At("format", "invalid_choice", "%q is not a format. Choose one of %s.", name,
		strings.Join(Names(), ", "))
}

// Check tells what the program behind the format would refuse.
func (f Format) Check(b *journal.Book) (wrong fault.Problems) {
	if f.check != nil {
		f.check(b, &wrong)
	}
	return wrong
}

// Write writes the file.
func (f Format) Write(w io.Writer, b *journal.Book) error {
	t := &text{to: w}
	f.write(t, b)
	return t.err
}

// FileName is what the file is called.
func (f Format) FileName(ask journal.Ask) string {
	by := ""
	if ask.ByDay {
		by = "-by-day"
	}
	if ask.Piece > 0 {
		by += fmt.Sprintf("-part-%d", ask.Piece)
	}
	return fmt.Sprintf("books-%s-%s-to-%s%s.%s", f.Name, ask.From, ask.To, by, f.Ext)
}

// text is a file that is being written; the first error ends it.
type text struct {
	to  io.Writer
	err error
}

func (t *text) line(form string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.to, form+"\n", args...)
	}
}

// day writes a date as the packages of this country do.
func day(d calendar.Date) string { return d.Format("02/01/2006") }

// one is a text on one line without what ends texts in plain files.
func one(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == ';', r == '|', r == '"':
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// ascii leaves out accents, and puts a question mark for what has no plain letter.
func ascii(s string) string {
	var out strings.Builder
	for _, r := range norm.NFD.String(one(s)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r > unicode.MaxASCII:
			out.WriteByte('?')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// cut is at most so many letters of a text.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return s
}
