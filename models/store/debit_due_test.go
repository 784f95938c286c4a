package store_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/store"
)

// The question is asked four times a second, by a statement that is planned once for every moment: it reads one
// entry of an index for each kind of thing that can be due, whatever is planned and whatever is over.
func TestTheQuestionWhetherAnythingIsDueReadsNoTable(t *testing.T) {
	s := openTidying(t)
	conn, err := s.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, q := range []string{
		`SET session_replication_role = replica`, // the debits stand alone
		`INSERT INTO collections (id, merchant_id, brand_id, purchase_id, attempt, token_id, mandate_id, method, state,
			amount_cents, currency, action_date, original_date, submit_at, execute_at, service,
			statement_line, created_at, updated_at)
		SELECT gen_random_uuid(), md5('m')::uuid, md5('b')::uuid, gen_random_uuid(), 1,
		gen_random_uuid(), gen_random_uuid(), 'eft',
			CASE WHEN n % 3 = 0 THEN 'scheduled' ELSE 'final' END, 100, 'ZAR', now(), now(), now() + n * interval '1 minute',
			now() + n * interval '1 minute', '', '', now(), now() FROM generate_series(1, 9000) AS n`,
		`VACUUM ANALYZE collections`, `SET plan_cache_mode = force_generic_plan`,
		`PREPARE overdue(timestamptz) AS ` + store.OverdueQuery, `PREPARE next_due(timestamptz) AS ` + store.NextDueQuery,
	} {
		if _, err := conn.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	for _, question := range []string{"overdue", "next_due"} {
		rows, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, BUFFERS) EXECUTE "+question+"(now())")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(lines, "\n")
		if !strings.Contains(plan, "collections_to_hand_over") || strings.Contains(plan, "rows=3000 loops") ||
			strings.Contains(plan, "Removed by Filter: 3000") {
			t.Errorf("%s reads the table:\n%s", question, plan)
		}
	}
}
