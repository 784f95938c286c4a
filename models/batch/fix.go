package batch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// Fix is one way to fix every row of a cause at once. Choice is empty where there is only one way.
type Fix struct {
	Cause  string
	Column int // from 1; 0: the whole row
	Choice string
	Dated  bool   // a person gives the date that is the choice
	Label  string // the button, for a person
}

// FixesOf gives the ways to fix a problem wherever it occurs; none where only a person can tell.
func FixesOf(p Problem) []Fix {
	fix := func(choice, label string) Fix {
		return Fix{Cause: p.Cause, Column: p.Column, Choice: choice, Label: label}
	}
	switch p.Cause {
	case CauseDateOrder:
		return []Fix{fix(string(calendar.DayFirst), "The day comes first (3/4/2026 is 3 April)"),
			fix(string(calendar.MonthFirst), "The month comes first (3/4/2026 is 4 March)"),
			fix(string(calendar.YearFirst), "The year comes first (26/3/4 is 4 March)")}
	case CauseDecimalMark:
		return []Fix{fix(string(money.CommaMark), "A comma comes before decimals (1.234 is R 1 234)"),
			fix(string(money.PointMark), "A point comes before decimals (1,234 is R 1 234)")}
	case CausePast, RequiredOf(Due), causeCharge:
		if p.Field != Due || p.Column == 0 {
			return nil // the date stands in no column: it is given with the columns
		}
		f := fix("", "Use this due date")
		f.Dated = true
		return []Fix{f}
	case CauseDecimals:
		return []Fix{fix("", roundLabel(p.Field))}
	case CauseLine:
		return []Fix{fix("", "Put the text on one line")}
	case CauseUnknown:
		return []Fix{fix(string(CreateClient), "Create a client for each of these rows")}
	case CauseStray:
		return []Fix{fix("", "Remove blanks and stray characters from the addresses")}
	case CauseQuotes:
		f := fix("", "Remove the quotation marks")
		f.Column = 0
		return []Fix{f}
	case CauseHidden:
		return []Fix{fix("", "Bill the hidden rows, too")}
	case CauseCells:
		f := fix("", "Leave out extra cells, and take missing cells as empty")
		f.Column = 0
		return []Fix{f}
	}
	return nil
}

// FixAll fixes the raw cells of one row and tells whether anything changed. Cells are changed in a copy, and only where
// the outcome is readable; the row is then checked again like any other.
//
// A choice about how texts are written touches no number: numbers are the columns, from 0, whose cells are numbers in
// the workbook.
func FixAll(m Mapping, fix Fix, cells []string, numbers ...int) ([]string, bool) {
	fixed := slices.Clone(cells)
	if fix.Cause == CauseCells && len(fixed) > len(m.Columns) {
		fixed = fixed[:len(m.Columns)]
	}
	for i := range fixed {
		if fix.Column != 0 && i != fix.Column-1 || i >= len(m.Columns) {
			continue
		}
		if fix.aboutText() && slices.Contains(numbers, i) {
			continue
		}
		m.Columns = m.reading(i, numbers)
		fixed[i] = fixCell(m.Columns[i], fix, fixed[i])
	}
	return fixed, !slices.Equal(fixed, cells)
}

func fixCell(t Target, fix Fix, cell string) string {
	text := Tidy(cell)
	switch {
	case fix.Cause == CauseDateOrder && t.Field == Due:
		return fixDate(t, calendar.Order(fix.Choice), cell)
	case fix.Cause == CauseDecimalMark && t.Field.number():
		return fixNumber(t, money.Mark(fix.Choice), cell)
	case fix.setsDue() && t.Field == Due:
		return otherDate(fix.Choice, cell)
	case fix.Cause == CauseDecimals && t.Field.number():
		return fixDecimals(t, text, cell)
	case fix.Cause == CauseLine:
		return oneLine(cell)
	case fix.Cause == CauseStray && t.Field == Email:
		if tidy, ok := client.TidyEmail(text); ok && tidy != text {
			return tidy
		}
	case fix.Cause == CauseQuotes:
		return strings.TrimSpace(strings.ReplaceAll(cell, `"`, ""))
	}
	return cell
}

// aboutText tells a choice about how a text is to be read.
func (f Fix) aboutText() bool { return f.Cause == CauseDecimalMark || f.Cause == CauseDateOrder }

// reading are the columns as a row with these numbers is read: a number has a point before its decimals, whatever the
// texts of its column have.
func (m Mapping) reading(column int, numbers []int) []Target {
	if !slices.Contains(numbers, column) {
		return m.Columns
	}
	columns := slices.Clone(m.Columns)
	columns[column].Decimal = money.PointMark
	return columns
}

// done says what a fix did, without naming anybody.
func (f Fix) done(rows int) string {
	said := plural.Of(rows, "row") + " fixed together"
	if title, known := titles[f.Cause]; known {
		said += ": " + strings.TrimSuffix(title, "?")
	}
	if f.Cause == CauseUnknown {
		said = "New clients for " + plural.Of(rows, "row")
	}
	return said + "."
}

// setsDue tells a fix that gives rows another due date: the day has passed, is missing, or is too soon for a debit.
func (f Fix) setsDue() bool {
	return f.Cause == CausePast || f.Cause == RequiredOf(Due) || f.Cause == causeCharge
}

// otherDate is the date that a person gave for all rows.
func otherDate(choice, cell string) string {
	if d, err := calendar.ParseDate(strings.TrimSpace(choice)); err == nil {
		return d.String()
	}
	return cell
}

// fixDate writes a date that its column could not tell as YYYY-MM-DD.
func fixDate(t Target, order calendar.Order, cell string) string {
	if _, err := calendar.ParseWritten(Tidy(cell), t.Dates); err == nil {
		return cell
	}
	d, err := calendar.ParseWritten(Tidy(cell), order)
	if err != nil {
		return cell
	}
	return d.String()
}

// fixNumber writes a number that its column could not tell without thousands, 1234.00 for an amount.
func fixNumber(t Target, mark money.Mark, cell string) string {
	if _, err := money.PlainNumber(Tidy(cell), t.Decimal); err == nil {
		return cell
	}
	if base, _ := t.Field.parts(); base == Quantity || base == TaxPercent {
		plain, err := money.PlainNumber(Tidy(cell), mark)
		if err != nil {
			return cell
		}
		if strings.Contains(plain, ".") {
			plain += "0" // 1.234 alone would be ambiguous again
		}
		return plain
	}
	cents, err := money.ParseMarked(Tidy(cell), mark)
	if err != nil {
		return cell
	}
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// places is how many decimals a number may have.
func (f Field) places() int32 {
	base, _ := f.parts()
	if base == Quantity {
		return quantityPlaces
	}
	return taxPlaces // an amount has as many: its cents
}

func roundLabel(f Field) string {
	base, _ := f.parts()
	if base == Quantity {
		return "Round to four decimals (0.33335 is 0.3334)"
	}
	if base == TaxPercent {
		return "Round to two decimals (14.995 is 15)"
	}
	return "Round to cents (33.335 is R 33,34)"
}

// fixDecimals rounds half up what a spreadsheet computed to more decimals than it may have.
func fixDecimals(t Target, text, cell string) string {
	plain, err := money.PlainNumber(text, t.Decimal)
	if err != nil {
		return cell
	}
	d, err := decimal.NewFromString(plain)
	if err != nil || d.Equal(d.Truncate(t.Field.places())) {
		return cell
	}
	return d.StringFixed(t.Field.places())
}

// oneLine puts the lines of a text behind each other.
func oneLine(cell string) string {
	between := func(r rune) bool { return r == ' ' || !fault.IsOneLine(string(r)) }
	return strings.Join(strings.FieldsFunc(cell, between), " ")
}
