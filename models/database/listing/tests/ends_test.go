package tests

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// A walk that is bounded by its ids shows what the bounds let by, each record once, page after page and back again, and
// nothing of a neighbour whose records lie between them.
func TestAWalkStaysWithinItsEnds(t *testing.T) {
	mine, other := uuid.New(), uuid.New()
	s := tabled(t, `CREATE TABLE stamps (id uuid PRIMARY KEY, merchant_id uuid, kind int)`,
		`INSERT INTO stamps SELECT lpad(to_hex(n), 32, '0')::uuid,
			CASE n % 2 WHEN 0 THEN '`+mine.String()+`' ELSE '`+other.String()+`' END::uuid, n % 3
			FROM generate_series(1, 2000) n`,
		`CREATE INDEX ON stamps (merchant_id, id)`)
	type stamp struct {
		ID, MerchantID uuid.UUID
		Kind           int
	}
	self := func(x stamp) uuid.UUID { return x.ID }
	at := func(n int) (id uuid.UUID) {
		id[14], id[15] = byte(n>>8), byte(n)
		return id
	}
	for _, ends := range [][2]int{{0, 0}, {500, 0}, {0, 1024}, {256, 1024}, {255, 1025}, {1024, 1024}, {1999, 0},
		{3000, 0}} {
		for _, fits := range []string{"", "kind = 1"} {
			var want []uuid.UUID
			for n := 2000; n > 0; n-- {
				if n%2 == 0 && n >= ends[0] && (ends[1] == 0 || n < ends[1]) && (fits == "" || n%3 == 1) {
					want = append(want, at(n))
				}
			}
			w := &listing.Walk{Columns: "*", From: "stamps", Unsorted: true}
			w.And("merchant_id = ? AND id >= ?", mine, at(ends[0]))
			if ends[1] > 0 {
				w.And("id < ?", at(ends[1]))
			}
			if fits != "" {
				w.Fitting(fits)
			}
			ask := paging.Ask{Limit: 70}
			page, err := listing.PageOf[stamp](t.Context(), s, w, ask, nil)
			var forth, back []uuid.UUID
			for ; err == nil; page, err = listing.PageOf[stamp](t.Context(), s, w, ask, nil) {
				for _, x := range page.Items {
					forth = append(forth, x.ID)
				}
				further, more := page.After(ask, self)
				if !more {
					break
				}
				ask = further
			}
			for ; err == nil; page, err = listing.PageOf[stamp](t.Context(), s, w, ask, nil) {
				var ids []uuid.UUID
				for _, x := range page.Items {
					ids = append(ids, x.ID)
				}
				back = append(ids, back...)
				further, more := page.Before(ask, self)
				if !more {
					break
				}
				ask = further
			}
			n, counting := w.Count(t.Context(), s, 5000)
			if err != nil || counting != nil || !slices.Equal(forth, want) || !slices.Equal(back, want) || int(n) != len(want) {
				t.Errorf("from %d to %d, %q: %d forth, %d back, %d counted, want %d (%v, %v)", ends[0], ends[1], fits,
					len(forth), len(back), n, len(want), err, counting)
			}
			if !slices.IsSortedFunc(forth, func(a, b uuid.UUID) int { return bytes.Compare(b[:], a[:]) }) {
				t.Errorf("from %d to %d: out of order", ends[0], ends[1])
			}
		}
	}
}
