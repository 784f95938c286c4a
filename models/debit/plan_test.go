package debit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/debit"
	"debitdesk/models/storetest"
	"debitdesk/models/storetest/plans"
)

// The question is asked four times a second, by a statement that is planned once for every moment: it reads one
// entry of an index for each kind of thing that can be due, whatever is planned and whatever is over.
func TestTheQuestionWhetherAnythingIsDueReadsNoTable(t *testing.T) {
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true})
	must(t, err)
	t.Cleanup(s.Close)
	conn, err := s.Pool.Acquire(t.Context())
	must(t, err)
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
		`PREPARE overdue(timestamptz) AS ` + debit.OverdueQuery, `PREPARE next_due(timestamptz) AS ` + debit.NextDueQuery,
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

// Whatever waits for its debit date, and however many purchases have none, a look for what is due reads none of them.
func TestALookForChargesThatAreDueMeetsNoneThatWait(t *testing.T) {
	const each = 6_000
	dsn := storetest.DSN(t)
	s, l := plans.Listened(t, dsn, fmt.Sprintf(`SET session_replication_role = replica;
			INSERT INTO purchases (id, merchant_id, brand_id, token_id, is_test, status, product, currency, total_cents, due,
				due_given, due_strict, issued, reference, reference_generated, payer_name, payer_email, payer, details, options,
				history, attempts, search, execute_at, created_at, updated_at)
			SELECT gen_random_uuid(), '%s', '%[1]s', gen_random_uuid(), true,
				CASE WHEN n > %d THEN 'pending_charge' ELSE 'paid' END,
				'', 'ZAR', 100, now(), true, false, now(), '', n::text, '', '', '{}', '{}', '{}', '[]', '[]', '',
				CASE WHEN n > %[2]d THEN now() + n * interval '1 hour' END, now(), now() FROM generate_series(1, %d) n;
			SET session_replication_role = DEFAULT`, uuid.New(), each, 2*each), "VACUUM ANALYZE purchases")
	l.Doing("whether anything is overdue")
	if late, err := (debit.Store{DB: s}).Overdue(t.Context()); err != nil || late {
		t.Errorf("overdue %t: %v", late, err)
	}
	l.Doing("what is due")
	if err := s.InTx(t.Context(), func(tx *database.Tx) error {
		moved, err := debit.ExecuteDue(tx, 500)
		if len(moved) > 0 {
			t.Errorf("%d purchases moved", len(moved))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	l.Doing("")
	plans.NoneReadsMore(t, dsn, l.Statements(), "purchases", 50)
}

// What runs out is found by when it does, however many requests still wait for an answer.
func TestWhatRunsOutIsNotLookedForAmongAllRequests(t *testing.T) {
	dsn := storetest.DSN(t)
	s, l := plans.Listened(t, dsn, `SET session_replication_role = replica;
			INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state, requested_at, expires_at)
			SELECT gen_random_uuid(), gen_random_uuid(), lpad(to_hex(n), 32, '0')::uuid, 1, 'DELAYED',
				CASE n % 16 WHEN 0 THEN 'delivered' ELSE 'accepted' END, now(),
				now() + CASE n % 16 WHEN 0 THEN 1 ELSE -1 END * random() * interval '300 days'
			FROM generate_series(1, 48000) n;
			SET session_replication_role = DEFAULT`,
		"VACUUM ANALYZE mandate_authentications")
	l.Doing("requests that run out")
	passed := s.Now().Add(-time.Hour)
	if found, err := debit.RunOut(debit.Store{DB: s}, t.Context(), passed, passed, 200); err != nil ||
		len(found) > 0 {
		t.Errorf("%d have run out: %v", len(found), err)
	}
	l.Doing("")
	plans.NoneReadsMore(t, dsn, l.Statements(), "mandate_authentications", 200)
}
