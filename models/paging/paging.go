// Package paging knows how a long list is walked: from one record to the older
// or the newer ones beside it, so that records added meanwhile move nothing.
// It must not know what the records are.
package paging

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Ask is the wish for one page. Lists are newest first unless they are sorted, and ids grow with time.
type Ask struct {
	From  uuid.UUID // the record the page lies beside; uuid.Nil for the first page
	Value string    // of From, in a list that is sorted by a value; empty: it is looked up
	Newer bool      // the page lies before From, on its newer side; else after it, on its older side
	Limit int       // records, at least 1
	Sort  Sort
}

// Sort is the order of a list: by a value of its records, or by when they were made where By is empty. Lists begin
// with the newest and largest, or, with Up, with the oldest and smallest. A list that cannot sort passes over it.
type Sort struct {
	By string
	Up bool
}

// Created is the order in which records were made, which every list has.
const Created = "created"

// Sorts are the orders that a list has, each with how many records it can sort; 0: any number of them.
type Sorts map[string]int

// TooMany refuses to sort more records than Most.
type TooMany struct{ Most int }

func (e *TooMany) Error() string { return fmt.Sprintf("more than %d records to sort", e.Most) }

// ErrNoPlace says that the record is gone beside which a page of a sorted list would lie.
var ErrNoPlace = errors.New("no such place in the list")

// Fetch is how many records to read for the ask: one more than shown, which
// tells whether there is a further page.
func (a Ask) Fetch() int { return a.Limit + 1 }

// Page is a part of a list, newest first.
type Page[T any] struct {
	Items []T
	Older bool // there are older records after the last item
	Newer bool // there are newer records before the first item
	// Reached is the last record that was looked at, where a search ended before the
	// page was full and before the end of the list; the zero id where it did not.
	Reached uuid.UUID
	newer   bool // the page was looked for towards the newer records
	// values are those of the items, in a list that is sorted by them, and reachedAt is that of Reached.
	values    []string
	reachedAt string
}

// Cut makes the page from what was read: at most Fetch records in the order
// they were walked (newest first, or oldest first when Newer was asked).
func Cut[T any](a Ask, read []T) Page[T] {
	more := len(read) > a.Limit
	if more {
		read = read[:a.Limit]
	}
	if !a.Newer {
		return Page[T]{Items: read, Older: more, Newer: a.From != uuid.Nil}
	}
	slices.Reverse(read)
	return Page[T]{Items: read, Older: a.From != uuid.Nil, Newer: more}
}

// CutSorted is CutAt for a list that is sorted by values, which stand beside the records.
func CutSorted[T any](a Ask, read []T, values []string, reached uuid.UUID, reachedAt string) Page[T] {
	values = values[:min(len(values), a.Limit)]
	if a.Newer {
		slices.Reverse(values)
	}
	page := CutAt(a, read, reached)
	page.values, page.reachedAt = values, reachedAt
	return page
}

// CutAt makes the page from what a search read that looked no further than reached;
// the zero id says that it looked as far as it had to.
func CutAt[T any](a Ask, read []T, reached uuid.UUID) Page[T] {
	page := Cut(a, read)
	if reached == uuid.Nil || len(read) > a.Limit {
		return page
	}
	if page.Reached, page.newer = reached, a.Newer; a.Newer {
		page.Newer = true
	} else {
		page.Older = true
	}
	return page
}

// OlderFrom is the record after which the older side goes on; false where there is none.
func (p Page[T]) OlderFrom(id func(T) uuid.UUID) (uuid.UUID, bool) {
	switch n := len(p.Items); {
	case !p.Older || n == 0 && p.Reached == uuid.Nil:
		return uuid.Nil, false
	case p.Reached != uuid.Nil && (!p.newer || n == 0):
		return p.Reached, true
	default:
		return id(p.Items[n-1]), true
	}
}

// NewerFrom is the record before which the newer side goes on; false where there is none.
func (p Page[T]) NewerFrom(id func(T) uuid.UUID) (uuid.UUID, bool) {
	switch n := len(p.Items); {
	case !p.Newer || n == 0 && p.Reached == uuid.Nil:
		return uuid.Nil, false
	case p.Reached != uuid.Nil && (p.newer || n == 0):
		return p.Reached, true
	default:
		return id(p.Items[0]), true
	}
}

// After is the ask for the page after this one; false where there is none.
func (p Page[T]) After(a Ask, id func(T) uuid.UUID) (Ask, bool) {
	from, more := p.OlderFrom(id)
	return p.beside(a, from, false, id), more
}

// Before is the ask for the page before this one; false where there is none.
func (p Page[T]) Before(a Ask, id func(T) uuid.UUID) (Ask, bool) {
	from, more := p.NewerFrom(id)
	return p.beside(a, from, true, id), more
}

func (p Page[T]) beside(a Ask, from uuid.UUID, newer bool, id func(T) uuid.UUID) Ask {
	a.From, a.Newer, a.Value = from, newer, ""
	if from == p.Reached {
		a.Value = p.reachedAt
	}
	if n := slices.IndexFunc(p.Items, func(item T) bool { return id(item) == from }); n >= 0 && n < len(p.values) {
		a.Value = p.values[n]
	}
	return a
}

// Turned is the ask for the same page of the list the other way round, and of the page that answers it.
func (a Ask) Turned() Ask {
	a.Newer = !a.Newer
	return a
}

// Turned is the page of the list the other way round.
func (p Page[T]) Turned() Page[T] {
	p.Items, p.values = slices.Clone(p.Items), slices.Clone(p.values)
	slices.Reverse(p.Items)
	slices.Reverse(p.values)
	p.Older, p.Newer, p.newer = p.Newer, p.Older, !p.newer
	return p
}

// Map turns the items of a page into others.
func Map[T, U any](p Page[T], f func(T) U) Page[U] {
	return Pick(p, func(item T) (U, bool) { return f(item), true })
}

// Pick is Map that leaves out items.
func Pick[T, U any](p Page[T], f func(T) (U, bool)) Page[U] {
	out := Page[U]{Items: make([]U, 0, len(p.Items)), Older: p.Older, Newer: p.Newer, Reached: p.Reached, newer: p.newer,
		reachedAt: p.reachedAt}
	for i, item := range p.Items {
		other, ok := f(item)
		if !ok {
			continue
		}
		if out.Items = append(out.Items, other); i < len(p.values) {
			out.values = append(out.values, p.values[i])
		}
	}
	return out
}

// TimeOf is when a record was made, which its id tells.
func TimeOf(id uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC() //nolint:gosec // 48 bits
}

// idLag is how far the id of a record and the moment in which it was made may be apart: a transaction takes its time.
const idLag = 10 * time.Minute

// FromID and ToID bound the ids of what was made from a moment on, and up to one. They let a little more through: the
// moments are to be compared, too.
func FromID(at time.Time) uuid.UUID { return FirstAt(at.Add(-idLag)) }

// ToID is the first id that is too late.
func ToID(at time.Time) uuid.UUID { return FirstAt(at.Add(idLag)) }

// FirstAt is the first id of a moment: records made then, or later, do not come before it.
func FirstAt(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(at.UnixMilli(), 0))<<16) //nolint:gosec // 48 bits
	return id
}
