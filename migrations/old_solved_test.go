package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What people looked after who left is nobody's after the step, and what others look after stays theirs; what waited
// before is listed as solved when it is, unless the thing itself goes.
func TestWhatWaitedBeforeIsListedWhenItIsSolved(t *testing.T) {
	t.Parallel()
	p := before(t, 54)
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
	paid, gone, waits := failed(), failed(), failed()
	stays, left, out := uuid.New(), uuid.New(), uuid.New()
	for id, disabled := range map[uuid.UUID]any{stays: nil, out: at} {
		p.row("users", map[string]any{"id": id, "merchant_id": merchant, "email": id.String(), "role": "staff"})
		_, err := p.db.Exec(`INSERT INTO memberships (user_id, merchant_id, role, disabled_at, created_at, updated_at)
			VALUES ($1, $2, 'staff', $3, $4, $4) ON CONFLICT (user_id,
			merchant_id) DO UPDATE SET disabled_at = excluded.disabled_at`,
			id, merchant, disabled, at)
		must(t, err)
	}
	for object, owner := range map[uuid.UUID]uuid.UUID{paid: stays, gone: left, waits: out} {
		p.row(
			"owners",
			map[string]any{"merchant_id": merchant, "object_id": object, "object_type": "purchase", "owner_id": owner},
		)
	}
	p.says(`SELECT rebuild_figures()::text`)
	for range 2 {
		p.upTo(54)
		p.says(`SELECT rebuild_figures()::text`)
		if got := p.says(`SELECT string_agg(owner_id::text, ' ') FROM owners`); got != stays.String() {
			t.Errorf("owners %s, want %s", got, stays)
		}
		if got := p.says(`SELECT count(*) FROM attention WHERE owner_id IS NULL`); got != "2" {
			t.Errorf("%s things have no owner, want 2", got)
		}
		if got := p.says(`SELECT count(*) FROM attention_solved`); got != "0" {
			t.Errorf("%s things are solved before anything happened", got)
		}
		_, err := p.db.Exec(`UPDATE purchases SET status = 'paid' WHERE id = $1`, paid)
		must(t, err)
		for _, table := range []string{"collections WHERE purchase_id", "purchases WHERE id"} {
			_, err = p.db.Exec(`DELETE FROM `+table+` = $1`, gone)
			must(t, err)
		}
		_, err = p.db.Exec(`UPDATE purchases SET total_cents = 5001 WHERE id = $1`, waits)
		must(t, err)
		p.folds()
		if got := p.says(
			`SELECT string_agg(kind || ' ' || object_id || ' ' || cents, ', ') FROM attention_solved`,
		); got != "failed "+
			paid.String()+" 5000" {
			t.Errorf("solved: %s", got)
		}
		if got := p.says(`SELECT count(*) FROM check_figures()`); got != "0" {
			t.Errorf("%s figures differ", got)
		}
		_, err = p.steps.DownTo(context.Background(), 53)
		must(t, err)
		_, err = p.db.Exec(`UPDATE purchases SET status = 'error' WHERE id = $1`, paid)
		must(t, err)
		gone = failed()
		p.says(`SELECT rebuild_figures()::text`)
	}
}
