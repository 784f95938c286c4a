package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What waited before is counted, what changes afterwards is followed, and the step can be taken back.
func TestWhatWaitsIsCounted(t *testing.T) {
	t.Parallel()
	p := before(t, 55)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	brand := p.row("brands", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	at := time.Date(2026, 1, 31, 22, 0, 0, 0, time.UTC) // the first minute of February in Johannesburg
	failed := func(cents int, currency string, answered any) uuid.UUID {
		id := p.row(
			"purchases",
			map[string]any{"merchant_id": merchant, "brand_id": brand, "status": "error", "currency": currency,
				"total_cents": cents, "updated_at": at, "collection_count": 1},
		)
		p.row("collections", map[string]any{"merchant_id": merchant, "brand_id": brand, "purchase_id": id, "attempt": 1,
			"state": "unpaid", "amount_cents": cents, "currency": currency, "method": "eft", "result_at": answered})
		return id
	}
	snoozed := failed(5000, "ZAR", at)
	failed(700, "ZAR", at.Add(-time.Second))
	paid := failed(90, "ZAR", nil)
	failed(1, "USD", at)
	p.row(
		"mails",
		map[string]any{"merchant_id": merchant, "state": "failed", "created_at": at, "object_id": uuid.New(), "attempt": 1},
	)
	p.says(`SELECT rebuild_figures()::text`)
	for range 2 {
		p.upTo(55)
		counted := func(when, want string) {
			t.Helper()
			got := p.says(
				`SELECT coalesce(string_agg(concat_ws(' ', kind, day, hidden_until, n, cents), ', '
					ORDER BY kind, day, hidden_until NULLS FIRST), '') FROM (
				SELECT kind || CASE WHEN owner_id IS NULL THEN '' ELSE ' owned' END AS kind, day,
				nullif(hidden_until, '-infinity') AS hidden_until,
					sum(n) AS n, sum(cents) AS cents FROM attention_counted($1, '2026-01-01')
					GROUP BY 1, 2, 3 HAVING sum(n) <> 0) AS sums`,
				merchant,
			)
			if got != want {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
			if got := p.says(`SELECT count(*) FROM check_figures()`); got != "0" {
				t.Errorf("%s: %s figures differ", when, got)
			}
		}
		const all = "failed -infinity 4 5790, failed 2026-01-31 1 700, failed 2026-02-01 2 5000, mail 2026-02-01 1 0"
		counted("at once", all)
		_, err := p.db.Exec(`INSERT INTO followups (merchant_id, object_id, kind, at, state, hidden_until, actor, acted_at)
			VALUES ($1, $2, 'failed', $3, 'snoozed', '2026-03-01', '', $3)`, merchant, snoozed, at)
		must(t, err)
		_, err = p.db.Exec(`UPDATE purchases SET status = 'paid' WHERE id = $1`, paid)
		must(t, err)
		const later = "failed -infinity 2 700, failed -infinity 2026-03-01 1 5000, failed 2026-01-31 1 700, " +
			"failed 2026-02-01 1 0, failed 2026-02-01 2026-03-01 1 5000, mail 2026-02-01 1 0"
		counted("before the sweep", later)
		p.folds()
		counted("after the sweep", later)
		_, err = p.db.Exec(`UPDATE attention_counts SET n = n + 1`)
		must(t, err)
		if got := p.says(
			`SELECT count(*) - (SELECT count(*) FROM attention_counts) FROM check_figures() WHERE figure = 'attention counts'`,
		); got != "0" {
			t.Errorf("%s more or fewer counts than all are found wrong", got)
		}
		p.says(`SELECT rebuild_figures()::text`)
		counted("when it was rebuilt", later)
		_, err = p.db.Exec(`DELETE FROM followups`)
		must(t, err)
		_, err = p.db.Exec(`UPDATE purchases SET status = 'error' WHERE id = $1`, paid)
		must(t, err)
		p.folds()
		counted("when that was taken back", all)
		_, err = p.steps.DownTo(context.Background(), 54)
		must(t, err)
	}
}
