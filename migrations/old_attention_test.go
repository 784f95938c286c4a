package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What waited before it could be put off waits still, its figures hold with what staff do about it, and the step can be
// taken back.
func TestWhatWaitedIsFollowedUp(t *testing.T) {
	t.Parallel()
	p := before(t, 41)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	brand := p.row("brands", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	at := time.Date(2026, 1, 31, 21, 59, 59, 0, time.UTC)
	failed := func() uuid.UUID {
		id := p.row(
			"purchases",
			map[string]any{"merchant_id": merchant, "brand_id": brand, "status": "error", "currency": "ZAR",
				"total_cents": 5000, "updated_at": at, "collection_count": 1},
		)
		p.row("collections", map[string]any{"merchant_id": merchant, "brand_id": brand, "purchase_id": id, "attempt": 1,
			"state": "unpaid", "amount_cents": 5000, "currency": "ZAR", "method": "eft", "result_at": at})
		return id
	}
	snoozed, closed, promised := failed(), failed(), failed()
	failed()
	p.says(`SELECT rebuild_figures()::text`)
	for range 2 {
		p.upTo(41)
		agree := func(when, waits string) {
			t.Helper()
			if got := p.says(`SELECT count(*) FROM check_figures()`); got != "0" {
				t.Errorf("%s: %s figures differ", when, got)
			}
			if got := p.says(`SELECT count(*) FROM attention_now($1, 'failed')`, merchant); got != waits {
				t.Errorf("%s: %s wait, want %s", when, got, waits)
			}
		}
		agree("at once", "4")
		p.row("followups", map[string]any{"merchant_id": merchant, "object_id": snoozed, "kind": "failed", "at": at,
			"state": "snoozed", "hidden_until": "2999-01-01"})
		p.row("followups", map[string]any{"merchant_id": merchant, "object_id": closed, "kind": "failed", "at": at,
			"state": "closed", "hidden_until": "infinity"})
		p.row(
			"promises",
			map[string]any{"id": uuid.New(), "merchant_id": merchant, "purchase_id": promised, "amount_cents": 100,
				"currency": "ZAR", "due_on": "2026-01-01", "state": "open"},
		)
		p.says(`SELECT rebuild_figures()::text`)
		agree("when staff had done something", "1")
		if got := p.says(`SELECT count(*) FROM attention_now($1, 'promise')`, merchant); got != "1" {
			t.Errorf("%s promises wait", got)
		}
		for _, table := range []string{"followups", "promises"} {
			_, err := p.db.Exec(`DELETE FROM ` + table)
			must(t, err)
		}
		p.folds()
		agree("when that was taken back", "4")
		_, err := p.steps.DownTo(context.Background(), 40)
		must(t, err)
	}
}
