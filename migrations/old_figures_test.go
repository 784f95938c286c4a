package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
)

// The figures of a database that was filled before they were kept are those of its facts, and the step can be
// taken back.
func TestOldFactsGetTheirFigures(t *testing.T) {
	t.Parallel()
	p := before(t, 25)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	brand := p.row("brands", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	late := time.Date(2026, 1, 31, 21, 59, 59, 0, time.UTC) // still January in South Africa
	bought := func(status string, more map[string]any) uuid.UUID {
		values := map[string]any{"merchant_id": merchant, "brand_id": brand, "status": status, "currency": "ZAR",
			"product": "purchases", "total_cents": int64(9_000_000_000_000_000_000), "updated_at": late}
		for name, value := range more {
			values[name] = value
		}
		return p.row("purchases", values)
	}
	debit := func(purchase uuid.UUID, state string) uuid.UUID {
		return p.row("collections", map[string]any{"merchant_id": merchant, "brand_id": brand, "purchase_id": purchase,
			"attempt": 1, "state": state, "amount_cents": int64(9_000_000_000_000_000_000), "currency": "ZAR", "method": "eft",
			"provisional_at": late, "result_at": late})
	}
	moved := func(purchase, collection uuid.UUID, kind string, cents int64) {
		p.row("ledger_entries", map[string]any{"id": uuid.New(), "merchant_id": merchant,
			"purchase_id": purchase, "collection_id": collection, "kind": kind, "amount_cents": cents,
			"currency": "ZAR", "at": late, "day": "2026-01-31"})
	}
	for range 2 { // more than any int64 holds
		paid := bought("paid", nil)
		moved(paid, debit(paid, "provisional"), "collected", 9_000_000_000_000_000_000)
	}
	failed := bought("error", map[string]any{"collection_count": 1})
	debit(failed, "unpaid")
	p.row("mandates", map[string]any{"merchant_id": merchant, "brand_id": brand, "kind": "eft",
		"contract_reference": "A"})
	p.row("template_clients", map[string]any{"id": uuid.New(), "merchant_id": merchant, "status": "active"})
	p.row("bank_items", map[string]any{"merchant_id": merchant, "kind": "debits", "amount_cents": 700,
		"action_date": "2026-01-30", "message_id": "M1", "state": "sent", "id": uuid.New()})

	for _, again := range []bool{false, true} {
		p.upTo(26)
		for what, c := range map[string]struct{ query, want string }{
			"what differs": {`SELECT count(*) FROM check_figures()`, "0"},
			"the ledger": {`SELECT string_agg(format('%s %s %s %s %s', day, kind, method, n, cents), ', ') FROM ledger_days
				WHERE merchant_id = $1`, "2026-01-31 collected eft 2 18000000000000000000"},
			"its months": {`SELECT string_agg(format('%s %s %s', day, n, cents), ', ')
				FROM ledger_months WHERE merchant_id = $1`,
				"2026-01-01 2 18000000000000000000"},
			"what may be returned": {`SELECT string_agg(format('%s %s', at AT TIME ZONE 'Africa/Johannesburg', n), ', ')
				FROM debit_days WHERE merchant_id = $1 AND state = 'provisional'`, "2026-01-31 00:00:00 2"},
			"what waits": {`SELECT string_agg(kind, ', ' ORDER BY kind) FROM attention
				WHERE merchant_id = $1`, "failed, stranded"},
			"the bank's day": {`SELECT string_agg(format('%s %s %s', day, open_n, open), ', ')
				FROM bank_days WHERE merchant_id = $1`,
				"2026-01-30 1 700"},
		} {
			args := []any{merchant}
			if what == "what differs" {
				args = nil
			}
			if got := p.says(c.query, args...); got != c.want {
				t.Errorf("%s: %s, want %s", what, got, c.want)
			}
		}
		if !again {
			_, err := p.steps.DownTo(context.Background(), 24)
			must(t, err)
		}
	}
}
