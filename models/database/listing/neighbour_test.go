package listing_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// A merchant with no records does not wait for the records of another, although the plan is one for both.
func TestAListReadsNothingOfAnotherMerchant(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), dbtest.Migrated(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	large, small := uuid.New(), uuid.New()
	for _, sql := range []string{`CREATE TABLE boxes (id uuid PRIMARY KEY, merchant_id uuid, name text)`,
		`INSERT INTO boxes SELECT lpad(to_hex(n), 32, '0')::uuid, '` + large.String() +
			`', 'name ' || n FROM generate_series(1, 20000) n`,
		`CREATE INDEX ON boxes (merchant_id, id)`, `VACUUM ANALYZE boxes`, `SET plan_cache_mode = force_generic_plan`} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	for ordered, offends := range map[bool]bool{true: true, false: false} {
		w := listing.Walk{Columns: "id, name", From: "boxes", Alias: "boxes", Ordered: ordered}
		w.And("merchant_id = ?", small)
		query := strings.Replace(listing.Rows(&w, w.Columns, paging.Ask{}, 50), "?", "$1", 1)
		if _, err := conn.Exec(t.Context(), "DEALLOCATE ALL"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "PREPARE page (uuid) AS "+query); err != nil {
			t.Fatal(query, err)
		}
		rows, err := conn.Query(
			t.Context(),
			"EXPLAIN (ANALYZE, TIMING OFF) EXECUTE page ('"+small.String()+"')",
			pgx.QueryExecModeSimpleProtocol,
		)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Rows Removed") != offends {
			t.Errorf("in the order of From: %v\n%s", ordered, plan)
		}
	}
}
