package kit

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/selection"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// SelectionKey names a selection in the address of a list, of its file and of an act.
const SelectionKey = "selection"

// Choosing says how rows of a list are chosen over its pages, and what can be done with them.
type Choosing[T any] struct {
	Selections *selection.Service // nil: rows can be ticked on one page alone
	Cents      func(T) int64      // in rand, for the sum; nil: there is none
	// Several gives the rows of some ids as they are now, in any order; those that are gone are left out.
	Several func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]T, error)
	// Changed is when a row changed last.
	Changed func(T) time.Time
	// Rows gives what is kept of those that are there; nil: what Several, Changed and Cents say.
	Rows func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]selection.Row, error)
	// Acts are the buttons; the value of each names its act.
	Acts func(who actor.Actor) []components.Button
}

// held gives the selection that the address names, and takes it out of the address. One that is over is left out with
// a notice.
func (r *List[T, F]) held(ctx context.Context, who actor.Actor, l *Listing) (*selection.Selection, error) {
	text := l.Query.Get(SelectionKey)
	l.Query.Del(SelectionKey)
	if text == "" || r.Choose.Selections == nil {
		return nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		l.refuse("‘" + text + "’ is not a selection. Nothing is selected.")
		return nil, nil //nolint:nilerr // the person is told
	}
	sel, err := r.Choose.Selections.Get(ctx, who, id)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && (sel.List != r.source() || sel.Arg != r.SourceArg):
		l.refuse("This selection is over. Select the rows again.")
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &sel, nil
}

// choosable lets rows of the page be ticked.
func (r *List[T, F]) choosable(who actor.Actor, l *Listing, items []T, found RowsFound, sel *selection.Selection,
	v *pages.ListView) {
	if r.Choose.Selections == nil {
		return
	}
	bar := components.SelectionBar{List: r.source(), Of: r.SourceArg, Query: l.Query.Encode(), One: r.One, Many: r.many(),
		Columns: strings.Join(l.columns, ","), ClearHref: Address(r.Path, l.Query), HasSum: r.Choose.Cents != nil}
	ids := make([]uuid.UUID, len(items))
	for i, item := range items {
		ids[i] = r.ID(item)
		row := &v.Table.Rows[i]
		row.ID = ids[i].String()
		if r.Choose.Cents != nil {
			row.Cents = strconv.FormatInt(r.Choose.Cents(item), 10)
		}
		if r.Label == nil {
			row.Label = "Select " + rowName(*row)
		}
		bar.Shown = append(bar.Shown, row.ID)
	}
	if r.Choose.Acts != nil {
		bar.Acts = r.Choose.Acts(who)
	}
	if r.Exports != nil {
		bar.Acts = append(bar.Acts, components.Button{Label: "Export", Icon: "download", Value: actExport})
	}
	switch {
	case sel != nil:
		bar.ID, bar.Text = sel.ID.String(), r.chosenWords(*sel)
		ticked := sel.Among(ids)
		for i := range v.Table.Rows {
			v.Table.Rows[i].Ticked = ticked[ids[i]]
		}
		v.Pager = heldPages(v.Pager, bar.ID)
		v.Filters.SearchLabel, v.Inputs = "", nil // the bar stands in their place
	case found.exact && found.n > int64(len(items)) && found.n <= selection.MaxRows:
		bar.All = "Select all " + found.of(r.One, r.many()) + " that match"
	}
	v.Table.Select = components.Selection{Group: r.source(), Bar: bar}
}

// rowName is what a row is called: its heading.
func rowName(row components.Row) string {
	for _, c := range row.Cells {
		if c.Href != "" || c.Strong {
			return strings.TrimSpace(c.Text + " " + c.Second)
		}
	}
	return "this row"
}

// chosenWords says how much is chosen.
func (r *List[T, F]) chosenWords(sel selection.Selection) string {
	text := RowsFound{n: sel.N, exact: true}.of(r.One, r.many()) + " selected"
	if r.Choose.Cents != nil {
		text += " · " + words.Sum(sel.Cents, money.ZAR)
	}
	return text
}

// heldPages keeps a selection on the pages beside this one.
func heldPages(p components.Pager, id string) components.Pager {
	for _, href := range []*string{&p.NewerHref, &p.OlderHref} {
		if *href != "" {
			*href = WithSelection(*href, id)
		}
	}
	return p
}

// WithSelection adds a selection to the address of a list.
func WithSelection(href, id string) string {
	sign := "?"
	if strings.Contains(href, "?") {
		sign = "&"
	}
	return href + sign + SelectionKey + "=" + id
}

// choosable is a list in which rows can be chosen, whatever they are.
type choosable interface {
	// chooseAll gives all rows that the filters let through; chooseThese those of some ids.
	chooseAll(ctx context.Context, who actor.Actor, query url.Values) ([]selection.Row, error)
	chooseThese(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]selection.Row, error)
	// address is that of the list, and file that of its file.
	address(query url.Values) string
	file() string
	chosenWords(sel selection.Selection) string
	can() bool
}

func (r *List[T, F]) can() bool                       { return r.Choose.Selections != nil }
func (r *List[T, F]) address(query url.Values) string { return Address(r.Path, query) }
func (r *List[T, F]) file() string                    { return r.InFile() }

func (r *List[T, F]) chooseThese(ctx context.Context, who actor.Actor,
	ids []uuid.UUID) (rows []selection.Row, err error) {
	for part := range slices.Chunk(distinct(ids), chooseRows) {
		some, err := r.kept(ctx, who, part)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// kept gives what is kept of rows, in their order.
func (r *List[T, F]) kept(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]selection.Row, error) {
	rows, err := r.choiceRows(ctx, who, ids)
	place := make(map[uuid.UUID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(rows, func(a, b selection.Row) int { return place[a.ID] - place[b.ID] })
	return rows, err
}

func (r *List[T, F]) choiceRows(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]selection.Row, error) {
	if r.Choose.Rows != nil {
		return r.Choose.Rows(ctx, who, ids)
	}
	found, err := r.Choose.Several(ctx, who, ids)
	out := make([]selection.Row, len(found))
	for i, one := range found {
		out[i] = selection.Row{ID: r.ID(one), Changed: r.Choose.Changed(one)}
		if r.Choose.Cents != nil {
			out[i].Cents = r.Choose.Cents(one)
		}
	}
	return out, err
}

// chooseRows is how many rows are read at once.
const chooseRows = 500

func (r *List[T, F]) chooseAll(ctx context.Context, who actor.Actor,
	query url.Values) (rows []selection.Row, err error) {
	l := &Listing{path: r.Path, Query: query}
	f, err := r.filter(ctx, who, l)
	if err != nil {
		return nil, err
	}
	if err := refusedFilters(l.notices); err != nil { // more would be chosen than was meant
		return nil, err
	}
	err = eachOnce(ctx, func(ctx context.Context, ask paging.Ask) (paging.Page[T], error) {
		return r.Query(ctx, who, f, ask)
	}, r.ID, func(items []T) error {
		ids := make([]uuid.UUID, len(items))
		for i, item := range items {
			ids[i] = r.ID(item)
		}
		some, err := r.kept(ctx, who, ids)
		if rows = append(rows, some...); err == nil && len(rows) > selection.MaxRows {
			err = selection.TooMany()
		}
		return err
	})
	return rows, err
}

func distinct(ids []uuid.UUID) (out []uuid.UUID) {
	known := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		if !known[id] {
			known[id] = true
			out = append(out, id)
		}
	}
	return out
}

// onlyChosen leaves in a file what was chosen, in the order in which the list had it: each row as it is now,
// whether the filters of the selection still let it through or not. What is gone is left out.
func (r *List[T, F]) onlyChosen(who actor.Actor, sel *selection.Selection, o *outgoing[T]) {
	rows := sel.Chosen()
	place := make(map[uuid.UUID]int, len(rows))
	for i, row := range rows {
		place[row.ID] = i
	}
	o.found = RowsFound{n: sel.N, exact: true}
	o.filters = maps.Clone(o.filters)
	o.filters.Set(SelectionKey, sel.ID.String())
	o.page = func(ctx context.Context, ask paging.Ask) (page paging.Page[T], err error) {
		from := 0
		if ask.From != uuid.Nil {
			from = place[ask.From] + 1
		}
		ids := make([]uuid.UUID, 0, ask.Limit)
		for _, row := range rows[from:min(from+ask.Limit, len(rows))] {
			ids = append(ids, row.ID)
		}
		if len(ids) == 0 {
			return page, nil
		}
		if page.Items, err = r.Choose.Several(ctx, who, ids); err != nil {
			return page, err
		}
		slices.SortFunc(page.Items, func(a, b T) int { return place[r.ID(a)] - place[r.ID(b)] })
		if page.Older = from+len(ids) < len(rows); page.Older {
			page.Reached = ids[len(ids)-1]
		}
		return page, nil
	}
}
