package batch

import (
	"slices"
	"strings"
)

// Group is one cause and every row that has it.
type Group struct {
	Cause   string // that of its problems
	Field   Field  // the first row's
	Column  int    // from 1; 0 when it is the whole row
	Title   string // the cause for a person
	Rows    []int  // as a spreadsheet shows them, in the order they came
	Example string // the first row's problem with its place
	Fixes   []Fix  // what fixes all of them at once, if anything does
}

// Groups collects problems by cause while rows pass by.
type Groups struct {
	byCause map[groupKey]*Group
	order   []*Group
}

type groupKey struct {
	cause  string
	column int
}

// Add takes one line's problems.
func (g *Groups) Add(l Line) {
	if g.byCause == nil {
		g.byCause = map[groupKey]*Group{}
	}
	for _, p := range l.Problems {
		key := groupKey{p.Cause, p.Column}
		if p.Cause == CauseQuotes || p.Cause == CauseCells {
			key.column = 0
		}
		one, known := g.byCause[key]
		if !known {
			one = &Group{Cause: p.Cause, Field: p.Field, Column: key.column, Title: title(p), Example: p.At(l.Row),
				Fixes: FixesOf(p)}
			g.byCause[key] = one
			g.order = append(g.order, one)
		}
		if n := len(one.Rows); n == 0 || one.Rows[n-1] != l.Row {
			one.Rows = append(one.Rows, l.Row)
		}
	}
}

// List gives the groups, the largest first; equal ones in the order they were met.
func (g *Groups) List() []Group {
	list := make([]Group, len(g.order))
	for i, one := range g.order {
		list[i] = *one
	}
	slices.SortStableFunc(list, func(a, b Group) int { return len(b.Rows) - len(a.Rows) })
	return list
}

var titles = map[string]string{
	CauseDateOrder:   "Day and month could be either way round",
	CauseDate:        "Not a valid date",
	CauseDecimalMark: "Thousands or decimals?",
	CauseDecimals:    "Too many decimals",
	CauseNumber:      "Not a valid number",
	CauseRange:       "Out of range",
	CauseScientific:  "Digits lost in scientific notation",
	CauseEmail:       "Not a valid e-mail address",
	CauseStray:       "Blanks and stray characters in the addresses",
	CausePhone:       "Not a valid phone number",
	CauseID:          "Not a valid ID number",
	CauseClientID:    "Not a client id",
	CauseBank:        "Not a valid bank account",
	CauseChoice:      "Not one of the choices",
	CauseLength:      "Too long",
	CauseLine:        "More than one line",
	CauseQuotes:      "Unbalanced quotation marks",
	CauseCells:       "Too few or too many cells",
	CauseEncoding:    "Characters that could not be read",
	CauseHidden:      "Hidden in the spreadsheet",
	CauseDamaged:     "Rows that can no longer be read",
	CauseTotal:       "The products do not add up to the amount",
	CausePast:        "The due date has passed",
	CauseUnknown:     "No such client yet",
	CauseClient:      "Which client is it?",
	causeCharge:      "This debit cannot be planned",
	causeDetails:     "Not enough details to add a client",
}

func title(p Problem) string {
	words, known := titles[p.Cause]
	switch {
	case strings.HasPrefix(p.Cause, "required_"):
		words = "Missing: " + Field(strings.TrimPrefix(p.Cause, "required_")).Label()
		return words
	case !known:
		words = "Cannot be sent as it is" // never a code of ours
	}
	if p.Cause == CauseUnknown || p.Cause == CauseClient || p.Cause == causeDetails {
		return words
	}
	if p.Cause == causeCharge {
		return words + ": " + strings.ToLower(p.Field.Label())
	}
	if p.Name != "" && p.Cause != CauseQuotes && p.Cause != CauseCells {
		words += " in column " + p.Name
	}
	return words
}
