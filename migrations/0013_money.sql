-- +goose Up

-- Money that came in twice has two payments, and a refund belongs to one of them. What
-- the movements of a purchase come to stands on it, so that "the client has more back
-- than was paid" is found by an index.
ALTER TABLE purchases
    ADD COLUMN payment_count integer NOT NULL DEFAULT 0,   -- how often money came in
    ADD COLUMN refunding_cents bigint NOT NULL DEFAULT 0,  -- refunds of the newest payment that are under way
    ADD COLUMN net_cents bigint NOT NULL DEFAULT 0;        -- the sum of the movements

-- A refund of a debit that is not final waits until due_at.
ALTER TABLE refunds
    ADD COLUMN payment integer NOT NULL DEFAULT 1,         -- the number of the payment that goes back
    ADD COLUMN collection_id uuid,                         -- the debit that goes back; null for money that came by hand
    ADD COLUMN due_at timestamptz;

UPDATE refunds r SET
    payment = greatest(1, (SELECT count(*) FROM ledger_entries e WHERE e.purchase_id = r.purchase_id AND e.kind IN ('collected', 'paid_by_hand') AND e.at <= r.created_at)),
    collection_id = (SELECT e.collection_id FROM ledger_entries e WHERE e.purchase_id = r.purchase_id AND e.kind IN ('collected', 'paid_by_hand') AND e.at <= r.created_at
        ORDER BY e.at DESC, e.id DESC LIMIT 1);
UPDATE refunds SET due_at = coalesce((SELECT c.final_at FROM collections c WHERE c.id = collection_id AND c.state = 'provisional'), created_at);
ALTER TABLE refunds ALTER COLUMN due_at SET NOT NULL, ALTER COLUMN payment DROP DEFAULT;

-- A movement knows the debit that it belongs to, and so its method and account.
UPDATE ledger_entries e SET collection_id = r.collection_id FROM refunds r WHERE r.id = e.refund_id AND e.collection_id IS NULL AND r.collection_id IS NOT NULL;

UPDATE purchases p SET payment_count = e.payments, net_cents = e.net
FROM (SELECT purchase_id, count(*) FILTER (WHERE kind IN ('collected', 'paid_by_hand')) AS payments, sum(amount_cents)::bigint AS net FROM ledger_entries GROUP BY purchase_id) e
WHERE e.purchase_id = p.id;
UPDATE purchases p SET
    refunded_cents = coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'settled' AND r.payment = p.payment_count), 0),
    refunding_cents = coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending' AND r.payment = p.payment_count), 0)
WHERE EXISTS (SELECT FROM refunds r WHERE r.purchase_id = p.id);

-- A dispute that was won after a refund left the purchase as paid.
UPDATE purchases SET status = 'refunded', version = version + 1,
    history = history || jsonb_build_object('status', 'refunded', 'at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
WHERE status = 'paid' AND refunded_cents > 0;

DROP INDEX refunds_one_pending, refunds_to_hand_over;
CREATE INDEX refunds_under_way ON refunds (purchase_id) WHERE state = 'pending';
CREATE INDEX refunds_to_hand_over ON refunds (due_at) WHERE state = 'pending' AND channel = 'bank' AND NOT handed_over;
CREATE INDEX purchases_below_zero ON purchases (merchant_id) WHERE net_cents < 0;

-- +goose Down
DROP INDEX purchases_below_zero, refunds_to_hand_over, refunds_under_way;
CREATE UNIQUE INDEX refunds_one_pending ON refunds (purchase_id) WHERE state = 'pending';
CREATE INDEX refunds_to_hand_over ON refunds (created_at) WHERE state = 'pending' AND channel = 'bank' AND NOT handed_over;
ALTER TABLE refunds DROP COLUMN due_at, DROP COLUMN collection_id, DROP COLUMN payment;
ALTER TABLE purchases DROP COLUMN net_cents, DROP COLUMN refunding_cents, DROP COLUMN payment_count;
