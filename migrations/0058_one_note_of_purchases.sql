-- +goose Up
-- PostgreSQL reads the condition of a trigger anew for every statement. Those of purchases were long and many: they took
-- more time than the change of one purchase itself. One trigger looks at a row now; its function is read once a
-- connection. What it notes and counts is what they did, in their order.
SET LOCAL lock_timeout = '10s';

-- +goose StatementBegin
CREATE FUNCTION note_purchase_new() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION note_purchase_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was_owed boolean := OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue');
    is_owed boolean := NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue');
BEGIN
    IF (OLD.total_cents = 0 OR NEW.total_cents = 0)
        AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.total_cents IS DISTINCT FROM NEW.total_cents)
    THEN
        IF NEW.total_cents = 0 THEN
            INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
        END IF;
        IF OLD.total_cents = 0 THEN
            INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (OLD.merchant_id, OLD.status, -1);
        END IF;
    END IF;
    IF OLD.net_cents < 0 OR NEW.net_cents < 0
        OR OLD.status IN ('chargeback', 'pending_refund') OR NEW.status IN ('chargeback', 'pending_refund')
        OR OLD.total_cents <> NEW.total_cents OR OLD.currency <> NEW.currency
        OR was_owed AND (OLD.collection_count > 0 OR OLD.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
        OR is_owed AND (NEW.collection_count > 0 OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.id);
    END IF;
    IF (OLD.status = 'pending_charge' OR NEW.status = 'pending_charge')
            AND (OLD.status <> NEW.status OR OLD.token_id IS DISTINCT FROM NEW.token_id)
        OR was_owed <> is_owed AND (OLD.method <> '' OR NEW.method <> '')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id IN (OLD.token_id, NEW.token_id) AND t.state = 'blocked'
        UNION ALL
        SELECT NEW.merchant_id, NEW.id FROM mandates m WHERE m.id = NEW.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    IF was_owed <> is_owed THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT p.merchant_id, p.id FROM promises p
        WHERE p.merchant_id = NEW.merchant_id AND p.purchase_id = NEW.id AND p.state = 'open';
    END IF;
    IF NEW.subscriber_id IS NOT NULL
        AND (NEW.is_recurring_token AND NOT OLD.is_recurring_token OR NEW.marked_as_paid AND NOT OLD.marked_as_paid)
    THEN
        UPDATE template_clients SET stored_token = NEW.id, stored_at = NEW.updated_at, version = version + 1
        WHERE id = NEW.subscriber_id AND status <> 'inactive'
            AND (NEW.is_recurring_token OR status = 'pending' AND first_purchase_id = NEW.id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

DROP TRIGGER note_new ON purchases;
DROP TRIGGER note_needed_new ON purchases;
DROP TRIGGER count_storing_new ON purchases;
DROP TRIGGER note_moved ON purchases;
DROP TRIGGER note_needed_moved ON purchases;
DROP TRIGGER note_promised ON purchases;
DROP TRIGGER count_storing_moved ON purchases;
DROP TRIGGER note_subscriber ON purchases;
CREATE TRIGGER note_new AFTER INSERT ON purchases FOR EACH ROW EXECUTE FUNCTION note_purchase_new();
CREATE TRIGGER note_moved AFTER UPDATE ON purchases FOR EACH ROW EXECUTE FUNCTION note_purchase_moved();

-- +goose Down
DROP TRIGGER note_moved ON purchases;
DROP TRIGGER note_new ON purchases;
CREATE TRIGGER note_new AFTER INSERT ON purchases FOR EACH ROW
    WHEN ((NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0
                OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_moved AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.net_cents < 0 OR OLD.status IN ('chargeback', 'pending_refund')
        OR OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (OLD.collection_count > 0
                OR OLD.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))
        OR (NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0
                OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))
        OR OLD.total_cents <> NEW.total_cents OR OLD.currency <> NEW.currency) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_needed_new AFTER INSERT ON purchases FOR EACH ROW
    WHEN (NEW.status = 'pending_charge') EXECUTE FUNCTION note_needed();
CREATE TRIGGER note_needed_moved AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.status = 'pending_charge' OR NEW.status = 'pending_charge')
            AND (OLD.status <> NEW.status OR OLD.token_id IS DISTINCT FROM NEW.token_id)
        OR (OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')) <> (NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')) AND (OLD.method <> '' OR NEW.method <> ''))
    EXECUTE FUNCTION note_needed();
CREATE TRIGGER note_promised AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue'))
        <> (NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue'))) EXECUTE FUNCTION note_promises_of();
CREATE TRIGGER count_storing_new AFTER INSERT ON purchases FOR EACH ROW
    WHEN (NEW.total_cents = 0) EXECUTE FUNCTION count_storing();
CREATE TRIGGER count_storing_moved AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.total_cents = 0 OR NEW.total_cents = 0)
        AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.total_cents IS DISTINCT FROM NEW.total_cents))
    EXECUTE FUNCTION count_storing();
CREATE TRIGGER note_subscriber AFTER UPDATE OF is_recurring_token, marked_as_paid ON purchases
    FOR EACH ROW WHEN (NEW.subscriber_id IS NOT NULL
        AND (NEW.is_recurring_token AND NOT OLD.is_recurring_token OR NEW.marked_as_paid AND NOT OLD.marked_as_paid))
    EXECUTE FUNCTION note_subscriber();
DROP FUNCTION note_purchase_moved;
DROP FUNCTION note_purchase_new;
