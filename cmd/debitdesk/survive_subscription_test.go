package main

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// subscribers is how many periods begin at one midnight.
const subscribers = 300

// subscribe makes many subscribers of one account straight in the table: their
// periods begin at the next midnight, and a day later.
func (b *books) subscribe(on *process) {
	b.t.Helper()
	_, clock := b.call(on, "GET", "/sandbox/clock", "")
	now, _ := clock["now"].(float64)
	first := time.Unix(int64(now), 0).UTC().Add(26 * time.Hour).Truncate(24 * time.Hour).Add(-2 * time.Hour) // 00:00 SAST
	b.ready = first.Add(25 * time.Hour)
	client := b.made(on, "/api/v1/clients/",
		`{"email":"payer@example.com","full_name":"Payer","bank_account":"6200000001","bank_code":"470010"}`)
	token := b.made(on, "/api/v1/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"Membership","price":0}],"payment_method_details":{"direct_debit":{"profile_code":"TEST1"}}}}`, client, b.brand))
	if _, err := b.db.Exec(
		b.t.Context(),
		`WITH t AS (INSERT INTO billing_templates (id, merchant_id, brand_id, is_test, title, is_subscription,
			currency, total_cents, due_strict,
			details, options, period, period_units, due_period, due_units, charge_at_end, trial_periods,
			paused, created_at, updated_at)
		SELECT gen_random_uuid(), merchant_id, id, true, 'Daily', true, 'ZAR', $4, false,
			jsonb_build_object('products', jsonb_build_array(jsonb_build_object('name', 'A day', 'price', $4::bigint, 'quantity',
			'1', 'tax_percent', '0')), 'language', 'en', 'timezone', 'UTC'),
			'{}', 1, 'days', 7, 'days', false, 0, false, now(), now() FROM brands WHERE id = $1 RETURNING id, merchant_id)
		INSERT INTO template_clients (id, merchant_id, template_id, client_id, status, anchor, next_on, next_at, token_id,
		switches, activated_at, created_at, updated_at)
		SELECT gen_random_uuid(), t.merchant_id, t.id, $2, 'active', $5::date, $5::date, $6, $3,
		'{"send_invoice_on_charge_failure": true}', now(), now(), now()
		FROM t, generate_series(1, $7::int)`,
		b.brand,
		client,
		token,
		int64(cents),
		first.Add(2*time.Hour).Format(time.DateOnly),
		first,
		subscribers,
	); err != nil {
		b.t.Fatal(err)
	}
}

// TestKilledAtMidnightEachPeriodIsBilledOnce kills the server while the periods of
// two days are billed, and starts it again.
func TestKilledAtMidnightEachPeriodIsBilledOnce(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	first := serving(t, b.env)
	b.subscribe(first)
	first.end(syscall.SIGTERM)
	seed := rand.New(rand.NewPCG(2027, 2)) //nolint:gosec // the same moments in every run
	for _, part := range []int{1, subscribers / 2, subscribers, subscribers + 60, 2*subscribers - 1} {
		b.killedAt("billed", `SELECT count(*) FROM billing_periods`, part+seed.IntN(10)%max(2*subscribers-part, 1))
	}
	last := serving(t, b.env)
	if !b.toReady(last) {
		t.Fatal("the last server died")
	}
	for _, check := range []struct {
		what, sql string
		want      int
	}{
		{"periods", `SELECT count(*) FROM billing_periods WHERE skipped = ''`, 2 * subscribers},
		{"purchases of subscribers", `SELECT count(*) FROM purchases WHERE subscriber_id IS NOT NULL`, 2 * subscribers},
		{"purchases that are a period's",
			`SELECT count(*) FROM purchases p JOIN billing_periods b ON b.purchase_id = p.id
				AND b.template_client_id = p.subscriber_id AND b.billed_on = p.issued`, 2 * subscribers},
		{"collections", `SELECT count(*) FROM collections`, 2 * subscribers},
		{"subscribers with two periods passed", `SELECT count(*) FROM template_clients WHERE passed = 2 AND cycle = 2`,
			subscribers},
		{"charged in the time line, not once",
			`SELECT count(*) FROM (SELECT purchase_id FROM audit_entries
				WHERE action = 'purchase.created' AND purchase_id IS NOT NULL
			GROUP BY 1 HAVING count(*) <> 1) AS twice`, 0},
	} {
		if n := b.number(check.sql); n != check.want {
			t.Errorf("%s: %d, want %d", check.what, n, check.want)
		}
	}
}
