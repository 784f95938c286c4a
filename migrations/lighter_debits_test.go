package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
)

// A debit knows the day on which it was closed: nothing is asked for it, and all that is kept stays exact, of debits
// that are there before the step, while it stands and after it is taken back.
func TestDebitsAreClosedWithoutAskingForTheDay(t *testing.T) {
	t.Parallel()
	p := before(t, 65)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	at := func(day int) time.Time { return time.Date(2026, 3, day, 10, 0, 0, 0, time.UTC) }
	brand := p.row("brands", map[string]any{"id": uuid.New(), "merchant_id": merchant})
	mandate := p.row("mandates", map[string]any{"id": uuid.New(), "merchant_id": merchant, "brand_id": brand,
		"kind": "eft", "state": "active", "contract_reference": "1"})
	purchase := p.row("purchases", map[string]any{"id": uuid.New(), "merchant_id": merchant, "brand_id": brand,
		"currency": "ZAR", "total_cents": 1000, "status": "paid"})
	first := p.row("collections", map[string]any{"id": uuid.New(), "merchant_id": merchant, "purchase_id": purchase,
		"attempt": 1, "state": "final", "amount_cents": 1000, "currency": "ZAR", "method": "eft", "brand_id": brand,
		"mandate_id": mandate, "action_date": "2026-03-02", "provisional_at": at(2), "final_at": at(9), "updated_at": at(9)})
	purchases := 0 // made while triggers count them
	debit := func(state string) uuid.UUID {
		purchases++
		ids := []uuid.UUID{uuid.New(), uuid.New()}
		_, err := p.db.Exec(`INSERT INTO purchases SELECT (jsonb_populate_record(p, jsonb_build_object('id', $2::uuid))).*
			FROM purchases p WHERE id = $1`, purchase, ids[0])
		must(t, err)
		_, err = p.db.Exec(`INSERT INTO collections SELECT (jsonb_populate_record(c, jsonb_build_object('id', $2::uuid,
			'purchase_id', $3::uuid, 'state', $4::text, 'closed_on', NULL,
			'provisional_at', CASE WHEN $4 NOT IN ('scheduled', 'unpaid') THEN c.provisional_at END))).*
			FROM collections c WHERE id = $1`, first, ids[1], ids[0], state)
		must(t, err)
		return ids[1]
	}
	exact := func(when string) {
		t.Helper()
		if got := p.says(`SELECT count(*) FROM check_figures()`); got != "0" {
			t.Errorf("%s: %s figures differ", when, got)
		}
		got := p.says(`SELECT coalesce(sum(n), 0) FROM (SELECT n FROM purchase_counts WHERE merchant_id = $1
			UNION ALL SELECT delta FROM purchase_count_deltas WHERE merchant_id = $1) AS counted`, merchant)
		if want := p.says(`SELECT $1::int`, purchases); got != want {
			t.Errorf("%s: %s purchases are counted, want %s", when, got, want)
		}
	}
	lives := func(when string) {
		t.Helper()
		for _, state := range []string{"scheduled", "provisional", "unpaid", "final"} {
			debit(state)
		}
		exact(when + ", made")
		for _, state := range []string{"provisional", "final", "disputed"} {
			_, err := p.db.Exec(`UPDATE collections SET state = $2, updated_at = $3,
				provisional_at = coalesce(provisional_at, $3) WHERE merchant_id = $1`, merchant, state, at(9))
			must(t, err)
			exact(when + ", " + state)
		}
	}
	p.says(`SELECT rebuild_figures()::text`)
	lives("before the step")
	p.upTo(66)
	exact("after the step")
	lives("after the step")

	closing := debit("provisional")
	tx, err := p.db.Begin()
	must(t, err)
	defer func() { _ = tx.Rollback() }()
	for _, sql := range []string{`SET LOCAL track_functions = 'all'`,
		`UPDATE collections SET state = 'final', updated_at = now() WHERE id = '` + closing.String() + `'`} {
		_, err = tx.Exec(sql)
		must(t, err)
	}
	var asked int
	must(t, tx.QueryRow(`SELECT coalesce(sum(calls), 0) FROM pg_stat_xact_user_functions
		WHERE funcname = 'debit_closed_on'`).Scan(&asked))
	if asked != 0 {
		t.Errorf("the day on which one debit was closed was asked for %d times", asked)
	}
	must(t, tx.Rollback())

	_, err = p.steps.DownTo(context.Background(), 64)
	must(t, err)
	exact("taken back")
	lives("taken back")
}
