package web

import (
	"cmp"
	"strings"
	"time"

	"debitdesk/handlers/web/export"
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
}

// FileColumn is one column of a file, with its width in characters.
type FileColumn[T any] struct {
	export.Head
	Cell func(T) export.Cell
}

// column has cells of its own.
func column[T any](label string, cell func(T) components.Cell) Column[T] {
	return Column[T]{Head: components.Head{Label: label}, Cell: cell}
}

// textColumn shows a text, and is the same in the file.
func textColumn[T any](label string, width float64, of func(T) string) Column[T] {
	return column(label, func(item T) components.Cell { return components.Cell{Text: of(item)} }).fileText(label, width, of)
}

// pillColumn shows a state; in the file stands its word.
func pillColumn[T any](label string, width float64, of func(T) components.Pill) Column[T] {
	return column(label, func(item T) components.Cell { return components.Cell{Pill: of(item)} }).
		fileText(label, width, func(item T) string { return of(item).Word })
}

// dayColumn shows the day of an instant, and blank where there is none; "" is a dash.
func dayColumn[T any](label string, width float64, blank string, of func(T) time.Time) Column[T] {
	return column(label, func(item T) components.Cell { return components.Cell{Time: dayOf(of(item)), Blank: blank} }).
		file(label+" (SAST)", width, func(item T) export.Cell { return export.DayOf(of(item)) })
}

// momentColumn shows an instant to the minute; the file has the seconds.
func momentColumn[T any](label string, width float64, of func(T) time.Time) Column[T] {
	return column(label, func(item T) components.Cell { return components.Cell{Time: moment(of(item))} }).zoned().
		file(label+" (SAST)", width, func(item T) export.Cell { return export.Moment(of(item)) })
}

// dateColumn shows a date.
func dateColumn[T any](label string, width float64, of func(T) calendar.Date) Column[T] {
	return column(label, func(item T) components.Cell { return components.Cell{Time: dayTime(of(item))} }).
		file(label, width, func(item T) export.Cell { return export.Day(of(item)) })
}

// fileColumns begins a column that is in the file alone.
func fileColumns[T any]() Column[T] { return Column[T]{} }

// file adds a column to the file.
func (c Column[T]) file(label string, width float64, cell func(T) export.Cell) Column[T] {
	c.File = append(c.File, FileColumn[T]{export.Head{Text: label, Width: width}, cell})
	return c
}

func (c Column[T]) fileText(label string, width float64, of func(T) string) Column[T] {
	return c.file(label, width, func(item T) export.Cell { return words(of(item)) })
}

// number sets the column to the right.
func (c Column[T]) number() Column[T] {
	c.Head.Num = true
	return c
}

// onPageAlone leaves the column out of the file.
func (c Column[T]) onPageAlone() Column[T] {
	c.File = nil
	return c
}

// inOneLine keeps each line of a cell whole.
func (c Column[T]) inOneLine() Column[T] {
	c.Class = "nowrap"
	return c
}

// notOnPhones leaves the column out where there is little room.
func (c Column[T]) notOnPhones() Column[T] {
	c.Class = "phone-hide"
	return c
}

// zoned says that the column shows times in SAST.
func (c Column[T]) zoned() Column[T] {
	c.Head.Zone = "SAST"
	return c
}

// words is a cell of a file with what the page shows.
func words(text string) export.Cell { return export.Text(strings.ReplaceAll(text, money.NBSP, " ")) }

// tableOf shows items in columns.
func tableOf[T any](label string, columns []Column[T], items []T) components.Table {
	t := components.Table{Label: label, Rows: make([]components.Row, len(items))}
	for _, col := range columns {
		if col.Cell == nil {
			continue
		}
		t.Heads = append(t.Heads, col.Head)
		for i, item := range items {
			cell := col.Cell(item)
			cell.Class = cmp.Or(cell.Class, col.Class)
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
	}
	return t
}
