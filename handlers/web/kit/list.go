package kit

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// List is a list page as a value: which rows it has, what is shown of each, how they can be narrowed, and what their
// file holds. T is what a row is about, and F the filter of the query behind the list. The page, the part of it that
// htmx swaps and the file all follow from the value. What every list should be able to do belongs here: a Column is
// the place to say that rows can be sorted by it or that it can be hidden, a View is what a person might save, and
// Choose holds the acts on ticked rows.
type List[T, F any] struct {
	Desk    *Desk
	Exports *Exports // nil: the list has no file

	Path, File string // the address of the list, and of its file where that is not Path/export
	Active     string // the entry of the menu
	Title      string // of the window, where it is not that of Head
	Head       components.PageHead
	Nav        templ.Component // under the head
	Card       components.Card // the box of the list
	Class      string          // of the table
	One        string          // what a row is: "invoice"
	Many       string          // of several, where that is not with an s
	Limit      int             // rows of a page, 50 by default

	Query func(ctx context.Context, who actor.Actor, f F, ask paging.Ask) (paging.Page[T], error)
	ID    func(T) uuid.UUID
	// Count says how many rows there are; nil: nobody counts them. Found counts only those that are shown, where that
	// takes fewer queries.
	Count func(ctx context.Context, who actor.Actor, f F) (Tally, error)
	Found func(ctx context.Context, who actor.Actor, f F) (RowsFound, error)
	// CountAll counts further than a page does, for the progress of an export; nil: nobody does.
	FoundUpTo func(ctx context.Context, who actor.Actor, f F, limit int64) (RowsFound, error) // for tabs
	CountAll  func(ctx context.Context, who actor.Actor, f F, atMost int64) (int64, error)

	// Source and SourceArg name the list among those that are exported in the background; the name is Many by default.
	Source, SourceArg string

	Search  Search[F]
	Views   []View // tabs beside "All"
	By      string // what the views go by: "state"
	Filters []Filter[F]
	Columns []Column[T]
	Renamed map[string]string // columns by the keys that they had before
	Sorts   paging.Sorts      // by which columns rows can be sorted; nil: by none
	Label   func(T) string    // of the check box of a row
	Choose  Choosing[T]
	Peeks   bool // the page of a row can be looked at beside the list

	Empty   components.Empty // when there is nothing yet; its button is that of Head
	NoMatch components.Empty // says more than that nothing matches the filters
	// Around adds what only this list shows.
	Around func(c echo.Context, l *Listing, v *pages.ListView) error
}

// Search is what the search field of a list looks in; without a Label there is none.
type Search[F any] struct {
	Label, Holder string
	Set           func(f *F, text string)
	Key           string // of the filter that the field fills in, in place of q
}

// View is a tab: the rows for which one filter has a value.
type View struct {
	Label, Key, Value string
	Rare              bool // left out while it holds nothing
}

// Show serves the page, or the part of it that htmx swaps.
func (r *List[T, F]) Show(c echo.Context) error {
	v, err := r.View(c)
	if err != nil {
		return err
	}
	if FragmentFor(c, "results") {
		c.Response().Header().Set("HX-Push-Url", Address(c.Request().URL.Path, asked(c)))
		return html.Send(c, http.StatusOK, pages.ListResults(v))
	}
	return r.Desk.ShowIn(
		c,
		http.StatusOK,
		cmp.Or(r.Title, r.Head.Title),
		r.Active,
		func(fr layout.Frame) templ.Component { return pages.List(fr, v) },
	)
}

// asked is what the address asks for, without the fields of a form that were left empty.
func asked(c echo.Context) url.Values {
	out := url.Values{}
	for name, values := range c.QueryParams() {
		if text := strings.TrimSpace(strings.Join(values, ",")); text != "" {
			out.Set(name, text)
		}
	}
	return out
}

// View is what the page shows, for a page that holds more than the list.
func (r *List[T, F]) View(c echo.Context) (v pages.ListView, err error) {
	ctx, who, l := paging.Remembering(c.Request().Context()), access.Actor(c), listingOf(c, r.Path)
	l.ask.Limit = cmp.Or(r.Limit, l.ask.Limit)
	if err := r.arrange(ctx, who, l); err != nil {
		return v, err
	}
	sel, err := r.held(ctx, who, l)
	if err != nil {
		return v, err
	}
	r.readSort(l)
	f, err := r.filter(ctx, who, l)
	if err != nil {
		return v, err
	}
	page, t, err := r.read(ctx, who, f, l)
	if err != nil {
		return v, err
	}
	if !t.Found.exact && !page.Older && !page.Newer && l.ask.From == uuid.Nil {
		t.Found, t.Sum, t.Cents = RowsFound{n: int64(len(page.Items)), exact: true}, "", Sum{} // nobody added them up
	}
	v = r.view(l, page, t)
	if r.arranges(who) {
		v.Display = r.display(l, t.Found)
		v.Tabs.Target, v.Tabs.Label = "#results", cmp.Or(v.Tabs.Label, "Views of "+r.many())
		v.Save = r.savedViews(who, l, &v.Tabs)
	}
	r.choosable(who, l, page.Items, t.Found, sel, &v)
	r.peekable(&v)
	if r.Around != nil {
		err = r.Around(c, l, &v)
	}
	return v, err
}

// read asks at once for what is shown: the rows, how many there are, and what there is to choose from.
func (r *List[T, F]) read(ctx context.Context, who actor.Actor, f F,
	l *Listing) (page paging.Page[T], t Tally, err error) {
	err = database.AtOnce(ctx, func(ctx context.Context) error {
		return r.offer(ctx, who, l)
	}, func(ctx context.Context) (err error) {
		page, err = r.pageOr(ctx, who, f, l)
		return err
	}, func(ctx context.Context) (err error) {
		if r.Count != nil {
			t, err = r.Count(ctx, who, f)
		}
		return err
	}, func(ctx context.Context) error {
		return r.countViews(ctx, who, l)
	})
	return page, t, err
}

// filter reads the address.
func (r *List[T, F]) filter(ctx context.Context, who actor.Actor, l *Listing) (f F, err error) {
	l.now = r.Desk.Now()
	if r.Search.Set != nil {
		r.Search.Set(&f, l.Query.Get("q"))
	}
	for _, one := range r.Filters {
		if one.Find == nil {
			one.Read(l, &f)
		} else if err := one.Find(ctx, who, l, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (r *List[T, F]) view(l *Listing, page paging.Page[T], t Tally) pages.ListView {
	v := pages.ListView{Head: r.Head, Nav: r.Nav, Card: r.Card, Notices: l.notices,
		Table: TableOf(words.Capital(r.many()), r.shown(l), page.Items)}
	view := r.chosen(l)
	if len(r.Views) > 0 {
		v.Tabs = r.tabs(l, view, t)
	}
	v.Filters = components.FilterBar{
		Action:      r.Path,
		Target:      "#results",
		Search:      l.Query.Get(cmp.Or(r.Search.Key, "q")),
		SearchName:  r.Search.Key,
		SearchLabel: r.Search.Label,
		Holder:      r.Search.Holder,
	}
	if r.Count != nil {
		v.Filters.Found = t.Found.of(r.One, r.many()) + t.Sum
	}
	if heads := heads(r.shown(l)); r.Exports != nil && len(heads) > 0 {
		v.Filters.Export = exportMenu(
			t.Found,
			len(heads),
			func(format string) string { return r.fileHref(l, format) },
		)
		if len(l.columns) > 0 {
			href, all := r.allHref(l, string(export.CSV))
			v.Filters.Export.AllText, v.Filters.Export.AllCSVHref = "All "+plural.Of(all, "column"), href
			v.Filters.Export.AllXLSXHref, _ = r.allHref(l, string(export.XLSX))
		}
	}
	for _, key := range []string{sortKey, columnsKey, viewKey} {
		if l.Query.Has(key) {
			v.Filters.Keep = append(v.Filters.Keep, components.Pair{Name: key, Value: l.Query.Get(key)})
		}
	}
	r.sortHeads(l, r.shown(l), v.Table.Heads, t.Found)
	for _, one := range r.Filters {
		text := l.Query.Get(one.Key)
		switch {
		case one.Offer != nil:
			v.Inputs = append(v.Inputs, ChooseFrom(one.Key, one.offered(l, text))(text))
		case one.Input != nil:
			v.Inputs = append(v.Inputs, one.Input(text))
		case text != "" && one.Key != r.Search.Key:
			v.Filters.Keep = append(v.Filters.Keep, components.Pair{Name: one.Key, Value: text})
		}
		if label := chipOf(l, one, view); label != "" {
			v.Filters.Chips = append(v.Filters.Chips, components.Chip{Label: label, RemoveHref: l.with(one.Key, "")})
			v.Filters.ClearHref = l.cleared()
		}
	}
	v.Filters.Plain = len(v.Inputs) == 0
	if v.Table.Class = r.Class; l.compact {
		v.Table.Class = strings.TrimSpace(r.Class + " dense")
	}
	for i, item := range page.Items {
		if v.Table.Rows[i].ID = r.ID(item).String(); r.Label != nil {
			v.Table.Rows[i].Label = r.Label(item)
		}
	}
	v.Pager, v.Foot = r.pager(l, page, t.Found), r.foot(t)
	v.Empty = r.empty(l, view, v.Filters)
	return v
}

func (r *List[T, F]) many() string { return cmp.Or(r.Many, r.One+"s") }
