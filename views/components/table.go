package components

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// Table is a table of finished cells. Label names it for screen readers; Class is for one that looks different.
type Table struct {
	Label, Class string
	Heads        []Head
	Rows         []Row
	Select       Selection
}

// Row is one row. ID, Label, Cents and Ticked are those of its check box, where rows can be ticked; Peek is its page,
// where that can be looked at beside the list.
type Row struct {
	ID, Label string
	Cents     string // what it adds to the sum of the ticked rows; empty: nothing
	Ticked    bool
	Peek      string
	Cells     []Cell
}

// Cell is what stands in one place of a table: Text, Time, Pill or Part. A cell with none of them shows Blank, and
// one without a Blank shows a dash and is left out on phones. Under a Hidden head stand the acts on the row.
type Cell struct {
	Text   string
	Href   string // makes Text the link of the row
	Strong bool   // makes Text the heading of a row that has no link
	Note   string // beside the heading of the row
	Look   string // classes of Text or its link
	Time   Time
	Pill   Pill
	Part   templ.Component // anything else
	Second string          // a second line, unless it repeats Text
	Small  string          // classes of the second line
	Under  templ.Component // a second line of anything else
	Class  string          // classes of the whole cell
	Blank  string
}

func (c Cell) blank() bool {
	return c.Text == "" && c.Time.Text == "" && c.Pill.Word == "" && c.Part == nil
}

// longest is how many characters of a text without a place to break stand in a cell; the rest is cut with an ellipsis.
const longest = 24

// long tells that a word of the text is too long for its column, which it would push the others away from.
func (c Cell) long() bool {
	for word := range strings.FieldsSeq(c.Text) {
		if utf8.RuneCountInString(word) > longest {
			return true
		}
	}
	return false
}

// second tells whether there is a second line.
func (c Cell) second() bool { return c.Under != nil || c.Second != "" && c.Second != c.Text }

// heads tells whether the cell is the heading of its row.
func (c Cell) heads() bool { return c.Href != "" || c.Strong }

// label is what stands before the cell where rows fold into blocks; their heading has none.
func (c Cell) label(h Head) templ.Attributes {
	if c.heads() || h.Hidden {
		return nil
	}
	return templ.Attributes{"data-label": h.Label}
}

func (c Cell) class(h Head) string {
	return words(h.class(), c.Class, when(c.Time.Text != "", "nowrap"), when(h.Hidden, "actions"),
		when(c.blank() && c.Blank == "" && !c.second() && !h.Hidden, "phone-hide"))
}

// words puts classes side by side.
func words(classes ...string) string {
	return strings.Join(slices.DeleteFunc(classes, func(one string) bool { return one == "" }), " ")
}
