package batch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// Line is one row, read: what it says, everything that is wrong with it, and what a person should look at.
type Line struct {
	Row      int // as a spreadsheet shows it
	Values   Values
	Problems []Problem // the row cannot be sent with these
	Warnings []Problem // it can, once somebody saw them
	Notes    []Problem // what was fixed without asking
}

// OK tells that nothing keeps the row from being sent.
func (l Line) OK() bool { return len(l.Problems) == 0 }

// about tells whether something is wrong with one of the fields.
func (l Line) about(fields ...Field) bool {
	return slices.ContainsFunc(l.Problems, func(p Problem) bool { return slices.Contains(fields, p.Field) })
}

// Values is what a row says. What it leaves out is the zero value. Amounts are cents.
type Values struct {
	Email        string
	ClientID     uuid.UUID
	FullName     string
	Phone        string // 27XXXXXXXXX, or a foreign number as it came
	PersonalCode bank.IDNumber
	BankCode     string
	BankAccount  bank.AccountNumber
	Currency     string
	Due          calendar.Date // the row's, else the mapping's
	Reference    string
	Notes        string
	Charge       bool
	Method       string // eft, debicheck or nothing
	Products     []purchase.Product
	TotalCents   int64
}

// Problem is one thing about one cell. Column counts from 1, 0 is the row as a whole. Rows with the same
// Cause are fixed together.
type Problem struct {
	Column  int    `json:"column"`
	Name    string `json:"name"` // the column for a person: its heading, else "B"
	Field   Field  `json:"field,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"mend"`
}

// At is the problem with its place: "row 42, column due: expected 2026-12-01, found 03/04/25".
func (p Problem) At(row int) string {
	if p.Column == 0 {
		return fmt.Sprintf("row %d: %s", row, p.Message)
	}
	return fmt.Sprintf("row %d, column %s: %s", row, p.Name, p.Message)
}

// The causes that rows are grouped by. A missing field is RequiredOf that field; other packages add causes of their
// own.
const (
	CauseDateOrder   = "date_order"
	CauseDate        = "date_form"
	CauseDecimalMark = "decimal_mark"
	CauseDecimals    = "decimals"
	CauseNumber      = "number_form"
	CauseRange       = "number_range"
	CauseScientific  = "scientific"
	CauseEmail       = "email_form"
	CauseStray       = "email_stray"
	CausePhone       = "phone_form"
	CauseID          = "id_form"
	CauseClientID    = "client_id_form"
	CauseBank        = "bank_form"
	CauseChoice      = "choice"
	CauseLength      = "length"
	CauseQuotes      = "quotes"
	CauseCells       = "cell_count"
	CauseEncoding    = "encoding"
	CauseHidden      = "hidden"
	CauseDamaged     = "damaged"
	CauseTotal       = "total_differs"
	CausePast        = "due_past"
	CauseFar         = "due_far"
	CauseZeros       = "leading_zeros"
	CauseLine        = "one_line"
)

// RequiredOf is the cause of a row that lacks a field.
func RequiredOf(f Field) string { return "required_" + string(f) }

// ColumnName is what a spreadsheet calls a column, from 1: A … Z, AA, …
func ColumnName(column int) string {
	name := ""
	for ; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

var spaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2007", " ", "\u2009", " ", "\u200b", "", "\t", " ")

// Tidy takes stray blanks and the apostrophe with which spreadsheets mark text from around a value; line breaks stay,
// and so does the Afrikaans 'n.
func Tidy(cell string) string {
	cell = strings.TrimSpace(spaces.Replace(cell))
	if rest, found := strings.CutPrefix(cell, "'"); found && !strings.HasSuffix(rest, "'") &&
		!strings.HasPrefix(rest, "n ") {
		cell = strings.TrimSpace(rest)
	}
	return cell
}
