package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/book"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/database"
	"debitdesk/models/database/history"
	"debitdesk/models/followup"
	"debitdesk/models/issuer"
	"debitdesk/models/listview"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/merging"
	"debitdesk/models/requestlog"
	"debitdesk/models/selection"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
	"debitdesk/models/texting"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

const (
	keysKept   = 48 * time.Hour     // idempotency keys; 24 hours are promised
	solvedKept = 7 * 24 * time.Hour // what was solved, for the list of a day
	foldChunk  = 20_000
	// dirtyAfter folded rows are worth cleaning up at once, so that counting does
	// not read their remains until the server's own clean-up comes by.
	dirtyAfter = 5_000
)

// Tidy removes what is past its time, in real time, which never runs ahead of the sandbox clock, and makes the
// coming months of history: idempotency keys, the log of requests, sessions that are over, forms that were kept
// for a sign-in, old sign-in counters, old events, evidence of erased clients that the law does not want any
// more. So nothing is lost because a person moved that clock by months.
func (s *Store) Tidy(ctx context.Context) error {
	now := database.Instant(time.Now())
	if err := history.Grow(ctx, s.DB); err != nil {
		return err
	}
	err := s.InChunks(ctx, `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM idempotency_keys WHERE stored_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-keysKept))
	if err != nil {
		return fmt.Errorf("tidy idempotency keys: %w", err)
	}
	mails := outbox.Store{DB: s.DB}
	if err := mails.Tidy(ctx, now); err != nil {
		return err
	}
	texts := texting.Store{DB: s.DB}
	if err := texts.Tidy(ctx, now); err != nil {
		return err
	}
	err = s.InChunks(ctx, `DELETE FROM kept_forms WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM kept_forms WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-user.FormsKept))
	if err != nil {
		return fmt.Errorf("tidy kept forms: %w", err)
	}
	log := requestlog.Store{DB: s.DB}
	if err := log.Tidy(ctx, now); err != nil {
		return err
	}
	tasks := task.Store{DB: s.DB}
	if err := tasks.Tidy(ctx, now); err != nil {
		return err
	}
	selections := selection.Store{DB: s.DB}
	if err := selections.Tidy(ctx, now); err != nil {
		return err
	}
	subscriptions := subscription.Store{DB: s.DB}
	if err := subscriptions.TidyLetters(ctx, now); err != nil {
		return err
	}
	books := book.Store{DB: s.DB}
	if err := books.Tidy(ctx, now); err != nil {
		return err
	}
	merges := merging.Store{DB: s.DB}
	if err := merges.Tidy(ctx, now); err != nil {
		return err
	}
	pages := clientpage.Store{DB: s.DB}
	if err := pages.Tidy(ctx, now); err != nil {
		return err
	}
	desk := followup.Store{DB: s.DB}
	if err := desk.Tidy(ctx, now.Add(-solvedKept)); err != nil {
		return err
	}
	lists := listview.Store{DB: s.DB}
	if err := lists.Tidy(ctx, now); err != nil {
		return err
	}
	if err := client.DropOldEvidence(ctx, s.clients, now); err != nil {
		return err
	}
	events := webhook.Store{DB: s.DB}
	if err := events.Tidy(ctx, now); err != nil {
		return err
	}
	issuers := issuer.Store{DB: s.DB}
	if err := issuers.Tidy(ctx, now); err != nil {
		return err
	}
	_, err = s.DropDeadSessions(ctx, now, now.Add(-user.SessionAbsolute))
	return err
}

// counted are the things whose counts are kept, and by what each is counted.
var counted = []struct{ thing, by string }{{"purchase", "status"}, {"storing", "status"}, {"mandate", "kind, state"}}

// FoldCounts moves the differences that purchases and mandates left into the
// counters, and tells how many there were.
func (s *Store) FoldCounts(ctx context.Context) (folded int64, err error) {
	for _, c := range counted {
		n, err := s.fold(ctx, c.thing, c.by)
		if folded += n; err != nil {
			return folded, fmt.Errorf("fold counts of %ss: %w", c.thing, err)
		}
	}
	return folded, nil
}

func (s *Store) fold(ctx context.Context, thing, by string) (folded int64, err error) {
	fold := fmt.Sprintf(`WITH gone AS (
			DELETE FROM %[1]s_count_deltas WHERE id = ANY (ARRAY(
				SELECT id FROM %[1]s_count_deltas ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
			RETURNING merchant_id, %[2]s, delta),
		kept AS (
			INSERT INTO %[1]s_counts AS c (merchant_id, %[2]s, n)
			SELECT merchant_id, %[2]s, sum(delta) FROM gone GROUP BY merchant_id, %[2]s ORDER BY merchant_id, %[2]s
			ON CONFLICT (merchant_id, %[2]s) DO UPDATE SET n = c.n + excluded.n)
		SELECT count(*) FROM gone`, thing, by)
	for {
		var n int64
		if err := s.Pool.QueryRow(ctx, fold, foldChunk).Scan(&n); err != nil {
			return folded, err
		}
		folded += n
		if n < foldChunk {
			break
		}
	}
	if folded >= dirtyAfter {
		_, err = s.Pool.Exec(ctx, "VACUUM (TRUNCATE false) "+thing+"_count_deltas")
	}
	return folded, err
}

// FoldFigures adds up what changes of facts left beside the figures of pages, works off what was noted, and tells how
// many there were. A note waits until a later call, when whatever was under way at this one has ended.
func (s *Store) FoldFigures(ctx context.Context) (folded int64, err error) {
	for {
		var n int64
		if err := s.Pool.QueryRow(ctx, `SELECT fold_figures($1)`, foldChunk).Scan(&n); err != nil {
			return folded, fmt.Errorf("fold figures: %w", err)
		}
		folded += n
		if n < foldChunk {
			break
		}
	}
	if folded >= dirtyAfter {
		if _, err := s.Pool.Exec(ctx,
			`VACUUM (TRUNCATE false) ledger_day_deltas, debit_day_deltas, attention_changes, bank_day_changes, part_day_deltas,
				billing_group_deltas, debit_trait_deltas`); err != nil {
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
func (s *Store) WrongFigures(ctx context.Context) (wrong []WrongFigure, err error) {
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
func (s *Store) RebuildFigures(ctx context.Context) error {
	if _, err := s.Pool.Exec(ctx, `SELECT rebuild_figures()`); err != nil {
		return fmt.Errorf("rebuild figures: %w", err)
	}
	if _, err := s.Pool.Exec(ctx, `INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
		SELECT merchant_id, status, n - kept_n, cents - kept_cents FROM (`+wrongTotals+`) AS totals`); err != nil {
		return fmt.Errorf("rebuild totals of purchases: %w", err)
	}
	return nil
}
