package book

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

// Values is what a row says. What it leaves out is the zero value. Amounts are cents.
type Values struct {
	ClientID  uuid.UUID
	Reference string
	Details   client.Details // with the account
	Cleared   []Field        // that the file clears with a single hyphen
	Holder    string
	// NoDebit: the account comes in on the client's record alone, without a mandate.
	NoDebit    bool
	SignedOn   Day
	OldMandate string
	Template   string
	Cents      int64
	Cycle      Cycle
	Day        int
	Next       Day
	Last       OldDebit
	Failures   int
	Inactive   bool
	Group      string
	Notes      string
	Told       int64 // the amount as the sums of the file count it, also where it cannot be debited
	Totals     bool  // it is the line of totals
	Aside      bool  // the layout of the file says that it is no client
	Plan       OldPlan
	Planned    []Day // on which the old system is to debit this account or mandate

	MandateCents int64 // that the mandate names; 0: as of each debit
	Remaining    *int  // debits still to come; nil: no end
	Paused       bool
	Invoices     string // the reference on its invoices; empty: as the client's
	Owes         *Owed
	// More is the row of the client to which this row adds an account or a subscription; 0: none.
	More int
	// AccountOf is the row of the same client that brings the same account; 0: none, or this one.
	AccountOf int
}

// OldDebit is when the old system debited last.
type OldDebit struct {
	On    Day
	Never bool // the old system never debited; else a zero day is not known
}

// Line is one row, read.
type Line struct {
	N        int
	Values   Values
	Findings []Finding
}

// OK tells that nothing keeps the row out.
func (l Line) OK() bool { _, bad := worst(l.Findings); return !bad }

// Checker reads rows by a mapping. Together is what the rows say with each other; nil looks at each alone.
type Checker struct {
	Header   []string
	Mapping  Mapping
	Source   source.Report
	Today    Day
	Together *Together
}

// reading is one row while it is read.
type reading struct {
	Checker
	row  Row
	line Line
}

// Check reads one row and reports everything about it at once.
func (c Checker) Check(row Row) Line {
	r := &reading{Checker: c, row: row, line: Line{N: row.N}}
	if r.aside() {
		return r.line
	}
	r.broken()
	if slices.ContainsFunc(row.Broken, func(p sheet.Problem) bool { return p.Code == sheet.Damaged }) {
		return r.line
	}
	if r.totals() {
		return r.line
	}
	r.person()
	r.account()
	r.mandate()
	r.terms()
	r.together()
	return r.line
}

// chose is what a person chose for the row, or for all rows of the cause.
func (r *reading) chose(cause string) string {
	if choice := r.row.Choices[cause]; choice != "" {
		return choice
	}
	return r.Mapping.Choices[cause]
}

var brokenCauses = map[string]string{sheet.BadQuote: CauseQuotes, sheet.TooFewCells: CauseCells,
	sheet.TooManyCells: CauseCells, sheet.CellTooLong: CauseLength, sheet.BadEncoding: CauseEncoding,
	sheet.HiddenRow: CauseHidden, sheet.Damaged: CauseDamaged, source.Unfit: CauseUnfit, source.Card: CauseCard,
	source.Again: CauseConfirm, source.More: ""}

func (r *reading) broken() {
	for _, p := range r.row.Broken {
		cause := brokenCauses[p.Code]
		if p.Code == source.More {
			continue
		}
		if chosen := r.chose(cause); chosen == choiceYes && (cause == CauseHidden || cause == CauseCells) {
			continue
		}
		f := Finding{Level: levelOf(cause), Cause: cause, Column: p.Column, Message: strings.TrimSuffix(p.Message, ".")}
		if p.Column > 0 {
			f.Name = r.name(p.Column - 1)
		}
		r.line.Findings = append(r.line.Findings, f)
	}
}

func (r *reading) name(column int) string {
	if column < len(r.Header) && r.Header[column] != "" {
		return r.Header[column]
	}
	return LetterOf(column)
}

// cell is what the row says about a field, without stray blanks; ok is false where it says nothing.
func (r *reading) cell(f Field) (text string, ok bool) {
	at := r.Mapping.Column(f)
	if at < 0 || at >= len(r.row.Cells) {
		return "", false
	}
	text = Tidy(r.row.Cells[at])
	if text == "-" && !f.dated() && f != LastDebit {
		r.line.Values.Cleared = append(r.line.Values.Cleared, f)
		return "", false
	}
	return text, text != ""
}

func (r *reading) say(level Level, f Field, cause, format string, args ...any) {
	one := Finding{Level: level, Cause: cause, Field: f, Message: fmt.Sprintf(format, args...)}
	if at := r.Mapping.Column(f); at >= 0 {
		one.Column, one.Name = at+1, r.name(at)
	}
	r.line.Findings = append(r.line.Findings, one)
}

func (r *reading) wrong(f Field, cause, format string, args ...any) {
	r.say(Problem, f, cause, format, args...)
}

// about tells whether a problem with one of the causes was noted.
func (r *reading) about(causes ...string) bool {
	return slices.ContainsFunc(r.line.Findings, func(f Finding) bool {
		return f.Level == Problem && slices.Contains(causes, f.Cause)
	})
}

// text takes a text of one line and at most so many characters.
func (r *reading) text(f Field, most int) string {
	text, _ := r.cell(f)
	if !fault.IsOneLine(text) {
		if r.chose(CauseLine) != choiceYes {
			r.wrong(f, CauseLine, "expected one line; remove the line breaks and control characters")
			return ""
		}
		text = oneLine(text)
	}
	if n := len([]rune(text)); n > most {
		r.wrong(f, CauseLength, "expected at most %d characters, found %d", most, n)
		return ""
	}
	return text
}

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || !fault.IsOneLine(string(c)) }),
		" ")
}

// found is what stands in a cell, cut short; numbers of people are not repeated.
func found(f Field, text string) string {
	if f.secret() {
		return "a number"
	}
	const most = 40
	text = bank.MaskNumbers(text)
	if short := []rune(text); len(short) > most {
		text = string(short[:most]) + "…"
	}
	return "“" + text + "”"
}

var exponent = regexp.MustCompile(`^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$`)

const (
	lostDigits = "the spreadsheet shortened this number to scientific notation, and its digits are lost and " +
		"cannot be brought back: ask for the file again, or export it with this column as text"
)

// number takes the text of an account or identity number; false where it says nothing that can be used.
func (r *reading) number(f Field) (text string, ok bool) {
	text, ok = r.cell(f)
	switch {
	case !ok:
		return "", false
	case exponent.MatchString(text):
		if r.chose(CauseScientific) != choiceDrop {
			r.wrong(f, CauseScientific, "%s", lostDigits)
		} else {
			r.say(Note, f, CauseScientific, "the number was left out: its digits are lost")
		}
		return "", false
	case bank.IsMasked(text) || strings.Contains(text, "***") || strings.Contains(strings.ToLower(text), "xxxx"):
		if r.chose(CauseMasked) != choiceDrop {
			r.wrong(f, CauseMasked, "the number is masked; the file needs it in full")
		}
		return "", false
	}
	return text, true
}

// date takes a date by the order of its column.
func (r *reading) date(f Field) (d Day, ok bool) {
	text, given := r.cell(f)
	if !given {
		return Day{}, false
	}
	t := r.Mapping.Columns[r.Mapping.Column(f)]
	order := t.Dates
	if order == calendar.Unordered {
		order = map[string]calendar.Order{choiceDay: calendar.DayFirst, choiceMonth: calendar.MonthFirst}[r.chose(
			CauseDateOrder)]
	}
	d, err := calendar.ParseWritten(text, order)
	switch {
	case err == nil && (d.Year < 1900 || d.Year > 2100):
		err = calendar.ErrNoSuch
	case err == nil:
		return d, true
	}
	switch {
	case err == calendar.ErrOrder: //nolint:errorlint // as ParseWritten gives it
		r.wrong(f, CauseDateOrder, "%s could be %s; the other dates of the column do not tell", found(f, text),
			bothWays(text))
	case r.chose(CauseDate) == choiceDrop:
		r.say(Note, f, CauseDate, "%s was left out", found(f, text))
	default:
		r.wrong(f, CauseDate, "expected a date such as 2026-11-25, found %s", found(f, text))
	}
	return Day{}, false
}

// bothWays are the two days that a date could be.
func bothWays(text string) string {
	one, errOne := calendar.ParseWritten(text, calendar.DayFirst)
	two, errTwo := calendar.ParseWritten(text, calendar.MonthFirst)
	if errOne != nil || errTwo != nil {
		return "two days"
	}
	return one.Format("2 January 2006") + " or " + two.Format("2 January 2006")
}

var totalWord = regexp.MustCompile(`(?i)^(?:grand |sub-?)?tota(?:l|als?|ls)\b.{0,20}$|^sum\b.{0,12}$|^totaal\b.{0,20}$`)

// totals tells the line that adds the rows up: it names nobody.
func (r *reading) totals() bool {
	for _, f := range []Field{ClientID, Identity, Email, Account, Phone} {
		if _, given := r.cell(f); given {
			return false
		}
	}
	name, _ := r.cell(FullName)
	reference, _ := r.cell(Reference)
	_, amount := r.cell(Amount)
	said := slices.ContainsFunc(r.row.Cells, func(c string) bool { return totalWord.MatchString(Tidy(c)) })
	if !said && (name != "" || reference != "" || !amount) {
		return false
	}
	r.line.Values.Totals = true
	r.line.Values.Cents, _ = r.cents(false)
	r.say(Note, "", CauseTotals, "a line of totals, which is no client")
	return true
}
