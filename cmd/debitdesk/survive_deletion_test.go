package main

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// leaving is how many deletions become final at once.
const leaving = 40

// TestKilledWhileDeletionsBecomeFinalEachIsFinalOnce kills the server in between;
// the next one does the rest.
func TestKilledWhileDeletionsBecomeFinalEachIsFinalOnce(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	first := serving(t, b.env)
	client := b.made(first, "/api/v1/clients/",
		`{"email":"payer@example.com","full_name":"Payer","bank_account":"6200001234","bank_code":"470010"}`)
	_, clock := b.call(first, http.MethodGet, "/sandbox/clock", "")
	now, _ := clock["now"].(float64)
	due := time.Unix(int64(now), 0).Add(20 * 24 * time.Hour)
	for range leaving {
		token := b.made(first, "/api/v1/purchases/",
			fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
			"purchase":{"products":[{"name":"Membership","price":0}],"payment_method_details":{"direct_debit":{"profile_code":"TEST1"}}}}`, client, b.brand))
		id := b.made(first, "/api/v1/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"December","price":%d}]}}`, client, b.brand,
			due.Unix(), cents))
		b.made(first, "/api/v1/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token))
	}
	b.ready = time.Unix(int64(now), 0).Add(time.Hour)
	for _, sql := range []string{
		`UPDATE purchases SET token_leaving = true WHERE is_recurring_token`,
		`INSERT INTO token_deletions (id, merchant_id, tokens, asked_by, asked_name, state, until, created_at)
			SELECT id, merchant_id, jsonb_build_object(id::text, state), id, 'Nomsa Jacobs', 'waiting',
			created_at + interval '10 minutes', created_at FROM tokens`,
		`UPDATE tokens SET state = 'deleting'`,
	} {
		if _, err := b.db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	first.end(syscall.SIGTERM)
	for _, count := range []int{1, leaving / 2} {
		b.killedAt("final", `SELECT count(*) FROM token_deletions WHERE state = 'done'`, count)
	}
	last := serving(t, b.env)
	if !b.toReady(last) {
		t.Fatal("the last server died")
	}
	for what, sql := range map[string]string{
		"deleted": `SELECT count(*) FROM tokens WHERE state = 'deleted'`,
		"final":   `SELECT count(*) FROM token_deletions WHERE state = 'done'`,
		"told once": `SELECT count(*) FROM (SELECT object_id FROM audit_entries WHERE action = 'token.deleted'
			GROUP BY 1 HAVING count(*) = 1) AS once`,
		"debits given up once": `SELECT count(*) FROM (SELECT purchase_id FROM collections
			GROUP BY 1 HAVING count(*) = 1 AND min(state) = 'cancelled') AS once`,
		"purchases that failed": `SELECT count(*) FROM purchases WHERE status = 'error'`,
		"mandates that ended":   `SELECT count(*) FROM mandates WHERE state = 'cancelled'`,
	} {
		if n := b.number(sql); n != leaving {
			t.Errorf("%s: %d, want %d", what, n, leaving)
		}
	}
	last.isWell(t)
}
