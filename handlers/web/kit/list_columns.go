package kit

import (
	"cmp"
	"strings"
	"time"

	"github.com/a-h/templ"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// Column is one column of a list: its cells on the page, and what it is in the file. Without a Cell it is in the file
// alone.
type Column[T any] struct {
	Head  components.Head
	Class string // of its cells
	Cell  func(T) components.Cell
	File  []FileColumn[T]
	Sort  string // the order of the list by the column; empty: there is none
	// sortUp: whoever sorts by the column wants the smallest first.
	sortUp bool
	// Card is where the column stands where rows fold into cards; empty: with the small facts below.
	Card CardPlace
	// Extra columns are shown to those who choose them.
	Extra bool
}

// CardPlace is a place on the card of a row, which is what a phone shows: the heading stands above with the
// Aside beside it, then the Lead with the Corner beside it, and then the other columns, small and with their
// names.
type CardPlace string

// The places.
const (
	Aside  CardPlace = "card-aside"
	Lead   CardPlace = "card-lead"
	Corner CardPlace = "card-corner"
)

// OnCard gives the column a place on the card.
func (c Column[T]) OnCard(place CardPlace) Column[T] {
	c.Card = place
	return c
}

// OnlyChosen leaves the column out for all but those who choose it.
func (c Column[T]) OnlyChosen() Column[T] {
	c.Extra = true
	return c
}

// Key names a column in an address and in what a person has chosen.
func (c Column[T]) Key() string {
	name, _, _ := strings.Cut(c.Head.Label, ",")
	return strings.ReplaceAll(strings.ToLower(name), " ", "-")
}

// FileColumn is one column of a file, with its width in characters.
type FileColumn[T any] struct {
	export.Head
	Cell func(T) export.Cell
}

// column has cells of its own.
func ColumnOf[T any](label string, cell func(T) components.Cell) Column[T] {
	return Column[T]{Head: components.Head{Label: label}, Cell: cell}
}

// ActColumn leads from each row to where something is done about it; href is empty where there is nothing to do. Who
// it is about stands in the name of the link.
func ActColumn[T any](label string, of, href func(T) string) Column[T] {
	return Column[T]{Head: components.Head{Label: "Act", Hidden: true}, Cell: func(item T) components.Cell {
		to := href(item)
		if to == "" {
			return components.Cell{Blank: " "}
		}
		return components.Cell{Part: components.LinkButton(components.Button{Label: label, Small: true, Href: to,
			Attrs: templ.Attributes{"aria-label": label + " " + of(item)}})}
	}}
}

// TextColumn shows a text, and is the same in the file.
func TextColumn[T any](label string, width float64, of func(T) string) Column[T] {
	return ColumnOf(label, func(item T) components.Cell { return components.Cell{Text: of(item)} }).FileText(label, width,
		of)
}

// PillColumn shows a state; in the file stands its word.
func PillColumn[T any](label string, width float64, of func(T) components.Pill) Column[T] {
	return ColumnOf(label, func(item T) components.Cell { return components.Cell{Pill: of(item)} }).
		FileText(label, width, func(item T) string { return of(item).Word }).OnCard(Corner)
}

// DayColumn shows the day of an instant, and blank where there is none; "" is a dash.
func DayColumn[T any](label string, width float64, blank string, of func(T) time.Time) Column[T] {
	return ColumnOf(label, func(item T) components.Cell {
		return components.Cell{Time: words.DayOf(of(item)),
			Blank: blank}
	}).
		InFile(label+" (SAST)", width, func(item T) export.Cell { return export.DayOf(of(item)) })
}

// MomentColumn shows an instant to the minute; the file has the seconds.
func MomentColumn[T any](label string, width float64, of func(T) time.Time) Column[T] {
	return ColumnOf(label, func(item T) components.Cell { return components.Cell{Time: words.Moment(of(item))} }).Zoned().
		InFile(label+" (SAST)", width, func(item T) export.Cell { return export.Moment(of(item)) })
}

// DateColumn shows a date.
func DateColumn[T any](label string, width float64, of func(T) calendar.Date) Column[T] {
	return ColumnOf(label, func(item T) components.Cell { return components.Cell{Time: words.DayTime(of(item))} }).
		InFile(label, width, func(item T) export.Cell { return export.Day(of(item)) })
}

// FileColumns begins a column that is in the file alone.
func FileColumns[T any]() Column[T] { return Column[T]{} }

// file adds a column to the file.
func (c Column[T]) InFile(label string, width float64, cell func(T) export.Cell) Column[T] {
	c.File = append(c.File, FileColumn[T]{export.Head{Text: label, Width: width}, cell})
	return c
}

func (c Column[T]) FileText(label string, width float64, of func(T) string) Column[T] {
	return c.InFile(label, width, func(item T) export.Cell { return TextCell(of(item)) })
}

// Number sets the column to the right.
func (c Column[T]) Number() Column[T] {
	c.Head.Num = true
	return c
}

// OnPageAlone leaves the column out of the file.
func (c Column[T]) OnPageAlone() Column[T] {
	c.File = nil
	return c
}

// InOneLine keeps each line of a cell whole.
func (c Column[T]) InOneLine() Column[T] {
	c.Class = "nowrap"
	return c
}

// NotOnPhones leaves the column out where there is little room.
func (c Column[T]) NotOnPhones() Column[T] {
	c.Class = "phone-hide"
	return c
}

// Zoned says that the column shows times in SAST.
func (c Column[T]) Zoned() Column[T] {
	c.Head.Zone = "SAST"
	return c
}

// words is a cell of a file with what the page shows.
func TextCell(text string) export.Cell { return export.Text(strings.ReplaceAll(text, money.NBSP, " ")) }

// TableOf shows items in columns.
func TableOf[T any](label string, columns []Column[T], items []T) components.Table {
	t := components.Table{Label: label, Rows: make([]components.Row, len(items))}
	for _, col := range columns {
		if col.Cell == nil {
			continue
		}
		t.Heads = append(t.Heads, col.Head)
		for i, item := range items {
			cell := col.Cell(item)
			cell.Class = strings.TrimSpace(cmp.Or(cell.Class, col.Class) + " " + string(col.Card))
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
	}
	return t
}
