package kit

import (
	"bytes"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/paging"
)

// BesideRows is how many rows a list beside a record shows.
const BesideRows = 10

// PageOf cuts a page out of a list that is known as a whole, the newest ids first.
func PageOf[T any](all []T, id func(T) uuid.UUID, ask paging.Ask) paging.Page[T] {
	all = slices.Clone(all)
	compare := func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
	slices.SortStableFunc(all, func(a, b T) int {
		if ask.Newer {
			return compare(id(a), id(b))
		}
		return compare(id(b), id(a))
	})
	var read []T
	for _, one := range all {
		side := compare(id(one), ask.From)
		if ask.From != uuid.Nil && (ask.Newer && side <= 0 || !ask.Newer && side >= 0) {
			continue
		}
		if read = append(read, one); len(read) == ask.Fetch() {
			break
		}
	}
	return paging.Cut(ask, read)
}
