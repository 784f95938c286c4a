package kit

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/listview"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

// Keys of the address of a list beside those of its filters.
const (
	columnsKey = "columns" // which columns, in their order: "client,amount", or "all"
	viewKey    = "view"    // the saved view that is looked at
	openKey    = "display" // the menu of columns stays open
	allColumns = "all"
)

// PageSizes are how many rows of a page a person can choose.
var PageSizes = []int{25, 50, 100}

// arranges tells whether people can arrange the list and save views of it: lists that have an address of their own and
// can be sorted.
func (r *List[T, F]) arranges(who actor.Actor) bool {
	return r.Desk.Lists != nil && who.Kind == actor.User && r.Sorts != nil && r.Path != "" && !anID.MatchString(r.Path)
}

// arrange reads what the person has chosen for the list, and which saved view is looked at.
func (r *List[T, F]) arrange(ctx context.Context, who actor.Actor, l *Listing) error {
	l.open = l.Query.Has(openKey)
	l.Query.Del(openKey)
	if !r.arranges(who) {
		l.Query.Del(viewKey)
		r.readColumns(l)
		return nil
	}
	chosen, views, err := r.Desk.Lists.Of(ctx, who, r.Path)
	if err != nil {
		return err
	}
	l.saved, l.columns = views, r.renamed(chosen.Columns)
	if l.compact = chosen.Compact; slices.Contains(PageSizes, chosen.PageRows) && r.Limit == 0 {
		l.ask.Limit = chosen.PageRows
	}
	if text := l.Query.Get(viewKey); text != "" {
		id, _ := uuid.Parse(text)
		n := slices.IndexFunc(views, func(v listview.Listed) bool { return v.ID == id })
		if n < 0 {
			l.refuse("That saved view no longer exists. Showing the list with its filters.")
			l.Query.Del(viewKey)
		} else {
			if l.view = &views[n]; l.view.Unread() {
				l.refuse("That saved view cannot be read: what is stored of it was damaged. Save it anew, or delete it.")
			}
		}
	}
	r.readColumns(l)
	return nil
}

// readColumns reads which columns the address asks for. Columns that are gone are left out with a notice.
func (r *List[T, F]) readColumns(l *Listing) {
	text := l.Query.Get(columnsKey)
	if text == "" || text == allColumns {
		l.all = text == allColumns
		return
	}
	var known []string
	for _, key := range r.renamed(Split[string](text)) {
		if slices.ContainsFunc(r.Columns, func(c Column[T]) bool { return c.Cell != nil && c.Key() == key }) {
			known = append(known, key)
		} else {
			l.refuse("‘" + key + "’ is not a column of this list. It was left out.")
		}
	}
	if l.columns = known; len(known) == 0 {
		l.Query.Del(columnsKey)
	} else {
		l.Query.Set(columnsKey, strings.Join(known, ","))
	}
}

// renamed gives columns that were chosen before by the keys that they have now.
func (r *List[T, F]) renamed(keys []string) (out []string) {
	for _, key := range keys {
		if key = cmp.Or(r.Renamed[key], key); !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// shown are the columns of the page and of its file. The first one names the row, and those under a hidden head hold
// acts: they stay where they are. Without a choice the file also holds what it alone has.
func (r *List[T, F]) shown(l *Listing) []Column[T] {
	if l.all {
		return r.Columns
	}
	if len(l.columns) == 0 {
		return slices.DeleteFunc(slices.Clone(r.Columns), func(c Column[T]) bool { return c.Extra })
	}
	var out []Column[T]
	first := r.first()
	if first >= 0 {
		out = append(out, r.Columns[first])
	}
	for _, key := range l.columns {
		n := slices.IndexFunc(r.Columns, func(c Column[T]) bool { return c.Cell != nil && !c.Head.Hidden && c.Key() == key })
		if n >= 0 && n != first {
			out = append(out, r.Columns[n])
		}
	}
	for _, c := range r.Columns {
		if c.Cell != nil && c.Head.Hidden {
			out = append(out, c)
		}
	}
	return out
}

// first is the column that names the row.
func (r *List[T, F]) first() int {
	return slices.IndexFunc(r.Columns, func(c Column[T]) bool { return c.Cell != nil && !c.Head.Hidden })
}

// display is the menu in which a person arranges the list.
func (r *List[T, F]) display(l *Listing, found RowsFound) components.Display {
	d := components.Display{Action: "/lists/settings", List: r.Path, Back: l.back(), Open: l.open, Compact: l.compact,
		InView: l.view != nil}
	first := r.first()
	shown := r.shown(l)
	add := func(c Column[T], on bool) {
		d.Columns = append(d.Columns, components.DisplayColumn{Key: c.Key(), Label: c.Head.Label, Shown: on})
	}
	for _, c := range shown {
		if c.Cell != nil && !c.Head.Hidden && c.Key() != r.Columns[first].Key() {
			add(c, true)
		}
	}
	for n, c := range r.Columns {
		if c.Cell != nil && !c.Head.Hidden && n != first &&
			!slices.ContainsFunc(d.Columns, func(o components.DisplayColumn) bool {
				return o.Key == c.Key()
			}) {
			add(c, false)
		}
	}
	for _, size := range PageSizes {
		if r.Limit == 0 {
			d.Sizes = append(d.Sizes, components.Option{Value: strconv.Itoa(size), Text: strconv.Itoa(size) + " rows",
				Selected: size == l.ask.Limit})
		}
	}
	d.Changed = len(l.columns) > 0 && !l.Query.Has(columnsKey) || l.compact
	for _, c := range r.Columns {
		h := c.Head
		if r.sortHead(l, c, &h, found); h.SortHref != "" {
			d.Sorts = append(
				d.Sorts,
				components.Tab{Label: h.Label, Href: h.SortHref, Active: h.Sort != "",
					Count: orderWords(c.Sort, h.Sort)},
			)
		}
	}
	return d
}

// orderWords names the order in use; nothing where the list is sorted by another column. Sums and numbers are small and
// large, days and times early and late.
func orderWords(by, order string) string {
	up, down := "earliest first", "latest first"
	if by == "amount" || by == "number" {
		up, down = "smallest first", "largest first"
	}
	return map[string]string{"ascending": up, "descending": down}[order]
}

// back is the address behind the list as it is looked at.
func (l *Listing) back() string { return strings.ReplaceAll(l.Query.Encode(), "%2C", ",") }

// viewQuery is what a saved view of the list would keep.
func (l *Listing) viewQuery() url.Values {
	next := l.without(viewKey)
	if len(l.columns) > 0 && !next.Query.Has(columnsKey) {
		next.Query.Set(columnsKey, strings.Join(l.columns, ","))
	}
	return next.Query
}

// savedViews adds the views that people saved to the tabs, and offers to save what is looked at.
func (r *List[T, F]) savedViews(who actor.Actor, l *Listing, tabs *components.Tabs) components.SaveView {
	for n, v := range l.saved {
		tab := components.Tab{Label: v.Name, Href: ViewHref(v.View), Saved: true, Shared: v.Shared}
		if l.view != nil && l.view.ID == v.ID {
			tab.Active = true
		}
		if n < len(l.counts) {
			tab.Count = l.counts[n].short()
		}
		tabs.Items = append(tabs.Items, tab)
	}
	if l.view != nil {
		for n := range tabs.Items {
			tabs.Items[n].Active = tabs.Items[n].Saved && tabs.Items[n].Active
		}
	}
	save := components.SaveView{Action: "/lists/views", List: r.Path, Query: encoded(l.viewQuery()), Back: l.back(),
		Offer: r.differs(l), MayShare: who.Can(actor.Write), FormKey: NewFormKey()}
	if v := l.view; v != nil {
		save.Name, save.ID, save.Shared, save.Pinned, save.Owner = v.Name, v.ID.String(), v.Shared, v.Pinned, v.OwnerName
		save.Mine, save.OwnerLeft = v.OwnerID == who.ID, v.OwnerLeft
		save.MayChange = save.Mine || who.Can(actor.Manage)
	}
	return save
}

// mostCounted saved views have a count beside their name.
const mostCounted = 6

// countViews counts the rows of saved views. Where the list is not arranged there are none.
func (r *List[T, F]) countViews(ctx context.Context, who actor.Actor, l *Listing) (err error) {
	l.counts, err = database.EachAtOnce(ctx, l.saved[:min(mostCounted, len(l.saved))],
		func(ctx context.Context, v listview.Listed) (RowsFound, error) {
			if v.Unread() {
				return RowsFound{}, nil
			}
			return r.countView(ctx, who, v.Query)
		})
	return err
}

// countView counts the rows of a saved view, as far as a tab counts.
func (r *List[T, F]) countView(ctx context.Context, who actor.Actor, query string) (found RowsFound, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return found, nil //nolint:nilerr // a view of another time is not counted
	}
	l := &Listing{path: r.Path, Query: values, ask: paging.Ask{Limit: 1}, now: r.Desk.Now()}
	f, err := r.filter(ctx, who, l)
	switch {
	case err != nil || len(l.notices) > 0:
		return found, err
	case r.FoundUpTo != nil:
		return r.FoundUpTo(ctx, who, f, TabLimit)
	case r.Found != nil:
		return r.Found(ctx, who, f)
	case r.Count != nil:
		t, err := r.Count(ctx, who, f)
		return t.Found, err
	}
	return found, nil
}

// CountOf is what stands beside a view in the menu.
func (r *List[T, F]) CountOf(ctx context.Context, who actor.Actor, query string) (string, error) {
	found, err := r.countView(ctx, who, query)
	return found.short(), err
}

// differs tells whether the address asks for something that is no view yet.
func (r *List[T, F]) differs(l *Listing) bool {
	now := l.without(viewKey).Query
	if l.view != nil {
		return encoded(now) != l.view.Query
	}
	for _, v := range r.Views {
		if len(now) == 1 && now.Get(v.Key) == v.Value {
			return false
		}
	}
	return len(now) > 0
}

// ViewQuery is the address of a list as a view keeps it: without a place in the list.
func ViewQuery(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	for _, key := range []string{viewKey, openKey, "after", "before"} {
		q.Del(key)
	}
	return encoded(q)
}

func encoded(q url.Values) string { return strings.ReplaceAll(q.Encode(), "%2C", ",") }

// ViewHref is the address of a saved view.
func ViewHref(v listview.View) string {
	q := viewKey + "=" + v.ID.String()
	if v.Query != "" {
		q = v.Query + "&" + q
	}
	return v.List + "?" + q
}

// exportAll is what a file with all columns would hold.
func (r *List[T, F]) allHref(l *Listing, format string) (href string, columns int) {
	next := l.without()
	next.Query.Set(columnsKey, allColumns)
	return next.fileHref(r.InFile(), format), len(heads(r.Columns))
}
