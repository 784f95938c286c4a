-- +goose Up
-- A client who promised to pay on a day has that whole day: an open promise waits from the day after, unless it was paid.
CREATE OR REPLACE VIEW attention_facts AS
    SELECT w.merchant_id, w.kind, w.object_id, w.at, w.answered, w.cents, w.currency,
        greatest(w.from_day, CASE WHEN f.at = w.at THEN f.hidden_until ELSE '-infinity' END,
            CASE WHEN w.kind IN ('failed', 'account_gone', 'overdue') AND EXISTS (SELECT FROM promises p
                WHERE p.merchant_id = w.merchant_id AND p.purchase_id = w.object_id AND p.state = 'open')
                THEN 'infinity'::date ELSE '-infinity' END) AS hidden_until,
        o.owner_id
    FROM (
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, '-infinity'::date AS from_day FROM attention_waits
        UNION ALL
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, from_day FROM attention_more
        UNION ALL
        SELECT p.merchant_id, 'promise', p.id, p.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, p.amount_cents,
            p.currency, p.due_on + 1
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))) w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;
INSERT INTO attention_changes (merchant_id, object_id) SELECT merchant_id, id FROM promises WHERE state = 'open';

-- +goose Down
CREATE OR REPLACE VIEW attention_facts AS
    SELECT w.merchant_id, w.kind, w.object_id, w.at, w.answered, w.cents, w.currency,
        greatest(w.from_day, CASE WHEN f.at = w.at THEN f.hidden_until ELSE '-infinity' END,
            CASE WHEN w.kind IN ('failed', 'account_gone', 'overdue') AND EXISTS (SELECT FROM promises p
                WHERE p.merchant_id = w.merchant_id AND p.purchase_id = w.object_id AND p.state = 'open')
                THEN 'infinity'::date ELSE '-infinity' END) AS hidden_until,
        o.owner_id
    FROM (
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, '-infinity'::date AS from_day FROM attention_waits
        UNION ALL
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, from_day FROM attention_more
        UNION ALL
        SELECT p.merchant_id, 'promise', p.id, p.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, p.amount_cents,
            p.currency, p.due_on
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))) w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;
INSERT INTO attention_changes (merchant_id, object_id) SELECT merchant_id, id FROM promises WHERE state = 'open';
