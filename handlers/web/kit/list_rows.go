package kit

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Rows are the rows of a list for what is made of all of them, such as a batch of clients.
type Rows[T any] interface {
	// Each gives every row that an address of the list lets through, or those of the selection in it, each once. What the
	// address asks for and the list cannot follow is refused, for more rows would be hit than were meant.
	Each(ctx context.Context, who actor.Actor, query url.Values, see func(T) error) error
	// Told says of the same rows how many they are, “many” where nobody counted so far, and by what the list is
	// narrowed.
	Told(ctx context.Context, who actor.Actor, query url.Values) (count string, by []string, err error)
	// Href is the page that shows them.
	Href(query url.Values) string
}

// arranged are the keys of an address that say how rows are shown and not which.
var arranged = []string{columnsKey, sortKey, viewKey, openKey}

// Which is what an address of a list says about which rows it shows.
func Which(query url.Values) url.Values {
	out := url.Values{}
	for name, values := range query {
		if text := strings.Join(values, ","); text != "" && !slices.Contains(arranged, name) {
			out.Set(name, text)
		}
	}
	return out
}

func (r *List[T, F]) Each(ctx context.Context, who actor.Actor, query url.Values, see func(T) error) error {
	_, o, err := r.followed(ctx, who, query)
	if err != nil {
		return err
	}
	return eachOnce(ctx, o.page, r.ID, func(items []T) error {
		for _, item := range items {
			if err := see(item); err != nil {
				return err
			}
		}
		return nil
	})
}

// followed reads an address of the list; one that cannot be followed is refused.
func (r *List[T, F]) followed(ctx context.Context, who actor.Actor, query url.Values) (*Listing, outgoing[T], error) {
	l := &Listing{path: r.Path, Query: Which(query)}
	o, err := r.outgoing(ctx, who, l)
	if err == nil {
		err = refusedFilters(o.refused)
	}
	return l, o, err
}

func (r *List[T, F]) Told(ctx context.Context, who actor.Actor, query url.Values) (string, []string, error) {
	l, o, err := r.followed(ctx, who, query)
	if err != nil {
		return "", nil, err
	}
	if !o.found.exact { // nobody counts so far, but a short list is seen to its end
		page, err := o.page(ctx, paging.Ask{Limit: pageRows})
		if err != nil {
			return "", nil, err
		}
		if !page.Older {
			o.found = RowsFound{n: int64(len(page.Items)), exact: true}
		}
	}
	count := o.found.of(r.One, r.many())
	if query.Get(SelectionKey) != "" {
		return count, []string{"selected"}, nil
	}
	return count, r.narrowedBy(l), nil
}

func (r *List[T, F]) Href(query url.Values) string {
	return Address(r.Path, Which(query))
}

// narrowedBy says by what the list is narrowed.
func (r *List[T, F]) narrowedBy(l *Listing) (by []string) {
	if text := l.Query.Get("q"); text != "" && r.Search.Key == "" {
		by = append(by, "“"+text+"”")
	}
	view := r.chosen(l)
	if view.Label != "" {
		by = append(by, view.Label)
	}
	for _, one := range r.Filters {
		if label := chipOf(l, one, view); label != "" {
			by = append(by, label)
		}
	}
	return by
}

// chipOf says what one filter narrows the list to; "" where a tab says it.
func chipOf[F any](l *Listing, one Filter[F], view View) string {
	text := l.Query.Get(one.Key)
	if text == "" || one.View && view != (View{}) {
		return ""
	}
	return one.Chip(l, text)
}

// NotTheList is the code of a refusal: the rows of a list are not known, for its address cannot be followed.
const NotTheList = "invalid_choice"

func refusedFilters(notices []string) error {
	if len(notices) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, NotTheList, "%s Nothing was selected.", strings.Join(notices, " "))
}

// eachOnce walks over all pages of a list, each row once however they move meanwhile.
func eachOnce[T any](ctx context.Context, read func(context.Context, paging.Ask) (paging.Page[T], error),
	id func(T) uuid.UUID, see func([]T) error) error {
	known := map[uuid.UUID]bool{}
	for ask := (paging.Ask{Limit: chooseRows}); ; {
		page, err := read(ctx, ask)
		if err != nil {
			return err
		}
		var fresh []T
		for _, item := range page.Items {
			if !known[id(item)] {
				known[id(item)] = true
				fresh = append(fresh, item)
			}
		}
		if err := see(fresh); err != nil {
			return err
		}
		next, more := page.After(ask, id)
		if !more {
			return nil
		}
		ask = next
	}
}
