package components

import (
	"strconv"

	"github.com/a-h/templ"
)

// Total is how many rows a figure was made of, and what they come to. A figure that can be opened carries it, and the
// foot of the list that it opens carries the same. An empty part is not known, or means nothing.
type Total struct{ Count, Cents string }

// TotalOf is a number of rows with their sum.
func TotalOf(n, cents int64) Total {
	return Total{Count: strconv.FormatInt(n, 10), Cents: strconv.FormatInt(cents, 10)}
}

// CountOf is a number of rows without a sum.
func CountOf(n int64) Total { return Total{Count: strconv.FormatInt(n, 10)} }

// Attrs are the total as attributes of what shows it.
func (t Total) Attrs() templ.Attributes {
	a := templ.Attributes{}
	if t.Count != "" {
		a["data-count"] = t.Count
	}
	if t.Cents != "" {
		a["data-cents"] = t.Cents
	}
	return a
}

// Figure is a figure in words that leads to the rows it was made of.
type Figure struct {
	Text, Href string
	Total      Total
	Label      string // what is read out in place of the text, where the text alone says too little
}
