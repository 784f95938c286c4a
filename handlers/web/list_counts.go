package web

import (
	"slices"
	"strings"
)

// Tally is how many rows a list has: those it shows, and those of each view.
type Tally struct {
	Found rowsFound
	Of    func(View) rowsFound // nil: tabs show no numbers
	Sum   string               // what the rows come to
}

// rowsFound is how many rows there are, as far as they were counted.
type rowsFound struct {
	n     int64
	exact bool // false: there are more than n
}

// foundUpTo is a count that stops above a limit.
func foundUpTo(n, limit int64) rowsFound { return rowsFound{min(n, limit), n <= limit} }

// of writes the number with what is counted: "12 invoices".
func (r rowsFound) of(one, many string) string {
	if r.exact && r.n == 1 {
		many = one
	}
	return r.number() + " " + many
}

func (r rowsFound) number() string {
	switch {
	case r.exact:
		return grouped(r.n)
	case r.n == 0:
		return "many"
	}
	return "more than " + grouped(r.n)
}

// short is the number in a tab.
func (r rowsFound) short() string {
	switch {
	case r.exact:
		return grouped(r.n)
	case r.n == 0:
		return ""
	}
	return grouped(r.n) + "+"
}

// tallyOf adds up counts by state. Under a narrow filter they stop at a limit in all, and then the part of some
// states says nothing.
func tallyOf[K, S ~string](counts map[K]int64, chosen []S, narrow bool, limit int64) Tally {
	found := func(of []S) rowsFound {
		all, shown := int64(0), int64(0)
		for state, n := range counts {
			if all += n; len(of) == 0 || slices.Contains(of, S(state)) {
				shown += n
			}
		}
		return foundWithin(narrow, len(of) > 0, all, shown, limit)
	}
	return Tally{Found: found(chosen), Of: func(v View) rowsFound { return found(split[S](v.Value)) }}
}

// foundWithin is what counts that stop at a limit come to.
func foundWithin(narrow, some bool, all, shown, limit int64) rowsFound {
	switch cut := narrow && all > limit; {
	case !cut:
		return rowsFound{n: shown, exact: true}
	case some:
		return rowsFound{}
	}
	return rowsFound{n: limit}
}

// viewOf is a tab of some states.
func viewOf[S ~string](label, key string, states ...S) View {
	return View{Label: label, Key: key, Value: joined(states)}
}

// rare leaves the tab out while it holds nothing.
func (v View) rare() View {
	v.Rare = true
	return v
}

// split and joined read and write several states in one value of an address.
func split[S ~string](text string) (out []S) {
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
