package web

import (
	"net/url"
	"strings"
	"time"

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

// date reads a calendar date, or ignores it with a notice.
func (l *listing) date(name string) calendar.Date {
	text := l.query.Get(name)
	if text == "" {
		return calendar.Date{}
	}
	d, err := calendar.ParseDate(text)
	if err != nil {
		l.refuse("‘" + text + "’ is not a date. The filter was ignored.")
		l.query.Del(name)
	}
	return d
}

// dueRange reads the days due_from and due_to: the first instant of the one and
// the last of the other, both SAST.
func (l *listing) dueRange() (from, to time.Time) {
	if day := l.date("due_from"); !day.IsZero() {
		from = day.At(0, 0)
	}
	if day := l.date("due_to"); !day.IsZero() {
		to = day.AddDays(1).At(0, 0).Add(-time.Microsecond)
	}
	return from, to
}

// cents reads an amount as people type it, or ignores it with a notice.
func (l *listing) cents(name string) int64 {
	text := l.query.Get(name)
	if text == "" {
		return 0
	}
	cents, err := money.Parse(text)
	if err != nil || cents < 0 {
		l.refuse("‘" + text + "’ is not an amount. The filter was ignored.")
		l.query.Del(name)
		return 0
	}
	return cents
}

// with is the address of the list with one key changed ("" takes it away), at
// its newest page.
func (l *listing) with(name, value string) string {
	next := url.Values{}
	for k, v := range l.query {
		next[k] = v
	}
	if next.Del(name); value != "" {
		next.Set(name, value)
	}
	return address(l.path, next)
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
