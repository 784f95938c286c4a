package upkeep

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

const (
	foldChunk = 20_000
	// dirtyAfter folded rows are worth cleaning up at once, so that counting does
	// not read their remains until the server's own clean-up comes by.
	dirtyAfter = 5_000
)

// counted are the things whose counts are kept, and by what each is counted.
var counted = []struct{ thing, by string }{{"purchase", "status"}, {"storing", "status"}, {"mandate", "kind, state"}}

// FoldCounts moves the differences that purchases and mandates left into the
// counters, and tells how many there were.
func (s Store) FoldCounts(ctx context.Context) (folded int64, err error) {
	for _, c := range counted {
		n, err := s.fold(ctx, c.thing, c.by)
		if folded += n; err != nil {
			return folded, fmt.Errorf("fold counts of %ss: %w", c.thing, err)
		}
	}
	return folded, nil
}

func (s Store) fold(ctx context.Context, thing, by string) (folded int64, err error) {
	fold := fmt.Sprintf(`WITH gone AS (
			DELETE FROM %[1]s_count_deltas WHERE id = ANY (ARRAY(
				SELECT id FROM %[1]s_count_deltas ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED))
			RETURNING merchant_id, %[2]s, delta),
		kept AS (
			INSERT INTO %[1]s_counts AS c (merchant_id, %[2]s, n)
			SELECT merchant_id, %[2]s, sum(delta) FROM gone GROUP BY merchant_id, %[2]s ORDER BY merchant_id, %[2]s
			ON CONFLICT (merchant_id, %[2]s) DO UPDATE SET n = c.n + excluded.n)
		SELECT count(*) FROM gone`, thing, by)
	for {
		var n int64
		if err := s.Gorm(ctx).Raw(fold, foldChunk).Scan(&n).Error; err != nil {
			return folded, err
		}
		folded += n
		if n < foldChunk {
			break
		}
	}
	if folded >= dirtyAfter {
		err = s.Gorm(ctx).Exec("VACUUM (TRUNCATE false) " + thing + "_count_deltas").Error
	}
	return folded, err
}

// FoldFigures adds up what changes of facts left beside the figures of pages, works off what was noted, and tells how
// many there were. A note waits until a later call, when whatever was under way at this one has ended.
func (s Store) FoldFigures(ctx context.Context) (folded int64, err error) {
	for {
		var n int64
		if err := s.Gorm(ctx).Raw(`SELECT fold_figures(?)`, foldChunk).Scan(&n).Error; err != nil {
			return folded, fmt.Errorf("fold figures: %w", err)
		}
		folded += n
		if n < foldChunk {
			break
		}
	}
	if folded >= dirtyAfter {
		if err := s.Gorm(ctx).Exec(`VACUUM (TRUNCATE false) ledger_day_deltas, debit_day_deltas, attention_changes,
			bank_day_changes, part_day_deltas, billing_group_deltas, debit_trait_deltas,
			journal_day_deltas, failure_changes`).Error; err != nil {
			return folded, fmt.Errorf("fold figures: %w", err)
		}
	}
	return folded, nil
}

// WrongFigure is one that differs from the facts.
type WrongFigure struct {
	Figure     string
	MerchantID uuid.UUID
	What       string
	Kept       string
	Facts      string
}

// String is one line for a person.
func (w WrongFigure) String() string {
	return fmt.Sprintf("%s %s of merchant %s: kept %q, facts %q", w.Figure, w.What, w.MerchantID, w.Kept, w.Facts)
}

// wrongTotals are the statuses of purchases whose number or sum differs from the purchases themselves.
const wrongTotals = `SELECT merchant_id, status, sum(kept_n)::bigint AS kept_n, sum(n)::bigint AS n,
	sum(kept_cents) AS kept_cents,
	sum(cents) AS cents FROM (
		SELECT merchant_id, status, n AS kept_n, 0 AS kept_cents, 0 AS n, 0 AS cents FROM purchase_counts
		UNION ALL SELECT merchant_id, status, delta, cents, 0, 0 FROM purchase_count_deltas
		UNION ALL SELECT merchant_id, status, 0, cents, 0, 0 FROM purchase_sums
		UNION ALL SELECT merchant_id, status, 0, 0, count(*), sum(CASE WHEN currency = 'ZAR' THEN total_cents ELSE 0 END)
			FROM purchases GROUP BY 1, 2) AS parts
	GROUP BY 1, 2 HAVING sum(kept_n) <> sum(n) OR sum(kept_cents) <> sum(cents)`

// WrongFigures compares every figure with the facts, in one moment.
func (s Store) WrongFigures(ctx context.Context) (wrong []WrongFigure, err error) {
	err = s.Gorm(ctx).Raw(`SELECT figure, merchant_id, coalesce(what, '') AS what, coalesce(kept, '') AS kept,
		coalesce(facts, '') AS facts FROM check_figures()
		UNION ALL SELECT 'purchases', merchant_id, status, kept_n || ', ' || kept_cents || ' cents',
		n || ', ' || cents || ' cents'
			FROM (` + wrongTotals + `) AS totals ORDER BY figure, what`).Scan(&wrong).Error
	if err != nil {
		return nil, fmt.Errorf("check figures: %w", err)
	}
	return wrong, nil
}

// RebuildFigures computes every figure anew.
func (s Store) RebuildFigures(ctx context.Context) error {
	if err := s.Gorm(ctx).Exec(`SELECT rebuild_figures()`).Error; err != nil {
		return fmt.Errorf("rebuild figures: %w", err)
	}
	if err := s.Gorm(ctx).Exec(`INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
		SELECT merchant_id, status, n - kept_n, cents - kept_cents FROM (` + wrongTotals + `) AS totals`).Error; err != nil {
		return fmt.Errorf("rebuild totals of purchases: %w", err)
	}
	return nil
}
