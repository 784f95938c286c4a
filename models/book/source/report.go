package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// Report is what reading a file of a known layout found. It never holds a credential, nor a number of an account.
type Report struct {
	Layout   string   `json:"layout,omitempty"` // its short name; empty: a table whose columns were guessed
	Name     string   `json:"name,omitempty"`   // for a person
	Rows     int      `json:"rows,omitempty"`   // that are clients
	Told     []string `json:"told,omitempty"`   // what the file says about itself
	Dropped  []string `json:"dropped,omitempty"`
	Aside    []Left   `json:"aside,omitempty"`
	Sums     []Sum    `json:"sums,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Limits   []string `json:"limits,omitempty"`  // what such files do not hold
	Unknown  []string `json:"unknown,omitempty"` // columns whose meaning is not known
	// AskTypes tells that public sources disagree about the digits of its account types, so that a person has to say.
	AskTypes bool `json:"ask_types,omitempty"`
	// OnlyJoins tells that its rows cannot make clients: each joins a mandate that is there.
	OnlyJoins bool `json:"only_joins,omitempty"`
	// Collects tells that each row is a debit that the old system was told to make.
	Collects bool `json:"collects,omitempty"`
	// Several tells that rows with the code More add to the client of an earlier row.
	Several bool `json:"several,omitempty"`
	// Patterns are templates that the file tells whole.
	Patterns []Pattern `json:"patterns,omitempty"`
	With     []With    `json:"with,omitempty"`
}

// With is another file of the same import: one whose columns were joined to the rows, or one of debits that the old
// system plans.
type With struct {
	File   string `json:"file"`
	Key    string `json:"key,omitempty"` // by which it was joined, for a person; empty: it is of planned debits
	Joined int    `json:"joined"`        // rows that found a row of the first file; planned debits that are understood
	Alone  int    `json:"alone"`         // rows that did not
	Report Report `json:"report"`
}

// Words says what became of the file, in one sentence.
func (w With) Words() string {
	if w.Key == "" {
		return fmt.Sprintf("%s: %s of the old system kept against double debits, %s not understood.", w.File,
			plural.Of(w.Joined, "planned debit"), plural.Of(w.Alone, "row"))
	}
	return fmt.Sprintf("%s: joined by %s, %s found a row of the first file, %s did not.", w.File, w.Key,
		plural.Of(w.Joined, "row"), plural.Of(w.Alone, "row"))
}

// Left is a kind of lines that were left out.
type Left struct {
	What  string `json:"what"`
	Lines int    `json:"lines"`
}

// Sum is a check sum of a file: what the file says, and what its lines add up to.
type Sum struct {
	What   string `json:"what"`
	Says   string `json:"says"`
	Found  string `json:"found"`
	Agrees bool   `json:"agrees"`
}

// Known tells that the layout was recognised.
func (r Report) Known() bool { return r.Layout != "" }

// Words sums up what was read, in one sentence.
func (r Report) Words() string {
	said := []string{plural.Of(r.Rows, "row") + " read"}
	for _, d := range r.Dropped {
		said = append(said, d+" dropped")
	}
	for _, a := range r.Aside {
		said = append(said, plural.Of(a.Lines, "line")+" left out ("+a.What+")")
	}
	if r.Name == "" {
		return ""
	}
	return r.Name + ": " + strings.Join(append(said, r.Told...), ", ") + "."
}

// SumWords says whether the check sums agree; empty where there are none.
func (r Report) SumWords() string {
	var agree, differ []string
	for _, s := range r.Sums {
		if s.Agrees {
			agree = append(agree, s.What+" "+s.Says)
		} else {
			differ = append(differ, fmt.Sprintf("%s: the file says %s, and its lines give %s", s.What, s.Says, s.Found))
		}
	}
	switch {
	case len(differ) > 0:
		return "The check sums of the file do not agree with its lines: " + strings.Join(differ, "; ") +
			". It may have been cut or changed: ask for it again."
	case len(agree) > 0:
		return "The check sums of the file agree with its lines: " + strings.Join(agree, ", ") + "."
	}
	return ""
}

// Agree tells that no check sum differs.
func (r Report) Agree() bool {
	return !slices.ContainsFunc(r.Sums, func(s Sum) bool { return !s.Agrees })
}

func (r *Report) count(what string, says, found int64) {
	r.Sums = append(r.Sums, Sum{what, strconv.FormatInt(says, 10), strconv.FormatInt(found, 10), says == found})
}

func (r *Report) cents(what string, says, found int64) {
	r.Sums = append(r.Sums, Sum{what, money.Format(says, money.ZAR), money.Format(found, money.ZAR), says == found})
}

func (r *Report) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Warnings, text) && len(r.Warnings) < mostWarnings {
		r.Warnings = append(r.Warnings, text)
	}
}

const mostWarnings = 20

func (r *Report) told(format string, args ...any) {
	r.Told = append(r.Told, fmt.Sprintf(format, args...))
}

// drop notes that something of the file was not kept.
func (r *Report) drop(what string) {
	if !slices.Contains(r.Dropped, what) {
		r.Dropped = append(r.Dropped, what)
	}
}

// aside is a row that counts and is left out; what it holds is not kept.
func (r *Report) aside(line sheet.Row, what, why string) (sheet.Row, bool, error) {
	if at := slices.IndexFunc(r.Aside, func(l Left) bool { return l.What == what }); at >= 0 {
		r.Aside[at].Lines++
	} else {
		r.Aside = append(r.Aside, Left{what, 1})
	}
	return sheet.Row{Number: line.Number, Broken: []sheet.Problem{{Code: Aside, Message: why}}}, true, nil
}

// unknown is a line that no record of the layout looks like.
func (r *Report) unknown(line sheet.Row) (sheet.Row, bool, error) {
	return r.aside(line, "not of this layout", "the line is not a record of this layout")
}
