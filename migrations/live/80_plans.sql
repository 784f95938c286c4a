-- What ends or puts off a plan, in the transaction in which it happens.

CREATE OR REPLACE FUNCTION plan_follow_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF is_owed(NEW.status) THEN -- nothing is under way any more: the run goes on
        UPDATE plan_runs SET state = 'waiting', held_for = '', held_until = NULL, due_at = started_at,
            updated_at = NEW.updated_at
        WHERE purchase_id = NEW.id AND state = 'held' AND held_for = 'debit';
    ELSIF NEW.status IN ('pending_charge', 'pending_execute') OR NEW.status = 'paid' AND EXISTS (SELECT FROM collections
            WHERE purchase_id = NEW.id AND state = 'provisional') THEN -- under way, or it may still be returned
        UPDATE plan_runs SET state = 'held', held_for = 'debit', held_until = NULL, debit_on = NULL,
            updated_at = NEW.updated_at
        WHERE purchase_id = NEW.id AND (state = 'waiting' OR state = 'held' AND held_for = 'promise');
    ELSE
        UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
            ended_at = NEW.updated_at, updated_at = NEW.updated_at,
            end_reason = CASE WHEN NEW.status IN ('cancelled', 'expired') THEN NEW.status
                WHEN NEW.status = 'chargeback' THEN 'disputed' WHEN NEW.status = 'paid' THEN 'paid' ELSE 'settled' END
        WHERE purchase_id = NEW.id AND state <> 'ended' AND NOT (NEW.status = 'chargeback' AND branch = 'stopped');
    END IF;
    RETURN NULL;
END $$;

-- Paid for good: the debit can no longer be returned.
CREATE OR REPLACE FUNCTION plan_follow_collection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'paid',
        ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE purchase_id = NEW.purchase_id AND state <> 'ended';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION plan_follow_promise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = 'open' THEN
        UPDATE plan_runs SET state = 'held', held_for = 'promise', held_until = NEW.due_on + 1, debit_on = NULL,
            updated_at = NEW.updated_at
        WHERE merchant_id = NEW.merchant_id AND (state = 'waiting' OR state = 'held' AND held_for = 'promise')
            AND (purchase_id = NEW.purchase_id OR NEW.purchase_id IS NULL AND client_id = NEW.client_id);
    ELSIF NEW.state = 'kept' THEN
        UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'promise_kept',
            ended_at = NEW.updated_at, updated_at = NEW.updated_at
        WHERE merchant_id = NEW.merchant_id AND state <> 'ended' AND purchase_id = NEW.purchase_id;
    ELSE
        UPDATE plan_runs SET state = 'waiting', held_for = '', held_until = NULL, due_at = started_at,
            updated_at = NEW.updated_at
        WHERE merchant_id = NEW.merchant_id AND state = 'held' AND held_for = 'promise'
            AND (purchase_id = NEW.purchase_id OR NEW.purchase_id IS NULL AND client_id = NEW.client_id);
    END IF;
    RETURN NULL;
END $$;

-- Why a plan does nothing with an account, empty where it may: what ends a run, and what keeps one from beginning when a
-- debit fails that was with the bank meanwhile.
CREATE OR REPLACE FUNCTION plan_stop_of_token(t tokens) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN t.objected_at IS NOT NULL THEN 'objected' -- the client says that it did not agree
        WHEN t.state = 'superseded' THEN 'account_replaced'
        WHEN t.state IN ('deleting', 'deleted') THEN 'token_deleted' ELSE '' END $$;

-- The same of a client.
CREATE OR REPLACE FUNCTION plan_stop_of_client(c clients) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN c.stopped_at IS NOT NULL OR c.deleted_at IS NOT NULL OR c.erased_at IS NOT NULL THEN 'client_asked'
        ELSE '' END $$;

CREATE OR REPLACE FUNCTION plan_follow_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = plan_stop_of_token(NEW), ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE token_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION plan_follow_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'mandate_ended',
        ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE mandate_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION plan_follow_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = plan_stop_of_client(NEW), ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE client_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION plan_follow_subscriber() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = 'subscription_ended', ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE subscriber_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION plan_follow_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = CASE WHEN NEW.reason = 'written_off' THEN 'written_off' ELSE 'person' END,
        ended_at = NEW.acted_at, updated_at = NEW.acted_at
    WHERE merchant_id = NEW.merchant_id AND purchase_id = NEW.object_id AND state <> 'ended';
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON purchases FOR EACH ROW WHEN (OLD.status <> NEW.status)
    EXECUTE FUNCTION plan_follow_purchase();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON collections FOR EACH ROW
    WHEN (OLD.state = 'provisional' AND NEW.state = 'final') EXECUTE FUNCTION plan_follow_collection();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON promises FOR EACH ROW WHEN (OLD.state <> NEW.state)
    EXECUTE FUNCTION plan_follow_promise();
CREATE OR REPLACE TRIGGER plan_follow_new AFTER INSERT ON promises FOR EACH ROW EXECUTE FUNCTION plan_follow_promise();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (plan_stop_of_token(OLD) <> plan_stop_of_token(NEW) AND plan_stop_of_token(NEW) <> '')
    EXECUTE FUNCTION plan_follow_token();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (OLD.state <> NEW.state AND NEW.state IN ('cancelled', 'superseded', 'suspended', 'rejected'))
    EXECUTE FUNCTION plan_follow_mandate();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON clients FOR EACH ROW
    WHEN (plan_stop_of_client(OLD) = '' AND plan_stop_of_client(NEW) <> '')
    EXECUTE FUNCTION plan_follow_client();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND NEW.status = 'inactive')
    EXECUTE FUNCTION plan_follow_subscriber();
CREATE OR REPLACE TRIGGER plan_follow AFTER UPDATE ON followups FOR EACH ROW WHEN (OLD.state <> NEW.state AND NEW.state = 'closed')
    EXECUTE FUNCTION plan_follow_closed();
CREATE OR REPLACE TRIGGER plan_follow_new AFTER INSERT ON followups FOR EACH ROW WHEN (NEW.state = 'closed')
    EXECUTE FUNCTION plan_follow_closed();
DROP TRIGGER IF EXISTS plan_follow_objection ON tokens; -- plan_follow does it
DROP FUNCTION IF EXISTS plan_follow_objection();
