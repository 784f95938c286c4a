package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What could be returned and what was owed on days before the step is known after it, changes go on from there, and the
// step can be taken back.
func TestOldDaysGetTheirPartsOfTheBalance(t *testing.T) {
	t.Parallel()
	p := before(t, 61)
	merchant := p.row("merchants", map[string]any{"id": uuid.New()})
	at := func(day int) time.Time { return time.Date(2026, 3, day, 10, 0, 0, 0, time.UTC) }
	debit := func(state string, changed time.Time) uuid.UUID {
		purchase := p.row("purchases", map[string]any{"id": uuid.New(), "merchant_id": merchant, "currency": "ZAR",
			"total_cents": 1000, "status": "paid"})
		return p.row("collections", map[string]any{"id": uuid.New(), "merchant_id": merchant, "purchase_id": purchase,
			"attempt": 1, "state": state, "amount_cents": 1000, "currency": "ZAR", "method": "eft", "action_date": "2026-03-02",
			"provisional_at": at(2), "final_at": at(9), "updated_at": changed})
	}
	purchaseOf := func(debit uuid.UUID) uuid.UUID {
		return uuid.MustParse(p.says(`SELECT purchase_id FROM collections WHERE id = $1`, debit))
	}
	open := debit("provisional", at(2))
	final := debit("final", at(9))
	returned, late := debit("unpaid", at(5)), debit("disputed", at(20))
	for id, day := range map[uuid.UUID]int{returned: 5, late: 20} {
		p.row(
			"ledger_entries",
			map[string]any{"id": uuid.New(), "merchant_id": merchant, "collection_id": id, "currency": "ZAR",
				"purchase_id": purchaseOf(id), "kind": "returned", "amount_cents": -1000,
				"at": at(day), "day": at(day).Format(time.DateOnly)},
		)
	}
	back := func(of uuid.UUID, cents, made int, state string, ended time.Time) uuid.UUID {
		values := map[string]any{"id": uuid.New(), "merchant_id": merchant, "collection_id": of, "currency": "ZAR",
			"purchase_id": purchaseOf(of), "amount_cents": cents,
			"state": state, "channel": "bank", "created_at": at(made), "updated_at": ended}
		if state == "settled" {
			values["settled_at"] = ended
		}
		return p.row("refunds", values)
	}
	waiting := back(open, 1000, 4, "pending", at(4))
	back(final, 300, 3, "settled", at(10))
	back(returned, 200, 3, "dropped", at(5))

	stood := func(day int) string {
		return p.says(`SELECT coalesce(string_agg(format('%s %s %s', part, n, cents), ', ' ORDER BY part), '') FROM (
			SELECT part, sum(n) AS n, sum(cents) AS cents FROM (SELECT part, day, n, cents FROM part_days WHERE merchant_id = $1
				UNION ALL SELECT part, day, n, cents FROM part_day_deltas WHERE merchant_id = $1) AS d
			WHERE part <> 'owed by month' AND day <= $2
			GROUP BY 1 HAVING sum(n) <> 0) AS parts`, merchant, at(day).Format(time.DateOnly))
	}
	for _, again := range []bool{false, true} {
		p.upTo(62)
		for day, want := range map[int]string{1: "", 2: "returnable 4 4000", 3: "owed 2 500, returnable 4 3500",
			4: "owed 3 1500, returnable 3 2500", 5: "owed 2 1300, returnable 2 1700", 9: "owed 2 1300", 10: "owed 1 1000",
			30: "owed 1 1000"} {
			if got := stood(day); got != want {
				t.Errorf("on the %d. %q, want %q", day, got, want)
			}
		}
		if got := p.says(`SELECT count(*) FROM check_figures()`); got != "0" {
			t.Errorf("%s figures differ", got)
		}
		if !again {
			_, err := p.steps.DownTo(context.Background(), 60)
			must(t, err)
		}
	}
	for _, step := range []struct {
		sql, want string
		args      []any
	}{
		{`UPDATE collections SET state = 'disputed', updated_at = $2 WHERE id = $1`, "owed 1 1000", []any{final, at(25)}},
		{`UPDATE refunds SET state = 'dropped', updated_at = $2 WHERE id = $1`, "returnable 1 1000", []any{waiting, at(26)}},
		{`UPDATE collections SET state = 'final', updated_at = $2 WHERE id = $1`, "", []any{open, at(27)}},
		{`DELETE FROM refunds WHERE merchant_id = $1`, "", []any{merchant}},
		{`DELETE FROM collections WHERE merchant_id = $1`, "", []any{merchant}},
	} {
		_, err := p.db.Exec(step.sql, step.args...)
		must(t, err)
		if got := stood(30); got != step.want {
			t.Errorf("%s: %q, want %q", step.sql, got, step.want)
		}
		if got := p.says(`SELECT coalesce(string_agg(f::text, '; '), '') FROM check_parts() f`); got != "" {
			t.Errorf("%s: %s", step.sql, got)
		}
	}
}
