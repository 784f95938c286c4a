package migrations_test

import (
	"testing"

	"github.com/google/uuid"
)

// What the purchases of each status come to is kept from the upgrade on, and the purchases of before are in it: those
// whose counts were folded and those whose were not. A release that knows of no sums may fold beside this one.
func TestPurchasesOfBeforeAreAddedUp(t *testing.T) {
	t.Parallel()
	p := before(t, 53)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	brand := p.row("brands", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	first := p.row(
		"purchases",
		map[string]any{"id": uuid.New(), "merchant_id": merchant, "brand_id": brand, "currency": "ZAR",
			"status": "created"},
	)
	made := func(cents int, status, currency string) (id uuid.UUID) { // as a process makes it, with all triggers
		id = uuid.New()
		_, err := p.db.Exec(`INSERT INTO purchases SELECT (jsonb_populate_record(p, jsonb_build_object('id', $2::uuid,
			'total_cents', $3::bigint, 'status', $4::text, 'currency', $5::text))).* FROM purchases p WHERE p.id = $1`,
			first, id, cents, status, currency)
		must(t, err)
		return id
	}
	fold := func() { // as the release before does it
		_, err := p.db.Exec(`WITH gone AS (DELETE FROM purchase_count_deltas RETURNING merchant_id, status, delta)
			INSERT INTO purchase_counts AS c (merchant_id, status, n) SELECT merchant_id, status, sum(delta)
			FROM gone GROUP BY 1, 2
			ON CONFLICT (merchant_id, status) DO UPDATE SET n = c.n + excluded.n`)
		must(t, err)
	}
	paid := made(64900, "paid", "ZAR")
	fold()
	made(100, "paid", "ZAR")
	made(5000, "created", "ZAR")
	made(7000, "created", "USD")
	made(0, "preauthorized", "ZAR")
	p.upTo(53)
	summed := func(want string) {
		t.Helper()
		got := p.says(`SELECT coalesce(string_agg(status || ' ' || cents, ', ' ORDER BY status), '') FROM (
			SELECT status, sum(cents) AS cents FROM (SELECT status, cents FROM purchase_sums WHERE merchant_id = $1
				UNION ALL SELECT status, cents FROM purchase_count_deltas WHERE merchant_id = $1) AS parts
			GROUP BY 1 HAVING sum(cents) <> 0) AS sums`, merchant)
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	summed("created 5000, paid 65000")
	later := made(300, "created", "ZAR")
	for _, change := range []struct {
		sql, want string
		id        uuid.UUID
	}{
		{`UPDATE purchases SET status = 'error' WHERE id = $1`, "created 5300, error 64900, paid 100", paid},
		{`UPDATE purchases SET total_cents = 250 WHERE id = $1`, "created 5250, error 64900, paid 100", later},
		{`UPDATE purchases SET currency = 'USD' WHERE id = $1`, "created 5000, error 64900, paid 100", later},
		{`DELETE FROM purchases WHERE id = $1`, "created 5000, paid 100", paid},
	} {
		_, err := p.db.Exec(change.sql, change.id)
		must(t, err)
		summed(change.want)
		fold()
		summed(change.want)
	}
}
