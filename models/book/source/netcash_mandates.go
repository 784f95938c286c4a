package source

import (
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/money"
)

// netcashMandates is the file of mandates that a Netcash merchant asks for and fetches. (Netcash: mandate data; the
// places of its columns by two public projects)
var netcashMandates = layout{key: "netcash_mandates", name: "Netcash mandate data", is: isNetcashMandates,
	walk: func() walker { return &mandates{} }}

func isNetcashMandates(first []sheet.Row) bool {
	if len(first) == 0 {
		return false
	}
	start := strings.ToUpper(cell(first[0], 0))
	return strings.HasPrefix(start, "###BEGIN") || strings.HasPrefix(start, "###ERROR") ||
		strings.HasPrefix(start, "FILE NOT READY")
}

// mandateColumns are the columns whose places are known, from 0. The others have a number, and a person says by their
// examples what they mean.
var mandateColumns = map[int]Column{
	0: {Name: "Mandate status", Means: MandateStatus}, 1: {Name: "Account reference", Means: Reference},
	2: {Name: "Name", Means: FullName}, 3: rands("Amount"), 11: {Name: "Frequency", Means: Cycle},
	12: {Name: "First month"}, 13: {Name: "Debit day", Means: Day}, 14: {Name: "Agreement date", Means: SignedOn},
	15: {Name: "Agreement reference", Means: OldMandate}, 16: {Name: "Days of notice"}, 17: {Name: "Rule for holidays"},
}

// leastMandate is how many columns a line has at least for its known ones to be where they should be.
const leastMandate = 18

// mandateStatuses are the states of a mandate in words; the book knows what follows from them.
var mandateStatuses = map[string]string{"1": "being captured", "2": "waiting", "3": "expired", "4": "failed",
	"5": "declined", "6": "accepted", "7": "changed", "8": "being captured", "9": "verified", "10": "not verified",
	"11": "being captured"}

type mandates struct {
	Report       Report
	width        int
	begun, ended bool
}

func (m *mandates) found() ([]Column, Report) {
	out := make([]Column, m.width)
	for n := range out {
		c, known := mandateColumns[n]
		if !known {
			c.Name = "Column " + strconv.Itoa(n+1)
			m.Report.Unknown = append(m.Report.Unknown, c.Name)
		}
		out[n] = c
	}
	m.Report.Limits = []string{"The signed mandates are not in this file: Netcash gives each as a PDF. The columns of " +
		"the bank account and the ID number have no fixed places: choose them by their examples."}
	return out, m.Report
}

func (m *mandates) line(r sheet.Row) (sheet.Row, bool, error) {
	start := strings.ToUpper(cell(r, 0))
	switch {
	case blank(r):
		return r, false, nil
	case strings.HasPrefix(start, "FILE NOT READY"):
		return r, false, refuse("netcash_not_ready", "Netcash had not finished this file when it was fetched: it says "+
			"FILE NOT READY. Fetch it again in a few minutes.")
	case strings.HasPrefix(start, "###ERROR"):
		return r, false, refuse("netcash_error", "Netcash answered with an error in place of the mandates. Ask for the "+
			"file again.")
	case strings.HasPrefix(start, "###BEGIN"):
		if m.begun {
			return r, false, refuse("netcash_two", "The file has two lines ###BEGIN: it is more than one Netcash file. "+
				"Upload each alone.")
		}
		m.begun = true
		if day := mention(isoDay(cell(r, 1))); day != "" {
			m.Report.told("made on %s", day)
		}
		return r, false, nil
	case strings.HasPrefix(start, "###END"):
		m.ended = true
		return r, false, nil
	case m.ended:
		return m.Report.aside(r, "after ###END", "the line comes after ###END, which ends the file")
	}
	return m.mandate(r), true, nil
}

func (m *mandates) mandate(r sheet.Row) sheet.Row {
	m.Report.Rows++
	row := sheet.Row{Number: r.Number, Cells: slices.Clone(r.Cells), Broken: slices.Clone(r.Broken)}
	for len(row.Cells) > sheet.MaxColumns {
		row.Cells = row.Cells[:sheet.MaxColumns]
	}
	if len(row.Cells) < leastMandate {
		fit(&row, leastMandate)
	}
	m.width = max(m.width, len(row.Cells))
	if status := cell(row, 0); status != "" {
		if words, known := mandateStatuses[strings.TrimLeft(status, "0")]; known {
			row.Cells[0] = words
		}
	}
	if text := cell(row, 3); text != "" {
		switch cents, exact := centsIn(text); {
		case exact:
			row.Cells[3] = money.Plain(cents)
		case decimals.MatchString(text):
			unfit(&row, 3, "the amount has a part of a cent")
		}
	}
	if cell(row, 11) == "1" {
		row.Cells[11] = "monthly"
	}
	row.Cells[14] = isoDay(cell(row, 14))
	return row
}

func (m *mandates) end() error {
	if m.Report.Rows == 0 {
		return refuse("empty_file", "The file of Netcash has no mandates.")
	}
	if !m.ended {
		m.Report.warn("The file does not end with ###END: it may have been cut short.")
	}
	return nil
}
