package kit

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/find"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

// chosen is the view that is looked at; the zero View where it is none of the tabs but perhaps "All".
func (r *List[T, F]) chosen(l *Listing) View {
	for _, v := range r.Views {
		if !slices.ContainsFunc(r.Filters, func(f Filter[F]) bool {
			wanted := ""
			if f.Key == v.Key {
				wanted = v.Value
			}
			return f.View && l.Query.Get(f.Key) != wanted
		}) {
			return v
		}
	}
	return View{}
}

func (r *List[T, F]) tabs(l *Listing, chosen View, t Tally) components.Tabs {
	keys := []string{viewKey}
	if l.view != nil { // its tabs begin anew
		for key := range l.Query {
			keys = append(keys, key)
		}
	}
	all := true
	for _, f := range r.Filters {
		if f.View || f.WithView {
			keys = append(keys, f.Key)
		}
		all = all && (!f.View || l.Query.Get(f.Key) == "")
	}
	tabs := components.Tabs{Label: words.Capital(r.many()) + " by " + r.By, Target: "#results"}
	for _, v := range slices.Concat([]View{{Label: "All"}}, r.Views) {
		tab := components.Tab{
			Label:  v.Label,
			Href:   l.without(keys...).with(v.Key, v.Value),
			Active: v == chosen && v.Key != "" || v.Key == "" && all,
		}
		if t.Of != nil {
			found := t.Of(v)
			if v.Rare && found == (RowsFound{exact: true}) && !tab.Active {
				continue
			}
			tab.Count = found.short()
		}
		tabs.Items = append(tabs.Items, tab)
	}
	return tabs
}

// pager leads to the pages beside this one.
func (r *List[T, F]) pager(l *Listing, page paging.Page[T], found RowsFound) components.Pager {
	out := components.Pager{Target: "#results", Sorted: l.ask.Sort.By != ""}
	if from, more := page.NewerFrom(r.ID); more {
		out.NewerHref = l.side("before", from)
	}
	if from, more := page.OlderFrom(r.ID); more {
		out.OlderHref = l.side("after", from)
	}
	switch {
	case page.Reached != uuid.Nil && out.Sorted && l.ask.Sort.By != paging.Created:
		out.Searched, out.SearchedNewer = "a part of the list", l.ask.Newer
	case page.Reached != uuid.Nil:
		out.Searched, out.SearchedNewer = words.Moment(paging.TimeOf(page.Reached)).Title, l.ask.Newer
	case len(page.Items) == 0:
	case page.Newer || page.Older:
		n := int64(len(page.Items))
		out.Text = words.Grouped(n) + " of " + found.number()
		if found == (RowsFound{}) {
			out.Text = RowsFound{n: n, exact: true}.of(r.One, r.many())
		}
	}
	return out
}

// empty says why there is no row, with all that the list is narrowed by.
func (r *List[T, F]) empty(l *Listing, view View, bar components.FilterBar) components.Empty {
	var narrowed []string
	if bar.Search != "" && r.Search.Key == "" {
		narrowed = append(narrowed, "“"+bar.Search+"”")
	}
	if view.Label != "" {
		narrowed = append(narrowed, view.Label)
	}
	for _, c := range bar.Chips {
		narrowed = append(narrowed, c.Label)
	}
	if len(narrowed) == 0 && l.ask.From == uuid.Nil {
		e := r.Empty
		if first := r.Head.Primary; e.Action.Label == "" {
			e.Action = components.Button{Label: first.Label, Href: first.Href, Kind: "plain", Changes: first.Changes}
		}
		return e
	}
	e := r.NoMatch
	e.Kind, e.Filters, e.ClearHref = components.NothingMatches, narrowed, l.cleared()
	return e
}

// Places are the list and its views, as the search for anything names them.
func (r *List[T, F]) Places() []find.Place {
	title := cmp.Or(r.Title, r.Head.Title)
	out := []find.Place{{Group: find.Pages, Label: title, Icon: "menu", Href: r.Path}}
	for _, v := range r.Views {
		if v.Label != "" {
			out = append(out, find.Place{Group: find.Pages, Label: title + ": " + v.Label, Icon: "filter",
				Href: Address(r.Path, url.Values{v.Key: {v.Value}})})
		}
	}
	return out
}
