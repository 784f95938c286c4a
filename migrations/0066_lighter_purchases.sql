-- +goose Up
-- A purchase is made by a statement of its own, so the trigger that looks at it counts it, too: no set of new rows is kept
-- for a second trigger, and nothing is added up.
SET LOCAL lock_timeout = '10s';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_purchase_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
    VALUES (NEW.merchant_id, NEW.status, 1, CASE WHEN NEW.currency = 'ZAR' THEN NEW.total_cents ELSE 0 END);
    IF NEW.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
    END IF;
    IF NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0 OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.id);
    END IF;
    IF NEW.status = 'pending_charge' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = NEW.token_id AND t.state = 'blocked'
        UNION ALL
        SELECT NEW.merchant_id, NEW.id FROM mandates m WHERE m.id = NEW.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER count_new ON purchases;

-- +goose Down
CREATE TRIGGER count_new AFTER INSERT ON purchases REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_purchases();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_purchase_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
    END IF;
    IF NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0 OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.id);
    END IF;
    IF NEW.status = 'pending_charge' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = NEW.token_id AND t.state = 'blocked'
        UNION ALL
        SELECT NEW.merchant_id, NEW.id FROM mandates m WHERE m.id = NEW.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
