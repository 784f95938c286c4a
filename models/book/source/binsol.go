package source

import (
	"regexp"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
)

// fnbPayments is the CSV of FNB's online banking, which has lines above its heading. (seven public projects)
var fnbPayments = layout{key: "fnb_binsol", name: "FNB online banking CSV (BInSol)", is: isFNB,
	walk: func() walker { return &fnb{} }}

var binSol = regexp.MustCompile(`(?i)^bin\s?sol\b`)

func isFNB(first []sheet.Row) bool {
	return len(first) > 0 && binSol.MatchString(cell(first[0], 0))
}

// fnbMeanings are the headings that are known, in capitals; those of an older form with them.
var fnbMeanings = map[string]Meaning{"RECIPIENTNAME": FullName, "PAYEENAME": FullName, "RECIPIENTACCOUNT": Account,
	"TOACCOUNT": Account, "RECIPIENTACCOUNTTYPE": Type, "TOACCOUNTTYPE": Type, "BRANCHCODE": Branch, "TOBRANCH": Branch,
	"TOBRANCHCODE": Branch, "AMOUNT": Amount, "EMAIL1": Email, "EMAILADDRESS": Email, "EMAIL1ADDRESS": Email,
	"EMAIL": Email, "RECIPIENTEMAIL": Email}

// Columns that are made of the lines above the heading, and of the references.
const (
	fnbDate     = "Date of the file"
	fnbContract = "Contract reference"
)

var scientific = regexp.MustCompile(`^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$`)

type fnb struct {
	Report    Report
	preamble  int
	date      string
	columns   []Column
	reference []int // columns from whose texts the reference of the contract is taken
	rows      int
}

func (f *fnb) found() ([]Column, Report) {
	r := f.Report
	r.Rows, r.Collects = f.rows, true
	r.Limits = []string{"The same form is used to pay people: check that these are clients whom you debit. It says " +
		"nothing about how often: each debit is taken as monthly. It holds no signing dates."}
	return f.columns, r
}

func (f *fnb) line(r sheet.Row) (sheet.Row, bool, error) {
	switch {
	case blank(r):
		return r, false, nil
	case f.columns == nil:
		return r, false, f.above(r)
	}
	if sum := totalOf(r); sum {
		return f.Report.aside(r, "totals", "a line of totals, which is no client")
	}
	f.rows++
	row := sheet.Row{Number: r.Number, Cells: slices.Clone(r.Cells), Broken: slices.Clone(r.Broken)}
	fit(&row, len(f.columns)-2)
	contract := ""
	for _, at := range f.reference {
		if contract = contractIn(row.Cells[at]); contract != "" {
			break
		}
	}
	row.Cells = append(row.Cells, contract, f.date)
	return row, true, nil
}

// totalOf tells a line whose first cell says that it adds up the others.
func totalOf(r sheet.Row) bool {
	return strings.HasPrefix(strings.ToUpper(cell(r, 0)), "TOTAL") && cell(r, 1) == ""
}

// mostAbove is how many lines may be above the heading.
const mostAbove = 15

// above reads a line above the heading, or the heading.
func (f *fnb) above(r sheet.Row) error {
	f.preamble++
	heads := map[Meaning]bool{}
	for n := range r.Cells {
		heads[fnbMeanings[strings.ToUpper(plain(cell(r, n)))]] = true
	}
	switch text := cell(r, 0); {
	case heads[Account] && heads[FullName]:
		return f.heading(r)
	case f.preamble > mostAbove:
		return noFNBHeading()
	case binSol.MatchString(text):
	case f.preamble == 2 && f.date == "":
		f.date = text
		if text = mention(text); text != "" {
			f.Report.told("dated %s", text)
		}
	case scientific.MatchString(text):
		f.Report.warn("The number of your own account above the heading was shortened to scientific notation. A " +
			"spreadsheet has opened this file: look for other numbers that lost digits, or export it again.")
	case len(text) >= 7 && digits.MatchString(bank.CleanAccount(text).Reveal()):
		f.Report.told("own account %s", bank.CleanAccount(text))
	}
	return nil
}

func (f *fnb) heading(r sheet.Row) error {
	taken := map[Meaning]bool{}
	width := len(r.Cells)
	for width > 0 && cell(r, width-1) == "" {
		width--
	}
	var own []int
	for n := range width {
		word := strings.ToUpper(plain(cell(r, n)))
		c := Column{Name: mention(cell(r, n)), Means: fnbMeanings[word]}
		if c.Means == "" && strings.Contains(word, "EMAIL") && strings.Contains(word, "1") {
			c.Means = Email
		}
		switch {
		case taken[c.Means]:
			c.Means = ""
		case c.Means != "":
			taken[c.Means] = true
		case word == "RECIPIENTREFERENCE" || word == "THEIRREFERENCE" || word == "TOREFERENCE":
			f.reference = append(f.reference, n)
		case word == "OWNREFERENCE" || word == "FROMREFERENCE" || word == "MYREFERENCE":
			own = append(own, n)
		case c.Name != "":
			f.Report.Unknown = append(f.Report.Unknown, c.Name)
		}
		f.columns = append(f.columns, c)
	}
	f.reference = append(f.reference, own...)
	if len(f.columns) > sheet.MaxColumns {
		f.columns = f.columns[:sheet.MaxColumns]
	}
	f.columns = append(f.columns, Column{Name: fnbContract, Means: Reference}, Column{Name: fnbDate, Means: LastDebit})
	return nil
}

func noFNBHeading() error {
	return refuse("fnb_heading", "The file begins as a CSV of FNB’s online banking and has no line of headings with "+
		"RECIPIENT NAME and RECIPIENT ACCOUNT.")
}

func (f *fnb) end() error {
	switch {
	case f.columns == nil:
		return noFNBHeading()
	case f.rows == 0:
		return refuse("empty_file", "The FNB file has no rows below its heading.")
	}
	return nil
}
