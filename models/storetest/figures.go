package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// FiguresAgree fails the test when a figure that is kept differs from the facts. A database that is not there any more
// is nobody's.
func FiguresAgree(tb testing.TB, dsn string) {
	tb.Helper()
	figuresAgree(tb, dsn, false)
}

// figuresAgree looks once more after what is noted was worked off, if that is wished.
func figuresAgree(tb testing.TB, dsn string, fold bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	var empty bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('journal_entries') IS NULL
		OR NOT EXISTS (SELECT FROM purchases)`).Scan(&empty); err != nil || empty {
		return
	}
	agree := func(when string) {
		tb.Helper()
		rows, err := conn.Query(
			ctx,
			`SELECT format('%s %s: kept %s, facts %s', figure, what, kept, facts) FROM check_figures()
				UNION ALL SELECT format('%s %s: kept %s, facts %s', figure, what, kept, facts) FROM check_journal(NULL) LIMIT 10`,
		)
		if err != nil {
			tb.Errorf("figures %s: %v", when, err)
			return
		}
		wrong, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			tb.Errorf("figures %s: %v", when, err)
		}
		for _, w := range wrong {
			tb.Errorf("%s: %s", when, w)
		}
		rows, err = conn.Query(ctx, plainAttention)
		if err != nil {
			tb.Errorf("attention %s: %v", when, err)
			return
		}
		wrong, err = pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(wrong) > 0 {
			tb.Errorf("attention %s: %v %v", when, wrong, err)
		}
	}
	agree("as the test left them")
	if !fold {
		return
	}
	for range 2 {
		if _, err := conn.Exec(ctx, `SELECT fold_figures(1000000)`); err != nil {
			tb.Errorf("fold figures: %v", err)
		}
	}
	agree("when all was folded")
}

// plainAttention counts and sums what waits for a person as its rules are told, table by table, and gives the kinds for
// which attention_now says something else.
const plainAttention = `
	WITH last AS (SELECT DISTINCT ON (c.purchase_id) c.* FROM collections c JOIN purchases p ON p.id = c.purchase_id
			AND c.attempt = p.collection_count ORDER BY c.purchase_id),
	owed AS (SELECT * FROM purchases WHERE status IN ('created', 'sent', 'viewed', 'error', 'overdue')),
	everything AS (SELECT p.* FROM promises p WHERE p.state = 'open' AND p.purchase_id IS NULL
		AND (p.client_id IN (SELECT client_id FROM purchases w WHERE w.created_at <= p.created_at AND total_cents > 0
				AND (w.id IN (SELECT id FROM owed) OR w.status = 'pending_charge' AND w.collection_count > 1))
			OR (SELECT count(*) FROM purchases w WHERE w.client_id = p.client_id AND w.created_at <= p.created_at
				AND w.updated_at >= p.created_at AND w.status IN ('paid', 'pending_refund', 'refunded')) = 0)),
	plain (kind, merchant_id, id, cents) AS (
		SELECT 'failed', p.merchant_id, p.id, p.total_cents - p.net_cents - p.refunded_cents FROM owed p
			JOIN last c ON c.purchase_id = p.id
			WHERE c.state IN ('unpaid', 'recalled')
		UNION ALL SELECT 'account_gone', merchant_id, id, total_cents - net_cents - refunded_cents FROM owed
			WHERE attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'
		UNION ALL SELECT 'unconfirmed', merchant_id, id, total_cents FROM owed WHERE id IN (SELECT id FROM mandates
			WHERE kind = 'debicheck' AND state IN ('rejected', 'no_response', 'failed'))
		UNION ALL SELECT 'disputed', merchant_id, id, total_cents FROM purchases
			WHERE status = 'chargeback' AND id NOT IN (SELECT purchase_id FROM last WHERE state = 'dispute_lost')
		UNION ALL SELECT 'silent', merchant_id, id, total_cents FROM purchases
			WHERE id IN (SELECT purchase_id FROM collections WHERE state = 'submitted' AND alerted_at IS NOT NULL)
		UNION ALL SELECT 'twice', merchant_id, id, greatest(-net_cents, overpaid_cents) FROM purchases
			WHERE net_cents < 0 OR overpaid_cents > 0
		UNION ALL SELECT 'refund', p.merchant_id, p.id, coalesce(sum(r.amount_cents), 0) FROM purchases p
			LEFT JOIN refunds r ON r.purchase_id = p.id AND r.state = 'pending' WHERE p.status = 'pending_refund' GROUP BY p.id
		UNION ALL SELECT 'blocked', merchant_id, id, 0 FROM tokens WHERE state = 'blocked' AND (
			id IN (SELECT token_id FROM purchases WHERE status = 'pending_charge' AND token_id IS NOT NULL)
			OR id IN (SELECT token_id FROM template_clients WHERE status = 'active' AND token_id IS NOT NULL))
		UNION ALL SELECT 'suspended', m.merchant_id, m.id, 0 FROM mandates m
		JOIN tokens t ON t.id = m.id AND t.state = 'blocked'
			WHERE m.state = 'suspended' AND m.reason_code NOT IN ('MCOC', 'MCFC') AND NOT EXISTS (SELECT FROM tokens later
				WHERE later.client_id = m.client_id AND later.id > m.id AND later.state = 'active')
		UNION ALL SELECT 'stranded', merchant_id, id, 0 FROM template_clients WHERE status = 'active' AND (token_id IS NULL
			OR token_id IN (SELECT id FROM tokens WHERE state NOT IN ('active')))
		UNION ALL SELECT 'terms', merchant_id, id, 0 FROM template_clients WHERE status = 'active' AND unfit <> ''
		UNION ALL SELECT 'replaced', merchant_id, id, 0 FROM tokens WHERE state = 'active'
			AND id IN (SELECT purchase_id FROM amendments WHERE state = 'open')
		UNION ALL SELECT 'overdue', merchant_id, id, total_cents FROM purchases WHERE status = 'overdue'
			AND collection_count = 0 AND total_cents > 0 AND attempts -> 0 -> 'error' ->> 'code'
				IS DISTINCT FROM 'recurring_token_expired'
			AND id NOT IN (SELECT id FROM mandates WHERE kind = 'debicheck' AND state IN ('rejected', 'no_response', 'failed'))
		UNION ALL SELECT 'closed_day', merchant_id, purchase_id, amount_cents FROM collections WHERE state = 'scheduled'
			AND action_date IN (SELECT day FROM proclaimed_days WHERE NOT open)
		UNION ALL SELECT 'mail', merchant_id, id, 0 FROM mails f WHERE state = 'failed'
		AND NOT EXISTS (SELECT FROM mails later
			WHERE later.object_id = f.object_id AND later.kind = f.kind AND later.attempt > f.attempt)
		UNION ALL SELECT 'request', merchant_id, id, 0 FROM client_requests WHERE state = 'open'
		UNION ALL SELECT 'promise', merchant_id, id, amount_cents FROM promises
		WHERE state = 'open' AND due_on < product_today()
			AND (id IN (SELECT id FROM everything) OR purchase_id IN (SELECT id FROM owed))),
	hidden AS (SELECT f.merchant_id, f.kind, f.object_id FROM followups f
	JOIN attention_facts a USING (merchant_id, kind, object_id, at)
			WHERE f.hidden_until > product_today()
		UNION SELECT merchant_id, kind, purchase_id FROM promises,
			unnest(ARRAY['failed', 'account_gone', 'overdue']) AS k (kind) WHERE state = 'open'
		UNION SELECT p.merchant_id, kind, w.id FROM everything p JOIN purchases w ON w.client_id = p.client_id,
			unnest(ARRAY['failed', 'account_gone', 'overdue']) AS k (kind)
		UNION SELECT merchant_id, 'failed', purchase_id FROM plan_runs WHERE state = 'waiting'
			AND (due_at AT TIME ZONE 'Africa/Johannesburg')::date >= product_today()
			AND plan_id IN (SELECT id FROM plans WHERE state = 'active')),
	kinds AS (SELECT DISTINCT m.merchant_id, k.kind
	FROM (SELECT merchant_id FROM purchases UNION SELECT merchant_id FROM plain
			UNION SELECT merchant_id FROM attention) m, unnest(ARRAY['failed', 'account_gone',
			'unconfirmed', 'disputed', 'silent',
			'twice', 'refund', 'blocked', 'suspended', 'stranded', 'terms', 'replaced', 'overdue', 'closed_day',
			'mail', 'promise', 'request']) AS k (kind))
	SELECT format('%s: %s, and plainly %s', k.kind, told.rows, plain.rows) FROM kinds k
		CROSS JOIN LATERAL (SELECT coalesce(string_agg(a.object_id || ' ' || a.cents, ', ' ORDER BY a.object_id), '') AS rows
			FROM attention_now(k.merchant_id, k.kind) a) told
		CROSS JOIN LATERAL (SELECT coalesce(string_agg(p.id || ' ' || p.cents, ', ' ORDER BY p.id), '') AS rows FROM plain p
			WHERE p.merchant_id = k.merchant_id AND p.kind = k.kind
				AND (p.merchant_id, p.kind, p.id) NOT IN (SELECT * FROM hidden WHERE object_id IS NOT NULL)) plain
	WHERE told.rows <> plain.rows
	UNION ALL
	SELECT format('%s: counted %s, and plainly %s', k.kind, counted.sums, plain.sums) FROM kinds k
		CROSS JOIN LATERAL (SELECT coalesce(sum(a.n), 0) || ' ' || coalesce(sum(a.cents), 0) AS sums
			FROM attention_tallied(k.merchant_id, '-infinity') a WHERE a.kind = k.kind AND a.hidden_until <= product_today()
				AND (a.kind = 'mail' OR a.day = '-infinity')) counted
		CROSS JOIN LATERAL (SELECT count(*) || ' ' || coalesce(sum(rands_of(a.currency, a.cents)), 0) AS sums
			FROM attention_now(k.merchant_id, k.kind) a) plain
	WHERE counted.sums <> plain.sums`
