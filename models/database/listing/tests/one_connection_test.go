package tests

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
	"debitdesk/models/storetest"
)

// A search has one connection at a time: if each of many held one while it waited for a second, all would wait.
func TestASearchHoldsOneConnectionAtATime(t *testing.T) {
	merchant, dsn := uuid.New(), storetest.DSN(t)
	tabledIn(t, dsn, database.Options{Sandbox: true},
		`CREATE TABLE tins (id uuid PRIMARY KEY, merchant_id uuid, search tsvector)`,
		`INSERT INTO tins SELECT ('0001' || lpad(to_hex(n), 28, '0'))::uuid, '`+merchant.String()+`',
			to_tsvector('simple', CASE WHEN n <= 2000 THEN 'peach' ELSE 'plum' END) FROM generate_series(1, 2400) n`,
		`CREATE INDEX ON tins (merchant_id, id)`,
		`CREATE INDEX ON tins USING gin (search_key(merchant_id, id, search))`, `VACUUM ANALYZE tins`)
	s := tabledIn(t, dsn, database.Options{Sandbox: true, MaxConns: 1})
	w := listing.Walk{Columns: "*", From: "tins"}
	w.And("merchant_id = ?", merchant)
	f := &listing.Search{Query: database.SearchFor(merchant, "peach"), Walk: w, Words: listing.Vector("search")}
	where, args := w.All()
	f.Arms = []listing.Arm{listing.ByWords(s, f, "tins", "tins", where, args...)}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	ids, _, err := listing.Find(ctx, s, f, paging.Ask{Limit: 3})
	if want := uuid.MustParse("00010000-0000-0000-0000-0000000007d0"); err != nil || len(ids) != 4 || ids[0] != want {
		t.Errorf("found %v, %v", ids, err)
	}
}
