package tests

import (
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// A page of a walk that is bounded by its ids reads its first records and no others, however many lie within the
// bounds. Here whoever looks at an older one divides by zero.
func TestAWalkWithEndsReadsNoMoreThanItShows(t *testing.T) {
	mine, other := uuid.New(), uuid.New()
	s := tabled(t, `CREATE TABLE seals (id uuid PRIMARY KEY, merchant_id uuid, whole int)`,
		`INSERT INTO seals SELECT lpad(to_hex(n), 32, '0')::uuid,
			CASE n % 2 WHEN 0 THEN '`+mine.String()+`' ELSE '`+other.String()+`' END::uuid, (n > 19600)::int
			FROM generate_series(1, 20000) n`,
		`CREATE INDEX ON seals (merchant_id, id)`, `VACUUM ANALYZE seals`)
	type seal struct {
		ID, MerchantID uuid.UUID
		Whole          int
	}
	w := &listing.Walk{Columns: "*", From: "seals", Unsorted: true}
	var first uuid.UUID
	first[15] = 1
	w.And("merchant_id = ? AND id >= ? AND 1 / whole = 1", mine, first)
	page, err := listing.PageOf[seal](t.Context(), s, w, paging.Ask{Limit: 50}, nil)
	if err != nil || len(page.Items) != 50 {
		t.Errorf("a page: %d records, %v", len(page.Items), err)
	}
	if n, err := w.Count(t.Context(), s, 150); err != nil || n != 150 {
		t.Errorf("counting up to 150: %d, %v", n, err)
	}
	w.Most = 150
	w.Fitting("id IS NULL")
	page, err = listing.PageOf[seal](t.Context(), s, w, paging.Ask{Limit: 50}, nil)
	if last := (uuid.UUID{14: 19702 >> 8, 15: 19702 & 255}); err != nil || len(page.Items) > 0 || page.Reached != last {
		t.Errorf("a page of none ended at %v, want %v: %v", page.Reached, last, err)
	}
}
