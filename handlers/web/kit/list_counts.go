package kit

import (
	"slices"
	"strings"

	"debitdesk/handlers/web/words"
)

// Tally is how many rows a list has: those it shows, and those of each view.
type Tally struct {
	Found RowsFound
	Of    func(View) RowsFound // nil: tabs show no numbers
	Sum   string               // what the rows come to
	Cents Sum                  // the same as a number
}

// RowsFound is how many rows there are, as far as they were counted.
type RowsFound struct {
	n     int64
	exact bool // false: there are more than n
}

// FoundUpTo is a count that stops above a limit; less than 0 says that nobody counted.
func FoundUpTo(n, limit int64) RowsFound {
	if n < 0 {
		return RowsFound{}
	}
	return RowsFound{min(n, limit), n <= limit}
}

// Exactly is the number of rows; false where nobody has counted them all.
func (r RowsFound) Exactly() (int64, bool) { return r.n, r.exact }

// FoundAll is an exact count; less than 0 says that nobody counted.
func FoundAll(n int64) RowsFound { return FoundUpTo(n, max(n, 0)) }

// of writes the number with what is counted: "12 invoices".
func (r RowsFound) of(one, many string) string {
	if r.exact && r.n == 1 {
		many = one
	}
	return r.number() + " " + many
}

func (r RowsFound) number() string {
	switch {
	case r.exact:
		return words.Grouped(r.n)
	case r.n == 0:
		return "many"
	}
	return "more than " + words.Grouped(r.n)
}

// short is the number in a tab.
func (r RowsFound) short() string {
	switch {
	case r.exact:
		return words.Grouped(r.n)
	case r.n == 0:
		return ""
	}
	return words.Grouped(r.n) + "+"
}

// TallyOf adds up counts by state. Under a narrow filter they stop at a limit in all, and then the part of some
// states says nothing. Without counts nothing is known.
func TallyOf[K, S ~string](counts map[K]int64, chosen []S, narrow bool, limit int64) Tally {
	if counts == nil {
		return Tally{}
	}
	found := func(of []S) RowsFound {
		all, shown := int64(0), int64(0)
		for state, n := range counts {
			if all += n; len(of) == 0 || slices.Contains(of, S(state)) {
				shown += n
			}
		}
		return FoundWithin(narrow, len(of) > 0, all, shown, limit)
	}
	return Tally{Found: found(chosen), Of: func(v View) RowsFound { return found(Split[S](v.Value)) }}
}

// FoundWithin is what counts that stop at a limit come to.
func FoundWithin(narrow, some bool, all, shown, limit int64) RowsFound {
	switch cut := narrow && all > limit; {
	case !cut:
		return RowsFound{n: shown, exact: true}
	case some:
		return RowsFound{}
	}
	return RowsFound{n: limit}
}

// ViewOf is a tab of some states.
func ViewOf[S ~string](label, key string, states ...S) View {
	return View{Label: label, Key: key, Value: joined(states)}
}

// rare leaves the tab out while it holds nothing.
func (v View) WhenAny() View {
	v.Rare = true
	return v
}

// Split and joined read and write several states in one value of an address.
func Split[S ~string](text string) (out []S) {
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		if s := S(one); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func joined[S ~string](states []S) string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}
