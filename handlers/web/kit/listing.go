package kit

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/calendar"
	"debitdesk/models/listview"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// pageRows is how many rows a list shows.
const pageRows = 50

// Listing reads the address of a list: its filters, and where in it we are. Keys
// that cannot be read are ignored with a notice, never an error.
type Listing struct {
	path    string
	Query   url.Values
	ask     paging.Ask
	notices []string
	batch   string // the name of the batch that it is narrowed to
	now     time.Time
	offers  map[string][]components.Option // what filters offer, by their keys
	counts  []RowsFound                    // of the first saved views

	// What the person has chosen, and the view that is looked at.
	columns            []string // in their order; none: as the list comes
	all, compact, open bool
	saved              []listview.Listed
	view               *listview.Listed // one of saved
}

func listingOf(c echo.Context, path string) *Listing {
	l := &Listing{path: path, Query: url.Values{}, ask: paging.Ask{Limit: pageRows}}
	for name, values := range c.QueryParams() {
		if value := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(strings.Join(values, ","), ""), "\x00",
			"")); value != "" {
			l.Query.Set(name, value)
		}
	}
	for _, side := range []string{"after", "before"} {
		text := l.Query.Get(side)
		l.Query.Del(side)
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

func (l *Listing) refuse(notice string) { l.notices = append(l.notices, notice) }

// Unknown leaves out a filter whose value is not what it should be.
func (l *Listing) Unknown(name, what string) {
	l.refuse("‘" + l.Query.Get(name) + "’ is not " + what + ". The filter was ignored.")
	l.Query.Del(name)
}

// id reads an id, or ignores it with a notice.
func (l *Listing) id(name string) uuid.UUID {
	text := l.Query.Get(name)
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		l.Unknown(name, "an id")
	}
	return id
}

// Date reads a calendar date, or ignores it with a notice.
func (l *Listing) Date(name string) calendar.Date {
	text := l.Query.Get(name)
	if text == "" {
		return calendar.Date{}
	}
	d, err := calendar.ParseDate(text)
	if err != nil {
		l.Unknown(name, "a date")
	}
	return d
}

// cents reads an amount as people type it, or ignores it with a notice.
func (l *Listing) cents(name string) int64 {
	text := l.Query.Get(name)
	if text == "" {
		return 0
	}
	cents, err := money.Parse(text)
	if err != nil || cents < 0 {
		l.Unknown(name, "an amount")
		return 0
	}
	return cents
}

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`)

// with is the address of the list with one key changed ("" takes it away), at
// its newest page.
func (l *Listing) with(name, value string) string {
	next := l.without(name)
	if value != "" {
		next.Query.Set(name, value)
	}
	return Address(l.path, next.Query)
}

// cleared is the address of the list without its filters, in the same order.
func (l *Listing) cleared() string {
	next := &Listing{path: l.path, Query: url.Values{}}
	for _, key := range []string{sortKey, columnsKey} {
		if l.Query.Has(key) {
			next.Query.Set(key, l.Query.Get(key))
		}
	}
	return Address(next.path, next.Query)
}

// without is the list without some keys.
func (l *Listing) without(names ...string) *Listing {
	next := &Listing{path: l.path, Query: maps.Clone(l.Query)}
	for _, name := range names {
		next.Query.Del(name)
	}
	return next
}

// side is the address of the page after or before a row.
func (l *Listing) side(name string, id uuid.UUID) string { return l.with(name, id.String()) }

func Address(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + strings.ReplaceAll(query.Encode(), "%2C", ",")
}

// FragmentFor tells whether htmx asks for that box alone.
func FragmentFor(c echo.Context, box string) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Target") == box
}

// ConcernViews are the views of what waits for somebody. Those with a label are tabs
// while there is any, the first always; the others are reached from home.
var ConcernViews = []struct {
	Label, Chip string
	Concern     purchase.Concern
}{
	{"Failed", "The last debit failed, and it is not paid", purchase.FailedDebit},
	{"Account gone", "The account was deleted or cannot be charged", purchase.AccountGone},
	{"Not confirmed", "The client did not confirm the mandate", purchase.NotConfirmed},
	{"", "The dispute is not decided", purchase.OpenDispute},
	{"", "The bank has not answered in time", purchase.NoAnswer},
	{"Paid back twice", "The client has the money twice", purchase.PaidTwice},
	{"", "A refund is waiting to be paid back", purchase.RefundWaits},
	{"", "It is overdue and was never debited", purchase.NeverDebited},
	{"", "Its debit is planned for a day on which banks are closed", purchase.ClosedDay},
}

// TabLimit is where the count of a concern stops while another view is looked at.
const TabLimit = 1000
