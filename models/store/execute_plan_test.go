package store_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/store"
	"debitdesk/models/store/storetest"
)

// Whatever waits for its debit date, and however many purchases have none, a look for what is due reads none of them.
func TestALookForChargesThatAreDueMeetsNoneThatWait(t *testing.T) {
	const each = 6_000
	dsn := storetest.DSN(t)
	s, l := listened(t, dsn, fmt.Sprintf(`SET session_replication_role = replica;
			INSERT INTO purchases (id, merchant_id, brand_id, token_id, is_test, status, product, currency, total_cents, due,
				due_given, due_strict, issued, reference, reference_generated, payer_name, payer_email, payer, details, options,
				history, attempts, search, execute_at, created_at, updated_at)
			SELECT gen_random_uuid(), '%s', '%[1]s', gen_random_uuid(), true,
				CASE WHEN n > %d THEN 'pending_charge' ELSE 'paid' END,
				'', 'ZAR', 100, now(), true, false, now(), '', n::text, '', '', '{}', '{}', '{}', '[]', '[]', '',
				CASE WHEN n > %[2]d THEN now() + n * interval '1 hour' END, now(), now() FROM generate_series(1, %d) n;
			SET session_replication_role = DEFAULT`, uuid.New(), each, 2*each), "VACUUM ANALYZE purchases")
	l.Doing("whether anything is overdue")
	if late, err := s.Overdue(t.Context()); err != nil || late {
		t.Errorf("overdue %t: %v", late, err)
	}
	l.Doing("what is due")
	if err := s.InTx(t.Context(), func(tx *store.Tx) error {
		moved, err := tx.ExecuteDue(500)
		if len(moved) > 0 {
			t.Errorf("%d purchases moved", len(moved))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	l.Doing("")
	noneReadsMore(t, dsn, l.Statements(), "purchases", 50)
}
