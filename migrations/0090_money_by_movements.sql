-- +goose Up
-- What was refunded, and what is on its way back, is added up over all payments of a purchase: money that was paid a
-- second time does not undo what went back of the first. A refund knows when its hand-over to the bank began, and when
-- the bank paid what a person had paid already. A credit note may take back a part of an invoice: that of one refund.
SET LOCAL lock_timeout = '10s';
LOCK TABLE refunds IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE refunds
    ADD COLUMN claimed_at    timestamptz,                  -- null: its hand-over to the bank has not begun
    ADD COLUMN paid_twice_at timestamptz;                  -- null: it was paid once at most
ALTER TABLE purchases ADD COLUMN overpaid_cents bigint NOT NULL DEFAULT 0; -- refunds that a person and the bank paid
ALTER TABLE invoices ADD COLUMN refund_id uuid;            -- of a credit note for a part

UPDATE purchases p SET refunded_cents = s.back, refunding_cents = s.under_way, version = version + 1
FROM (SELECT q.id,
        coalesce((SELECT -sum(e.amount_cents) FROM ledger_entries e WHERE e.purchase_id = q.id AND e.kind = 'refunded'), 0) AS back,
        coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = q.id AND r.state = 'pending'), 0) AS under_way
    FROM purchases q WHERE q.id IN (SELECT purchase_id FROM refunds)) s
WHERE p.id = s.id AND (p.refunded_cents, p.refunding_cents) <> (s.back, s.under_way);
UPDATE purchases SET version = version + 1, status = CASE WHEN refunding_cents > 0 THEN 'pending_refund' ELSE 'refunded' END,
    history = history || jsonb_build_object('status', CASE WHEN refunding_cents > 0 THEN 'pending_refund' ELSE 'refunded' END,
        'at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
WHERE status = 'paid' AND (refunded_cents > 0 OR refunding_cents > 0);

-- What may still be returned is the whole debit, also after a refund of it was paid. A refund under way is taken off:
-- it falls away when the debit is returned.
CREATE TEMP TABLE returnable_before ON COMMIT DROP AS
SELECT c.merchant_id, c.action_date, c.currency, s.day, s.n, s.cents
FROM (SELECT *, debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) AS closed FROM collections
        WHERE method = 'eft' AND provisional_at IS NOT NULL
            AND id IN (SELECT collection_id FROM refunds WHERE state = 'settled')) c
    CROSS JOIN LATERAL refund_steps(c.merchant_id, c.id, c.amount_cents, least(sast_day(c.provisional_at), c.closed), c.closed, NULL) s;
-- +goose StatementBegin
DO $$
DECLARE
    part record;
    was text;
    new text;
BEGIN
    FOR part IN SELECT * FROM (VALUES
        ('refund_steps(uuid, uuid, bigint, date, date, uuid)',
            'CASE WHEN r.state = ''dropped'' THEN greatest(sast_day(r.updated_at), opened) END',
            'CASE r.state WHEN ''dropped'' THEN greatest(sast_day(r.updated_at), opened)
                WHEN ''settled'' THEN greatest(sast_day(r.settled_at), opened) END'),
        ('sum_refund()', 'f.state <> ''dropped''', 'f.state = ''pending'''),
        ('take_refund_away()', 'OLD.state <> ''dropped''', 'OLD.state = ''pending'''),
        ('check_parts()', 'r.state <> ''dropped''', 'r.state = ''pending''')) AS t (name, old, said)
    LOOP
        was := pg_get_functiondef(part.name::regprocedure);
        new := replace(was, part.old, part.said);
        IF new = was THEN
            RAISE EXCEPTION '% is not as it was', part.name;
        END IF;
        EXECUTE new;
    END LOOP;
END $$;
-- +goose StatementEnd
INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
SELECT merchant_id, 'returnable', action_date, day, currency, sum(n), sum(cents) FROM (
    SELECT merchant_id, action_date, currency, day, -n AS n, -cents AS cents FROM returnable_before
    UNION ALL
    SELECT c.merchant_id, c.action_date, c.currency, s.day, s.n, s.cents
    FROM (SELECT *, debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) AS closed FROM collections
            WHERE method = 'eft' AND provisional_at IS NOT NULL
                AND id IN (SELECT collection_id FROM refunds WHERE state = 'settled')) c
        CROSS JOIN LATERAL refund_steps(c.merchant_id, c.id, c.amount_cents, least(sast_day(c.provisional_at), c.closed), c.closed, NULL) s
) AS moved GROUP BY 1, 3, 4, 5 HAVING sum(n) <> 0 OR sum(cents) <> 0;
DELETE FROM refunded_debits;
INSERT INTO refunded_debits
SELECT c.merchant_id, c.id, c.action_date, c.currency, c.amount_cents, sum(r.amount_cents)
FROM collections c JOIN refunds r ON r.merchant_id = c.merchant_id AND r.collection_id = c.id AND r.state = 'pending'
WHERE c.state = 'provisional' AND c.method = 'eft' GROUP BY c.id;

-- Needs attention asks for what is still to be paid of a purchase, and shows what the client has back twice.
CREATE OR REPLACE VIEW attention_waits AS
    SELECT p.merchant_id, w.kind, p.id AS object_id, coalesce(w.at, p.updated_at) AS at,
        w.kind = 'failed' AND w.at IS NOT NULL AS answered, w.cents, p.currency
    FROM purchases p CROSS JOIN LATERAL (
        SELECT 'failed', c.result_at, greatest(p.total_cents - p.net_cents - p.refunded_cents, 0) FROM collections c
            WHERE is_owed(p.status) AND p.collection_count > 0 AND c.purchase_id = p.id AND c.attempt = p.collection_count
                AND c.merchant_id = p.merchant_id AND c.state IN ('unpaid', 'recalled')
        UNION ALL
        SELECT 'account_gone', p.updated_at, greatest(p.total_cents - p.net_cents - p.refunded_cents, 0)
            WHERE is_owed(p.status) AND lost_account(p.attempts)
        UNION ALL
        SELECT 'disputed', (SELECT c.result_at FROM collections c WHERE c.purchase_id = p.id AND c.attempt = p.collection_count),
            p.total_cents
            WHERE p.status = 'chargeback' AND (SELECT c.state FROM collections c
                WHERE c.purchase_id = p.id AND c.attempt = p.collection_count) IS DISTINCT FROM 'dispute_lost'
        UNION ALL
        SELECT 'twice', p.updated_at, greatest(-p.net_cents, p.overpaid_cents) WHERE p.net_cents < 0 OR p.overpaid_cents > 0
        UNION ALL
        SELECT 'refund', (SELECT min(r.created_at) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'),
            coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'), 0)::bigint
            WHERE p.status = 'pending_refund'
    ) AS w (kind, at, cents)
    WHERE may_wait(p.status, p.collection_count, p.attempts, p.net_cents) OR p.overpaid_cents > 0
    UNION ALL
    SELECT p.merchant_id, 'unconfirmed', p.id, m.updated_at, false, p.total_cents, p.currency
    FROM mandates m JOIN purchases p ON p.id = m.id AND p.merchant_id = m.merchant_id
    WHERE m.kind = 'debicheck' AND m.state IN ('rejected', 'no_response', 'failed') AND is_owed(p.status)
    UNION ALL
    SELECT p.merchant_id, 'silent', p.id, max(c.alerted_at), false, p.total_cents, p.currency
    FROM collections c JOIN purchases p ON p.id = c.purchase_id AND p.merchant_id = c.merchant_id
    WHERE c.state = 'submitted' AND c.alerted_at IS NOT NULL GROUP BY p.id
    UNION ALL
    SELECT t.merchant_id, 'blocked', t.id, t.updated_at, false, 0, ''
    FROM tokens t WHERE t.state = 'blocked' AND (
        EXISTS (SELECT FROM purchases w WHERE w.token_id = t.id AND w.status = 'pending_charge')
        OR EXISTS (SELECT FROM template_clients w WHERE w.token_id = t.id AND w.status = 'active'))
    UNION ALL
    SELECT m.merchant_id, 'suspended', m.id, m.updated_at, false, 0, ''
    FROM mandates m WHERE m.state = 'suspended' AND m.reason_code NOT IN ('MCOC', 'MCFC')
        AND EXISTS (SELECT FROM tokens old WHERE old.id = m.id AND old.state = 'blocked')
        AND NOT EXISTS (SELECT FROM tokens later WHERE later.client_id = m.client_id AND later.id > m.id
            AND later.state = 'active')
    UNION ALL
    SELECT s.merchant_id, 'stranded', s.id, coalesce(s.next_at, 'infinity'), false, 0, ''
    FROM template_clients s LEFT JOIN tokens t ON t.id = s.token_id AND t.merchant_id = s.merchant_id
    WHERE s.status = 'active' AND (s.token_id IS NULL OR is_unusable(t.state))
    UNION ALL
    SELECT f.merchant_id, 'mail', f.id, f.created_at, false, 0, ''
    FROM mails f WHERE f.state = 'failed' AND NOT EXISTS (SELECT FROM mails later
        WHERE later.object_id = f.object_id AND later.kind = f.kind AND later.attempt > f.attempt);

-- +goose Down
CREATE OR REPLACE VIEW attention_waits AS
    SELECT p.merchant_id, w.kind, p.id AS object_id, coalesce(w.at, p.updated_at) AS at,
        w.kind = 'failed' AND w.at IS NOT NULL AS answered, w.cents, p.currency
    FROM purchases p CROSS JOIN LATERAL (
        SELECT 'failed', c.result_at, p.total_cents FROM collections c
            WHERE is_owed(p.status) AND p.collection_count > 0 AND c.purchase_id = p.id AND c.attempt = p.collection_count
                AND c.merchant_id = p.merchant_id AND c.state IN ('unpaid', 'recalled')
        UNION ALL
        SELECT 'account_gone', p.updated_at, p.total_cents WHERE is_owed(p.status) AND lost_account(p.attempts)
        UNION ALL
        SELECT 'disputed', (SELECT c.result_at FROM collections c WHERE c.purchase_id = p.id AND c.attempt = p.collection_count),
            p.total_cents
            WHERE p.status = 'chargeback' AND (SELECT c.state FROM collections c
                WHERE c.purchase_id = p.id AND c.attempt = p.collection_count) IS DISTINCT FROM 'dispute_lost'
        UNION ALL
        SELECT 'twice', p.updated_at, -p.net_cents WHERE p.net_cents < 0
        UNION ALL
        SELECT 'refund', (SELECT min(r.created_at) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'),
            coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'), 0)::bigint
            WHERE p.status = 'pending_refund'
    ) AS w (kind, at, cents)
    WHERE may_wait(p.status, p.collection_count, p.attempts, p.net_cents)
    UNION ALL
    SELECT p.merchant_id, 'unconfirmed', p.id, m.updated_at, false, p.total_cents, p.currency
    FROM mandates m JOIN purchases p ON p.id = m.id AND p.merchant_id = m.merchant_id
    WHERE m.kind = 'debicheck' AND m.state IN ('rejected', 'no_response', 'failed') AND is_owed(p.status)
    UNION ALL
    SELECT p.merchant_id, 'silent', p.id, max(c.alerted_at), false, p.total_cents, p.currency
    FROM collections c JOIN purchases p ON p.id = c.purchase_id AND p.merchant_id = c.merchant_id
    WHERE c.state = 'submitted' AND c.alerted_at IS NOT NULL GROUP BY p.id
    UNION ALL
    SELECT t.merchant_id, 'blocked', t.id, t.updated_at, false, 0, ''
    FROM tokens t WHERE t.state = 'blocked' AND (
        EXISTS (SELECT FROM purchases w WHERE w.token_id = t.id AND w.status = 'pending_charge')
        OR EXISTS (SELECT FROM template_clients w WHERE w.token_id = t.id AND w.status = 'active'))
    UNION ALL
    SELECT m.merchant_id, 'suspended', m.id, m.updated_at, false, 0, ''
    FROM mandates m WHERE m.state = 'suspended' AND m.reason_code NOT IN ('MCOC', 'MCFC')
        AND EXISTS (SELECT FROM tokens old WHERE old.id = m.id AND old.state = 'blocked')
        AND NOT EXISTS (SELECT FROM tokens later WHERE later.client_id = m.client_id AND later.id > m.id
            AND later.state = 'active')
    UNION ALL
    SELECT s.merchant_id, 'stranded', s.id, coalesce(s.next_at, 'infinity'), false, 0, ''
    FROM template_clients s LEFT JOIN tokens t ON t.id = s.token_id AND t.merchant_id = s.merchant_id
    WHERE s.status = 'active' AND (s.token_id IS NULL OR is_unusable(t.state))
    UNION ALL
    SELECT f.merchant_id, 'mail', f.id, f.created_at, false, 0, ''
    FROM mails f WHERE f.state = 'failed' AND NOT EXISTS (SELECT FROM mails later
        WHERE later.object_id = f.object_id AND later.kind = f.kind AND later.attempt > f.attempt);
-- +goose StatementBegin
DO $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT * FROM (VALUES
        ('refund_steps(uuid, uuid, bigint, date, date, uuid)',
            'CASE WHEN r.state = ''dropped'' THEN greatest(sast_day(r.updated_at), opened) END',
            'CASE r.state WHEN ''dropped'' THEN greatest(sast_day(r.updated_at), opened)
                WHEN ''settled'' THEN greatest(sast_day(r.settled_at), opened) END'),
        ('sum_refund()', 'f.state <> ''dropped''', 'f.state = ''pending'''),
        ('take_refund_away()', 'OLD.state <> ''dropped''', 'OLD.state = ''pending'''),
        ('check_parts()', 'r.state <> ''dropped''', 'r.state = ''pending''')) AS t (name, old, said)
    LOOP
        EXECUTE replace(pg_get_functiondef(part.name::regprocedure), part.said, part.old);
    END LOOP;
END $$;
-- +goose StatementEnd
DELETE FROM part_day_deltas WHERE part = 'returnable';
DELETE FROM part_days WHERE part = 'returnable';
INSERT INTO part_days SELECT * FROM part_day_facts WHERE part = 'returnable';
DELETE FROM refunded_debits;
INSERT INTO refunded_debits
SELECT c.merchant_id, c.id, c.action_date, c.currency, c.amount_cents, sum(r.amount_cents)
FROM collections c JOIN refunds r ON r.merchant_id = c.merchant_id AND r.collection_id = c.id AND r.state <> 'dropped'
WHERE c.state = 'provisional' AND c.method = 'eft' GROUP BY c.id;
ALTER TABLE invoices DROP COLUMN refund_id;
ALTER TABLE purchases DROP COLUMN overpaid_cents;
ALTER TABLE refunds DROP COLUMN paid_twice_at, DROP COLUMN claimed_at;
