package kit

import (
	"cmp"
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/paging"
)

func (r *List[T, F]) InFile() string { return cmp.Or(r.File, r.Path+"/export") }

// fileHref is the address of the file of what the list shows, with the columns that it shows.
func (r *List[T, F]) fileHref(l *Listing, format string) string {
	next := l.without()
	if len(l.columns) > 0 && !next.Query.Has(columnsKey) {
		next.Query.Set(columnsKey, strings.Join(l.columns, ","))
	}
	return next.fileHref(r.InFile(), format)
}

func heads[T any](columns []Column[T]) (heads []export.Head) {
	for _, col := range columns {
		for _, one := range col.File {
			heads = append(heads, one.Head)
		}
	}
	return heads
}

// Export serves the file: what the page shows under the same filters, on all its pages. Of a long list, a person is
// asked whether the file should be prepared in the background.
func (r *List[T, F]) Export(c echo.Context) error {
	ctx, who, l := c.Request().Context(), access.Actor(c), exportOf(c, r.Path)
	o, err := r.outgoing(ctx, who, l)
	if err != nil {
		return err
	}
	if source := r.source(); r.Exports.offers(c, source, o.found) {
		return r.Exports.offer(c, r.Active, exportWish{Source: source, Arg: r.SourceArg, Format: c.QueryParam("format"),
			Query: flat(o.filters)}, o.found, r.many(), Address(r.Path, o.filters))
	}
	return send(c, r.Exports, o)
}

// source is the name under which the list can be exported in the background.
func (r *List[T, F]) source() string { return cmp.Or(r.Source, r.many()) }

// outgoing is the list on its way into a file.
func (r *List[T, F]) outgoing(ctx context.Context, who actor.Actor, l *Listing) (o outgoing[T], err error) {
	l.Query.Del(viewKey)
	r.readColumns(l)
	sel, err := r.held(ctx, who, l)
	if err != nil {
		return o, err
	}
	r.readSort(l)
	f, err := r.filter(ctx, who, l)
	if err != nil {
		return o, err
	}
	var found RowsFound
	switch {
	case sel != nil: // it says so itself
	case r.Found != nil:
		found, err = r.Found(ctx, who, f)
	case r.Count != nil:
		var t Tally
		t, err = r.Count(ctx, who, f)
		found = t.Found
	}
	if err != nil {
		return o, err
	}
	columns := r.shown(l)
	heads := heads(columns)
	o = outgoing[T]{
		list: r.many(), filters: l.Query, refused: l.notices, found: found, heads: heads, id: r.ID,
		cells: func(item T) []export.Cell {
			cells := make([]export.Cell, 0, len(heads))
			for _, col := range columns {
				for _, one := range col.File {
					cells = append(cells, one.Cell(item))
				}
			}
			return cells
		},
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[T], error) {
			ask.Sort = l.ask.Sort
			page, err := r.page(ctx, who, f, ask)
			return page, r.refusal(ask.Sort, err)
		},
		all: func(ctx context.Context, atMost int64) (int64, error) {
			if r.CountAll == nil {
				return 0, nil
			}
			return r.CountAll(ctx, who, f, atMost)
		},
	}
	if sel != nil {
		r.onlyChosen(who, sel, &o)
	}
	return o, nil
}
