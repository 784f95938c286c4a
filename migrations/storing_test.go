package migrations_test

import (
	"testing"

	"github.com/google/uuid"
)

// Purchases of no amount that were there before are counted, and those that change afterwards are followed.
func TestPurchasesThatOnlyStoreAreCounted(t *testing.T) {
	t.Parallel()
	p := before(t, 45)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	made := func(cents int, status string) uuid.UUID {
		return p.row("purchases", map[string]any{"id": uuid.New(), "merchant_id": merchant, "total_cents": cents,
			"status": status})
	}
	stored := made(0, "preauthorized")
	made(0, "preauthorized")
	made(0, "created")
	owed := made(100, "created")
	p.upTo(45)
	counted := func(want string) {
		t.Helper()
		got := p.says(`SELECT coalesce(string_agg(status || ' ' || n, ', ' ORDER BY status), '') FROM (
			SELECT status, sum(n) AS n FROM (SELECT status, n FROM storing_counts WHERE merchant_id = $1
				UNION ALL SELECT status, delta FROM storing_count_deltas WHERE merchant_id = $1) AS parts
			GROUP BY 1 HAVING sum(n) <> 0) AS sums`, merchant)
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	counted("created 1, preauthorized 2")
	for _, change := range []struct {
		sql, want string
		id        uuid.UUID
	}{
		{`UPDATE purchases SET status = 'cancelled' WHERE id = $1`, "cancelled 1, created 1, preauthorized 1", stored},
		{`UPDATE purchases SET status = 'paid' WHERE id = $1`, "cancelled 1, created 1, preauthorized 1", owed},
		{`UPDATE purchases SET total_cents = 0 WHERE id = $1`, "cancelled 1, created 1, paid 1, preauthorized 1", owed},
		{`DELETE FROM purchases WHERE id = $1`, "created 1, paid 1, preauthorized 1", stored},
	} {
		_, err := p.db.Exec(change.sql, change.id)
		must(t, err)
		counted(change.want)
	}
}
