package web

import (
	"maps"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/paging"
)

// pageRows is how many rows a list shows.
const pageRows = 50

// listing reads the address of a list: its filters, and where in it we are. Keys
// that cannot be read are ignored with a notice, never an error.
type listing struct {
	path    string
	query   url.Values
	ask     paging.Ask
	notices []string
	batch   string // the name of the batch that it is narrowed to
}

func listingOf(c echo.Context, path string) *listing {
	l := &listing{path: path, query: url.Values{}, ask: paging.Ask{Limit: pageRows}}
	for name, values := range c.QueryParams() {
		if value := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(strings.Join(values, ","), ""), "\x00", "")); value != "" {
			l.query.Set(name, value)
		}
	}
	for _, side := range []string{"after", "before"} {
		text := l.query.Get(side)
		l.query.Del(side)
		if text == "" {
			continue
		}
		id, err := uuid.Parse(text)
		if err != nil {
			l.refuse("That page of the list is not known. Showing the newest.")
			continue
		}
		l.ask.From, l.ask.Newer = id, side == "before"
	}
	return l
}

func (l *listing) refuse(notice string) { l.notices = append(l.notices, notice) }

// unknown leaves out a filter whose value is not what it should be.
func (l *listing) unknown(name, what string) {
	l.refuse("‘" + l.query.Get(name) + "’ is not " + what + ". The filter was ignored.")
	l.query.Del(name)
}

// id reads an id, or ignores it with a notice.
func (l *listing) id(name string) uuid.UUID {
	text := l.query.Get(name)
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		l.unknown(name, "an id")
	}
	return id
}

// date reads a calendar date, or ignores it with a notice.
func (l *listing) date(name string) calendar.Date {
	text := l.query.Get(name)
	if text == "" {
		return calendar.Date{}
	}
	d, err := calendar.ParseDate(text)
	if err != nil {
		l.unknown(name, "a date")
	}
	return d
}

// cents reads an amount as people type it, or ignores it with a notice.
func (l *listing) cents(name string) int64 {
	text := l.query.Get(name)
	if text == "" {
		return 0
	}
	cents, err := money.Parse(text)
	if err != nil || cents < 0 {
		l.unknown(name, "an amount")
		return 0
	}
	return cents
}

// with is the address of the list with one key changed ("" takes it away), at
// its newest page.
func (l *listing) with(name, value string) string {
	next := l.without(name)
	if value != "" {
		next.query.Set(name, value)
	}
	return address(l.path, next.query)
}

// without is the list without some keys.
func (l *listing) without(names ...string) *listing {
	next := &listing{path: l.path, query: maps.Clone(l.query)}
	for _, name := range names {
		next.query.Del(name)
	}
	return next
}

// side is the address of the page after or before a row.
func (l *listing) side(name string, id uuid.UUID) string { return l.with(name, id.String()) }

func address(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + strings.ReplaceAll(query.Encode(), "%2C", ",")
}

// fragmentFor tells whether htmx asks for that box alone.
func fragmentFor(c echo.Context, box string) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Target") == box
}
