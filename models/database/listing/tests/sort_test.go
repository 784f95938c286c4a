package tests

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

const things = 24_000

// thing is a record of a list that is sorted by its price, which many share.
type thing struct {
	id    uuid.UUID
	price int
	kind  int
}

// A list in any order shows each record once, in that order, page after page and back again, whatever narrows it; or
// it says that there is too much to sort.
func TestASortedListShowsEachRecordOnceInOrder(t *testing.T) {
	s := tabled(t, `CREATE TABLE things (id uuid PRIMARY KEY, merchant_id uuid, price bigint, kind int, name text)`)
	mine, other := uuid.New(), uuid.New()
	if _, err := s.Pool.Exec(
		t.Context(),
		`INSERT INTO things SELECT lpad(to_hex(n), 32, '0')::uuid, CASE n % 3 WHEN 0 THEN $2::uuid ELSE $1 END,
			(n * 7919) % 400, CASE WHEN n % 1000 < 3 THEN 2 WHEN n % 2 = 0 THEN 1 ELSE 0 END, 'name ' || n % 90
		FROM generate_series(1, $3::int) n`,
		mine,
		other,
		things,
	); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool.Exec(t.Context(), `CREATE INDEX ON things (merchant_id, price, id)`); err != nil {
		t.Fatal(err)
	}
	var all []thing
	rows, err := s.Pool.Query(t.Context(), `SELECT id, price, kind FROM things WHERE merchant_id = $1`, mine)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var one thing
		if err := rows.Scan(&one.id, &one.price, &one.kind); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	var few, many, fit listing.Condition
	few.And("kind = ?", 2)
	many.And("kind = ?", 1)
	fit.And("price < ?", 20)
	byPrice := listing.Order{Value: "price", Type: "bigint", Index: true}
	unindexed := byPrice
	unindexed.Index = false
	for _, c := range []struct {
		name   string
		sorted listing.Sorted
		keep   func(thing) bool
	}{
		{"all", listing.Sorted{Order: byPrice}, func(thing) bool { return true }},
		{"few of them", listing.Sorted{Order: byPrice, Narrow: few}, func(o thing) bool { return o.kind == 2 }},
		{"many of them", listing.Sorted{Order: byPrice, Narrow: many}, func(o thing) bool { return o.kind == 1 }},
		{"more than can be sorted", listing.Sorted{Order: byPrice, Narrow: many, Many: true},
			func(o thing) bool { return o.kind == 1 }},
		{"cheap ones", listing.Sorted{Order: byPrice, Fits: fit}, func(o thing) bool { return o.price < 20 }},
		{"few without an index", listing.Sorted{Order: unindexed, Narrow: few}, func(o thing) bool { return o.kind == 2 }},
	} {
		c.sorted.DB, c.sorted.From, c.sorted.ID = s, "things", "id"
		c.sorted.Of.And("merchant_id = ?", mine)
		for _, up := range []bool{false, true} {
			want := slices.DeleteFunc(slices.Clone(all), func(o thing) bool { return !c.keep(o) })
			slices.SortFunc(want, func(a, b thing) int {
				order := cmp.Or(cmp.Compare(a.price, b.price), strings.Compare(a.id.String(), b.id.String()))
				if !up {
					order = -order
				}
				return order
			})
			ids := make([]uuid.UUID, len(want))
			for n, o := range want {
				ids[n] = o.id
			}
			ask := paging.Ask{Limit: 1 + len(want)/5, Sort: paging.Sort{By: "price", Up: up}}
			forth, back := walked(t, &c.sorted, ask)
			if !slices.Equal(forth, ids) {
				t.Errorf("%s, up %v: %d records came, want %d in another order", c.name, up, len(forth), len(ids))
			}
			if back != nil && !slices.Equal(back, ids) {
				t.Errorf("%s, up %v: on the way back %d records came, want %d", c.name, up, len(back), len(ids))
			}
		}
	}
	sorted := listing.Sorted{DB: s, Order: unindexed, From: "things", ID: "id"}
	sorted.Of.And("merchant_id = ?", mine)
	var tooMany *paging.TooMany
	if _, err := sorted.Page(t.Context(), paging.Ask{Limit: 5}); !errors.As(err, &tooMany) || tooMany.Most != 10_000 {
		t.Errorf("sorting everything without an index: %v", err)
	}
	if _, err := sorted.Page(t.Context(), paging.Ask{Limit: 5, From: uuid.New()}); !errors.Is(err, paging.ErrNoPlace) {
		t.Errorf("a page beside nothing: %v", err)
	}
	gone := all[0].id
	sorted.Of = listing.Condition{}
	sorted.Of.And("merchant_id = ?", other)
	if _, err := sorted.Page(t.Context(), paging.Ask{Limit: 5, From: gone}); !errors.Is(err, paging.ErrNoPlace) {
		t.Errorf("a page beside a record of somebody else: %v", err)
	}
}

// walked goes through a list to its end and back to its beginning. The way there knows the values of its places, the
// way back looks them up.
func walked(t *testing.T, s *listing.Sorted, ask paging.Ask) (forth, back []uuid.UUID) {
	t.Helper()
	self := func(id uuid.UUID) uuid.UUID { return id }
	var page paging.Page[uuid.UUID]
	for more := true; more; {
		var err error
		if page, err = s.Page(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		forth = append(forth, page.Items...)
		ask, more = page.After(ask, self)
	}
	if back = slices.Clone(page.Items); len(back) == 0 { // what was searched last held nothing, and begins no way back
		return forth, nil
	}
	for {
		further, more := page.Before(ask, self)
		if !more {
			return forth, back
		}
		further.Value = ""
		var err error
		if page, err = s.Page(t.Context(), further); err != nil {
			t.Fatal(err)
		}
		back = append(slices.Clone(page.Items), back...)
		ask = further
		if len(back) > things {
			t.Fatal(fmt.Sprint("the way back has no end: ", len(back)))
		}
	}
}
