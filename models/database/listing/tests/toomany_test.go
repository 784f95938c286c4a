package tests

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// What is too much to be counted, or to be sorted, is not looked at record by record to find that out. Here nothing can
// be looked at: whoever tries divides by zero.
func TestWhatIsTooMuchIsNotLookedAt(t *testing.T) {
	large, small := uuid.New(), uuid.New()
	s := tabled(t, `CREATE TABLE crates (id uuid PRIMARY KEY, merchant_id uuid, zero int DEFAULT 0, price int)`,
		`INSERT INTO crates (id, merchant_id, price) SELECT lpad(to_hex(n), 32, '0')::uuid,
			CASE WHEN n <= 40 THEN '`+small.String()+`' ELSE '`+large.String()+`' END::uuid, n
			FROM generate_series(1, 500) n`,
		`CREATE INDEX ON crates (merchant_id, id)`)
	walk := func(merchant uuid.UUID, most int, fits string) *listing.Walk {
		w := &listing.Walk{Columns: "'' AS state, *", From: "crates", Most: most}
		w.And("merchant_id = ?", merchant)
		w.Fitting(fits)
		return w
	}
	found, err := listing.Count[string](t.Context(), s, walk(large, 100, "1 / zero = 1"))
	if err != nil || found != nil {
		t.Errorf("counting too many: %v, %v", found, err)
	}
	sums, err := listing.Sums[string](t.Context(), s, walk(small, 41, "price > 10"), "price")
	if want := (listing.Sum{N: 30, Cents: 40*41/2 - 10*11/2}); err != nil || sums[""] != want {
		t.Errorf("the sum of few: %v, %v, want %v", sums, err, want)
	}
	sums, err = listing.Sums[string](t.Context(), s, walk(small, 40, "price > 10"), "price")
	if err != nil || sums != nil {
		t.Errorf("as many as a page looks at: %v, %v", sums, err)
	}
	sums, err = listing.Sums[string](t.Context(), s, walk(uuid.New(), 40, "1 / zero = 1"), "price")
	if err != nil || sums == nil || len(sums) > 0 {
		t.Errorf("the sum of none: %v, %v", sums, err)
	}
	sorted := listing.Sorted{DB: s, Order: listing.Order{Value: "price / (zero + 1)", Type: "int", Most: 40},
		From: "crates", ID: "id"}
	sorted.Of.And("merchant_id = ?", small)
	page, err := sorted.Page(t.Context(), paging.Ask{Limit: 5})
	if err != nil || len(page.Items) != 5 {
		t.Errorf("few are sorted: %v, %v", page.Items, err)
	}
	sorted.Of, sorted.Order.Value = listing.Condition{}, "price / zero"
	sorted.Of.And("merchant_id = ?", large)
	var tooMany *paging.TooMany
	if _, err := sorted.Page(t.Context(), paging.Ask{Limit: 5}); !errors.As(err, &tooMany) {
		t.Errorf("sorting too many: %v", err)
	}
}
