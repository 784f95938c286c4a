// Package paging knows how a long list is walked: from one record to the older
// or the newer ones beside it, so that records added meanwhile move nothing.
// It must not know what the records are.
package paging

import (
	"slices"

	"github.com/google/uuid"
)

// Ask is the wish for one page. Lists are newest first, and ids grow with time.
type Ask struct {
	From  uuid.UUID // the record the page lies beside; uuid.Nil for the newest page
	Newer bool      // the page lies on the newer side of From, else on the older side
	Limit int       // records, at least 1
}

// Fetch is how many records to read for the ask: one more than shown, which
// tells whether there is a further page.
func (a Ask) Fetch() int { return a.Limit + 1 }

// Page is a part of a list, newest first.
type Page[T any] struct {
	Items []T
	Older bool // there are older records after the last item
	Newer bool // there are newer records before the first item
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
	return Page[T]{Items: read, Older: true, Newer: more}
}

// Map turns the items of a page into others.
func Map[T, U any](p Page[T], f func(T) U) Page[U] {
	out := Page[U]{Items: make([]U, len(p.Items)), Older: p.Older, Newer: p.Newer}
	for i, item := range p.Items {
		out.Items[i] = f(item)
	}
	return out
}
