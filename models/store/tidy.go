package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

const (
	keysKept  = 48 * time.Hour     // idempotency keys; 24 hours are promised
	linksKept = 8 * 24 * time.Hour // words of mails that let a person in and stay in the house; the longest such link works for seven days
	tidyChunk = 5_000              // rows a transaction; short locks
	foldChunk = 20_000
	// dirtyAfter folded rows are worth cleaning up at once, so that counting does
	// not read their remains until the server's own clean-up comes by.
	dirtyAfter = 5_000
)

// Tidy removes what is past its time, in real time, which never runs ahead of the
// sandbox clock: idempotency keys, the log of requests, sessions that are over, forms that were kept for a sign-in, old
// sign-in counters, old events, evidence of erased clients that the law does not want any more. So nothing is lost
// because a person moved that clock by months.
func (s *Store) Tidy(ctx context.Context) error {
	now := Instant(time.Now())
	err := s.inChunks(ctx, `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM idempotency_keys WHERE stored_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-keysKept))
	if err != nil {
		return fmt.Errorf("tidy idempotency keys: %w", err)
	}
	err = s.inChunks(ctx, `UPDATE mails SET `+blanked(`true`)+` WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM mails WHERE body_sealed IS NOT NULL AND state = 'sent' AND sent_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-linksKept))
	if err != nil {
		return fmt.Errorf("tidy mails: %w", err)
	}
	err = s.inChunks(ctx, `DELETE FROM kept_forms WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM kept_forms WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-formsKept))
	if err != nil {
		return fmt.Errorf("tidy kept forms: %w", err)
	}
	if err := s.tidyRequests(ctx, now); err != nil {
		return err
	}
	if err := client.DropOldEvidence(ctx, s, now); err != nil {
		return err
	}
	if err := s.tidyEvents(ctx, now.Add(-eventsKept)); err != nil {
		return err
	}
	_, err = s.DropDeadSessions(ctx, now, now.Add(-user.SessionAbsolute))
	return err
}

// counted are the things whose counts are kept, and by what each is counted.
var counted = []struct{ thing, by string }{{"purchase", "status"}, {"mandate", "kind, state"}}

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

// PurchaseCounts tells how many purchases of the merchant stand in each status.
// It is exact at any moment: what is not folded yet is added.
func (s *Store) PurchaseCounts(ctx context.Context, merchantID uuid.UUID) (map[string]int64, error) {
	rows, err := s.Pool.Query(ctx, `SELECT status, sum(n)::bigint FROM (
			SELECT status, n FROM purchase_counts WHERE merchant_id = $1
			UNION ALL SELECT status, delta FROM purchase_count_deltas WHERE merchant_id = $1) AS parts
		GROUP BY status HAVING sum(n) <> 0`, merchantID)
	if err != nil {
		return nil, fmt.Errorf("count purchases: %w", err)
	}
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var status string
		var n int64
		if err := rows.Scan(&status, &n); err != nil {
			return nil, fmt.Errorf("count purchases: %w", err)
		}
		counts[status] = n
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("count purchases: %w", err)
	}
	return counts, nil
}

// wiping deletes what a merchant did, what refers to other rows first. A test knows
// every table that there is, so that a new one is either here or in WipeKeeps.
var wiping = []struct{ table, where string }{
	{"token_deletions", "merchant_id = $1"},
	{"approvals", "merchant_id = $1"},
	{"delivery_attempts", "delivery_id IN (SELECT id FROM deliveries WHERE merchant_id = $1)"},
	{"deliveries", "merchant_id = $1"},
	{"events", "merchant_id = $1"},
	{"api_requests", "merchant_id = $1"},
	{"company_statements", "merchant_id = $1"},
	{"billing_periods", "merchant_id = $1"},
	{"template_clients", "merchant_id = $1"},
	{"billing_templates", "merchant_id = $1"},
	{"batch_rows", "merchant_id = $1"},
	{"batches", "merchant_id = $1"},
	{"batch_mappings", "merchant_id = $1"},
	{"invoices", "merchant_id = $1"},
	{"mails", "merchant_id = $1"},
	{"ledger_entries", "merchant_id = $1"},
	{"refunds", "merchant_id = $1"},
	{"bank_messages",
		"merchant_id = $1 OR instruction_id IN (SELECT id FROM sandbox_instructions WHERE merchant_id = $1)"},
	{"sandbox_answers", "instruction_id IN (SELECT id FROM sandbox_instructions WHERE merchant_id = $1)"},
	{"sandbox_instructions", "merchant_id = $1"},
	{"account_verifications", "merchant_id = $1"},
	{"amendments", "merchant_id = $1"},
	{"collections", "merchant_id = $1"},
	{"tokens", "merchant_id = $1"},
	{"mandate_evidence", "merchant_id = $1"},
	{"mandate_authentications", "merchant_id = $1"},
	{"mandates", "merchant_id = $1"},  // mandate_counts follow by a trigger
	{"purchases", "merchant_id = $1"}, // so do purchase_counts
	{"clients", "merchant_id = $1"},
	{"idempotency_keys", "merchant_id = $1"}, // their answers name what is gone
	{"simulations", "merchant_id = $1"},
}

// WipeKeeps are the tables with a merchant's own rows that a wipe leaves: who works
// there, what programs may call, where they are told, how it trades, and who did
// what. Counts of purchases and mandates follow by themselves. Numbers of invoices
// go on, for a number that was given out never comes again.
var WipeKeeps = []string{"merchants", "brands", "brand_counters", "debit_profiles", "users", "credentials",
	"audit_entries", "audit_links", "audit_heads", "audit_alarms", "memberships", "invitations", "sessions", "kept_forms",
	"invoice_series", "webhooks", "merchant_keys",
	"purchase_counts", "purchase_count_deltas", "mandate_counts", "mandate_count_deltas"}

// WipeTables are the tables that a wipe empties for one merchant.
func WipeTables() []string {
	out := make([]string, len(wiping))
	for i, w := range wiping {
		out[i] = w.table
	}
	return out
}

// Wipe implements simulation.Tx. A row that somebody adds meanwhile ends it with
// fault.ErrLost.
func (t *Tx) Wipe(merchantID uuid.UUID) (map[string]int64, error) {
	gone := map[string]int64{}
	err := t.Pgx(func(tx pgx.Tx) error {
		for _, w := range wiping {
			tag, err := tx.Exec(t.ctx, "DELETE FROM "+w.table+" WHERE "+w.where, native([]any{merchantID})...)
			if err != nil {
				return fmt.Errorf("wipe %s: %w", w.table, err)
			}
			if n := tag.RowsAffected(); n > 0 {
				gone[w.table] = n
			}
		}
		return nil
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23503" { // foreign_key_violation
		return nil, fault.ErrLost
	}
	return gone, err
}
