package debit_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
)

// monthEnd makes debits of several accounts that share their moments, and lives through them with sets of a size. It
// tells what became of each, in the order in which they were made.
func monthEnd(t *testing.T, size int) (h *house, became [][]string) {
	t.Helper()
	h = open(t)
	h.debits.Chunk = size
	var made []uuid.UUID
	for range 12 {
		for _, account := range []bank.AccountNumber{"4000000000", "4000009002", "4000009030", "4000007004", "4000009430",
			"4000008002"} {
			made = append(made, h.tokenise(account, 10000).ID)
		}
	}
	h.to(day(3).At(23, 0))
	for i, stored := 0, len(made); i < stored; i += 6 { // each stored account is debited again, two of them twice
		for range 1 + i%2 {
			made = append(made, h.mustCharge(made[i], 20000, day(15)).ID)
		}
	}
	for _, at := range []time.Time{day(16).At(9, 0), day(25).At(9, 0), day(25).AddDays(60).At(9, 0)} {
		h.to(at)
	}
	for _, id := range made {
		rows, err := h.store.Pool.Query(ctx, `SELECT what FROM (
			SELECT 1, id::text, concat_ws(' ', 'purchase', status, version, net_cents, payment, is_recurring_token)
			FROM purchases WHERE id = $1
			UNION ALL SELECT 2, c.id::text, concat_ws(' ', 'debit', c.state, c.result_code, c.result_at, c.provisional_at,
			c.started, c.soft_before, c.proof_due)
				FROM collections c WHERE c.purchase_id = $1
			UNION ALL SELECT 3, id::text, concat_ws(' ', 'token', state, failures, soft_failures, blocked_code, last_used_at,
			last_success_at) FROM tokens WHERE id = $1
			UNION ALL SELECT 4, kind, concat_ws(' ', 'ledger', kind, amount_cents, day)
			FROM ledger_entries WHERE purchase_id = $1
			UNION ALL SELECT 5, action || date_trunc('second', at),
			concat_ws(' ', 'audit', action, date_trunc('second', at), actor_kind, text, before, after) FROM audit_entries
				WHERE purchase_id = $1 AND (action LIKE 'collection.%'
				OR action IN ('purchase.pending_execute', 'token.stored', 'token.blocked'))
			UNION ALL SELECT 6, to_char(seq, '0000000000'), concat_ws(' ', 'event', type, date_trunc('second', created_at))
			FROM events WHERE source_id = $1 AND type NOT IN ('purchase.created', 'purchase.pending_charge')
			UNION ALL SELECT 7, kind, concat_ws(' ', 'mail', kind, attempt) FROM mails WHERE purchase_id = $1
			UNION ALL SELECT 8, b.message_id, concat_ws(' ', 'message', b.kind, b.code, b.outcome)
				FROM bank_messages b JOIN collections c ON c.id = b.instruction_id
				WHERE c.purchase_id = $1) AS x (n, by, what) ORDER BY n, by`,
			id)
		must(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		became = append(became, lines)
	}
	return h, became
}

// Whatever a set of debits has in common, each ends as it does alone: one rule says what becomes of it.
func TestDebitsInSetsEndAsEachDoesAlone(t *testing.T) {
	t.Parallel()
	_, alone := monthEnd(t, 1)
	h, together := monthEnd(t, 500)
	for i := range alone {
		for n := range max(len(alone[i]), len(together[i])) {
			if n >= len(alone[i]) || n >= len(together[i]) || alone[i][n] != together[i][n] {
				t.Fatalf("debit %d, line %d\nalone    %q\ntogether %q", i, n, alone[i], together[i])
			}
		}
	}
	if len(alone[0]) < 8 {
		t.Fatalf("%d lines of the first", len(alone[0]))
	}
	// A set is one statement for each table: the counts of the lists change once, and not for each debit.
	if n := h.number(`SELECT count(*) FROM purchase_count_deltas WHERE status IN ('paid', 'pending_execute')`); n > 150 {
		t.Errorf("%d changes of counts, as if each debit were written alone", n)
	}
}
