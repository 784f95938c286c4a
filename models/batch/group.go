package batch

import (
	"slices"
	"strings"
)

// Group is one cause and every row that has it.
type Group struct {
	Cause   string // a Problem's Mend
	Field   Field  // the first row's
	Column  int    // from 1; 0 when it is the whole row
	Title   string // the cause for a person
	Rows    []int  // as a spreadsheet shows them, in the order they came
	Example string // the first row's problem with its place
	Fixes   []Fix  // what mends all of them at once, if anything does
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
		key := groupKey{p.Mend, p.Column}
		if p.Mend == MendQuotes || p.Mend == MendCells {
			key.column = 0
		}
		one, known := g.byCause[key]
		if !known {
			one = &Group{Cause: p.Mend, Field: p.Field, Column: key.column, Title: title(p), Example: p.At(l.Row),
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
	MendDateOrder: "Day and month could be either way round", MendDate: "No date",
	MendDecimalMark: "Thousands or decimals?",
	MendDecimals:    "Too many decimals", MendNumber: "No number", MendRange: "Out of range",
	MendScientific: "Digits lost in scientific notation",
	MendEmail:      "No e-mail address", MendPhone: "No phone number", MendID: "No valid ID number",
	MendClientID: "No client id", MendBank: "No valid bank account",
	MendChoice: "Not one of the choices", MendLength: "Too long", MendLine: "More than one line",
	MendQuotes: "Unbalanced quotation marks", MendCells: "Too few or too many cells",
	MendEncoding: "Characters that could not be read", MendTotal: "The products do not add up to the amount",
	MendPast:    "The due date has passed",
	MendUnknown: "No such client yet", MendClient: "Which client is it?", mendCharge: "This debit cannot be planned",
	mendDetails: "Not enough to make a client",
}

func title(p Problem) string {
	words, known := titles[p.Mend]
	switch {
	case strings.HasPrefix(p.Mend, "required_"):
		words = "Missing: " + Field(strings.TrimPrefix(p.Mend, "required_")).Label()
		return words
	case !known:
		words = "Cannot be sent as it is" // never a code of ours
	}
	if p.Mend == MendUnknown || p.Mend == MendClient || p.Mend == mendDetails {
		return words
	}
	if p.Mend == mendCharge {
		return words + ": " + strings.ToLower(p.Field.Label())
	}
	if p.Name != "" && p.Mend != MendQuotes && p.Mend != MendCells {
		words += " in column " + p.Name
	}
	return words
}
