// Package paging knows how a long list is walked: from one record to the older
// or the newer ones beside it, so that records added meanwhile move nothing.
// It must not know what the records are.
package paging

import (
	"encoding/binary"
	"slices"
	"time"

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
	// Reached is the last record that was looked at, where a search ended before the
	// page was full and before the end of the list; the zero id where it did not.
	Reached uuid.UUID
	newer   bool // the page was looked for towards the newer records
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

// CutAt makes the page from what a search read that looked no further than reached;
// the zero id says that it looked as far as it had to.
func CutAt[T any](a Ask, read []T, reached uuid.UUID) Page[T] {
	page := Cut(a, read)
	if reached == uuid.Nil || len(read) > a.Limit {
		return page
	}
	page.Reached, page.newer = reached, a.Newer
	if page.Older = true; a.Newer {
		page.Newer = true
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

// Map turns the items of a page into others.
func Map[T, U any](p Page[T], f func(T) U) Page[U] {
	out := Page[U]{Items: make([]U, len(p.Items)), Older: p.Older, Newer: p.Newer, Reached: p.Reached, newer: p.newer}
	for i, item := range p.Items {
		out.Items[i] = f(item)
	}
	return out
}

// TimeOf is when a record was made, which its id tells.
func TimeOf(id uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC() //nolint:gosec // 48 bits
}

// FirstAt is the first id of a moment: records made then, or later, do not come before it.
func FirstAt(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(at.UnixMilli(), 0))<<16) //nolint:gosec // 48 bits
	return id
}
