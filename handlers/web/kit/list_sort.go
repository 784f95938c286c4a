package kit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

// sortKey is the key of the address that says by what a list is sorted: "due", or "-due" for the largest first.
const sortKey = "sort"

// ByAge are the orders of a list that is sorted by nothing but when its records were made.
var ByAge = paging.Sorts{paging.Created: 0}

// SortBy lets rows be sorted by the column, the largest first unless somebody asks for the other way.
func (c Column[T]) SortBy(key string) Column[T] {
	c.Sort = key
	return c
}

// SortText is SortBy for texts, which begin with A.
func (c Column[T]) SortText(key string) Column[T] {
	c.Sort, c.sortUp = key, true
	return c
}

func sortText(s paging.Sort) string {
	if s.Up {
		return s.By
	}
	return "-" + s.By
}

// readSort reads how the list is sorted. The newest first is how it is without.
func (r *List[T, F]) readSort(l *Listing) {
	text := l.Query.Get(sortKey)
	if text == "" {
		return
	}
	by, down := strings.CutPrefix(text, "-")
	_, known := r.sortColumn(by)
	switch {
	case !known:
		l.refuse("‘" + text + "’ is not an order of this list. It was ignored.")
		l.Query.Del(sortKey)
	case by == paging.Created && down:
		l.Query.Del(sortKey)
	default:
		l.ask.Sort = paging.Sort{By: by, Up: !down}
	}
}

// sortColumn is the column that an order goes by.
func (r *List[T, F]) sortColumn(by string) (col Column[T], known bool) {
	n := slices.IndexFunc(r.Columns, func(c Column[T]) bool { return c.Sort == by && by != "" })
	if _, sorts := r.Sorts[by]; n < 0 || !sorts {
		return col, false
	}
	return r.Columns[n], true
}

// page reads one page in the order that is asked for.
func (r *List[T, F]) page(ctx context.Context, who actor.Actor, f F, ask paging.Ask) (paging.Page[T], error) {
	if ask.Sort.By == paging.Created {
		ask.Sort = paging.Sort{}
		page, err := r.Query(ctx, who, f, ask.Turned())
		return page.Turned(), err
	}
	return r.Query(ctx, who, f, ask)
}

// pageOr is page for a person: where the list cannot be sorted, or the place in it is gone, it says so and shows what
// it can.
func (r *List[T, F]) pageOr(ctx context.Context, who actor.Actor, f F, l *Listing) (paging.Page[T], error) {
	page, err := r.page(ctx, who, f, l.ask)
	var many *paging.TooMany
	switch {
	case errors.As(err, &many):
		l.refuse(r.tooMany(l.ask.Sort, many.Most))
		l.Query.Del(sortKey)
		l.ask = paging.Ask{Limit: l.ask.Limit}
	case errors.Is(err, paging.ErrNoPlace):
		l.refuse("That page of the list is not known. Showing the first.")
		l.ask = paging.Ask{Limit: l.ask.Limit, Sort: l.ask.Sort}
	default:
		return page, err
	}
	return r.page(ctx, who, f, l.ask)
}

// tooMany says why a list cannot be sorted yet.
func (r *List[T, F]) tooMany(s paging.Sort, most int) string {
	col, _ := r.sortColumn(s.By)
	return "Narrow the list to at most " + words.Grouped(
		int64(most),
	) + " " + r.many() + " to sort it by " + col.sortWord() + "."
}

// refusal is the fault for who asks for a file in an order that the list cannot have.
func (r *List[T, F]) refusal(s paging.Sort, err error) error {
	var many *paging.TooMany
	if errors.As(err, &many) {
		return fault.New(fault.Invalid, "too_many_to_sort", "%s", r.tooMany(s, many.Most))
	}
	return err
}

// sortWord is what the column is called in a sentence: without a unit, and with a small letter.
func (c Column[T]) sortWord() string {
	name, _, _ := strings.Cut(c.Head.Label, ",")
	return strings.ToLower(name)
}

// sortHeads makes links of the heads by which the list can be sorted.
func (r *List[T, F]) sortHeads(l *Listing, columns []Column[T], heads []components.Head, found RowsFound) {
	shown := 0
	for _, col := range columns {
		if col.Cell == nil {
			continue
		}
		r.sortHead(l, col, &heads[shown], found)
		shown++
	}
}

// sortHead makes a link of the head of a column by which the list can be sorted.
func (r *List[T, F]) sortHead(l *Listing, col Column[T], head *components.Head, found RowsFound) {
	if _, known := r.sortColumn(col.Sort); !known {
		return
	}
	now := l.ask.Sort
	if now.By == "" {
		now.By = paging.Created
	}
	next := paging.Sort{By: col.Sort, Up: col.sortUp}
	if now.By == col.Sort {
		if next.Up = !now.Up; now.Up {
			head.Sort = "ascending"
		} else {
			head.Sort = "descending"
		}
	}
	head.SortID, head.Target, head.SortHref = "sort-"+col.Sort, "#results", l.sorted(next)
	if most := r.Sorts[col.Sort]; most > 0 && found.above(int64(most)) && head.Sort == "" {
		head.Why = r.tooMany(next, most)
	}
}

// sorted is the address of the list in another order, from its first page on.
func (l *Listing) sorted(s paging.Sort) string {
	if s == (paging.Sort{By: paging.Created}) {
		return l.with(sortKey, "")
	}
	return l.with(sortKey, sortText(s))
}
