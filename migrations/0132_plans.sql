-- +goose Up
-- Plans for debits that fail. A plan has versions, each with a list of steps for every class of reason. A run follows one
-- version for one purchase; a purchase has at most one run that has not ended. Whatever settles a purchase, or takes the
-- permission to debit away, stops its run in the same transaction: triggers see to it, so that no way of doing it can
-- forget the run.
SET LOCAL lock_timeout = '10s';

CREATE TABLE plans (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    name        text NOT NULL,
    brand_id    uuid REFERENCES brands (id),              -- null: every brand
    template_id uuid REFERENCES billing_templates (id),   -- null: whatever is not of a template with a plan
    state       text NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
    version     integer NOT NULL CHECK (version > 0),     -- that new runs follow
    hold_out    integer NOT NULL DEFAULT 0 CHECK (hold_out BETWEEN 0 AND 5000), -- basis points of the clients
    salt        text NOT NULL,                            -- of the hash that chooses them
    created_at  timestamptz NOT NULL,
    created_by  text NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX plans_of_merchant ON plans (merchant_id, id);
-- One plan at most answers for a failed debit.
CREATE UNIQUE INDEX plans_one ON plans (merchant_id,
    coalesce(brand_id, '00000000-0000-0000-0000-000000000000'), coalesce(template_id, '00000000-0000-0000-0000-000000000000'))
    WHERE state <> 'ended';

CREATE TABLE plan_versions (
    plan_id     uuid NOT NULL REFERENCES plans (id),
    n           integer NOT NULL,
    merchant_id uuid NOT NULL,
    steps       jsonb NOT NULL,                           -- by class of reason
    created_at  timestamptz NOT NULL,
    created_by  text NOT NULL,
    PRIMARY KEY (plan_id, n)
);

CREATE TABLE plan_runs (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    plan_id       uuid NOT NULL REFERENCES plans (id),
    version       integer NOT NULL,
    purchase_id   uuid NOT NULL REFERENCES purchases (id),
    client_id     uuid,
    token_id      uuid NOT NULL,
    mandate_id    uuid NOT NULL,
    subscriber_id uuid,
    collection_id uuid NOT NULL,                          -- the debit that failed last
    method        text NOT NULL,
    branch        text NOT NULL,                          -- whose steps it follows
    cause         text NOT NULL,
    code          text NOT NULL,                          -- the bank's
    failed_on     date NOT NULL,                          -- the first debit that failed
    day           date NOT NULL,                          -- from which the next step counts
    step          integer NOT NULL DEFAULT 0,             -- steps that are over
    state         text NOT NULL CHECK (state IN ('waiting', 'held', 'with_person', 'ended')),
    held_for      text NOT NULL DEFAULT '' CHECK (held_for IN ('', 'promise', 'debit', 'person')),
    held_until    date,                                   -- the first day on which it goes on
    due_at        timestamptz,                            -- when the next step is looked at
    debit_on      date,                                   -- the debit that the next step is to make
    end_reason    text NOT NULL DEFAULT '',
    failures      integer NOT NULL DEFAULT 1,
    started_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    CHECK ((state = 'ended') = (ended_at IS NOT NULL)),
    CHECK ((state = 'held') = (held_for <> ''))
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX plan_runs_one ON plan_runs (purchase_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_due ON plan_runs (due_at, id) WHERE state = 'waiting';
CREATE INDEX plan_runs_held ON plan_runs (held_until, id) WHERE state = 'held' AND held_until IS NOT NULL;
CREATE INDEX plan_runs_of_plan ON plan_runs (merchant_id, plan_id, id);
CREATE INDEX plan_runs_of_purchase ON plan_runs (purchase_id, id);
CREATE INDEX plan_runs_of_client ON plan_runs (client_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_of_token ON plan_runs (token_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_of_mandate ON plan_runs (mandate_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_of_subscriber ON plan_runs (subscriber_id) WHERE state <> 'ended';

-- What became of each step: done with what it made, or why it was not. A step is over once.
CREATE TABLE plan_steps (
    run_id      uuid NOT NULL REFERENCES plan_runs (id),
    n           integer NOT NULL,
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    outcome     text NOT NULL CHECK (outcome IN ('done', 'refused', 'skipped')),
    why         text NOT NULL DEFAULT '',
    rules       text NOT NULL DEFAULT '',                 -- keys of the rulebook
    made_id     uuid,                                     -- the debit that it planned
    made_for    date,                                     -- its day
    cents       bigint NOT NULL DEFAULT 0,
    planned_on  date NOT NULL,
    decided_at  timestamptz NOT NULL,
    decided_by  text NOT NULL,
    PRIMARY KEY (run_id, n)
);
CREATE INDEX plan_steps_of_merchant ON plan_steps (merchant_id, run_id, n);

-- +goose StatementBegin
CREATE FUNCTION plan_follow_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- +goose StatementEnd
CREATE TRIGGER plan_follow AFTER UPDATE ON purchases FOR EACH ROW WHEN (OLD.status <> NEW.status)
    EXECUTE FUNCTION plan_follow_purchase();

-- Paid for good: the debit can no longer be returned.
-- +goose StatementBegin
CREATE FUNCTION plan_follow_collection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'paid',
        ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE purchase_id = NEW.purchase_id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow AFTER UPDATE ON collections FOR EACH ROW
    WHEN (OLD.state = 'provisional' AND NEW.state = 'final') EXECUTE FUNCTION plan_follow_collection();

-- +goose StatementBegin
CREATE FUNCTION plan_follow_promise() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- +goose StatementEnd
CREATE TRIGGER plan_follow_new AFTER INSERT ON promises FOR EACH ROW EXECUTE FUNCTION plan_follow_promise();
CREATE TRIGGER plan_follow AFTER UPDATE ON promises FOR EACH ROW WHEN (OLD.state <> NEW.state)
    EXECUTE FUNCTION plan_follow_promise();

-- +goose StatementBegin
CREATE FUNCTION plan_follow_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = CASE WHEN NEW.state = 'superseded' THEN 'account_replaced' ELSE 'token_deleted' END,
        ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE token_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state <> NEW.state AND NEW.state IN ('deleting', 'deleted', 'superseded'))
    EXECUTE FUNCTION plan_follow_token();

-- +goose StatementBegin
CREATE FUNCTION plan_follow_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'mandate_ended',
        ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE mandate_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (OLD.state <> NEW.state AND NEW.state IN ('cancelled', 'superseded', 'suspended', 'rejected'))
    EXECUTE FUNCTION plan_follow_mandate();

-- +goose StatementBegin
CREATE FUNCTION plan_follow_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'client_asked',
        ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE client_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow AFTER UPDATE ON clients FOR EACH ROW
    WHEN (OLD.stopped_at IS NULL AND NEW.stopped_at IS NOT NULL OR OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
        OR OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL)
    EXECUTE FUNCTION plan_follow_client();

-- +goose StatementBegin
CREATE FUNCTION plan_follow_subscriber() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = 'subscription_ended', ended_at = NEW.updated_at, updated_at = NEW.updated_at
    WHERE subscriber_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND NEW.status = 'inactive')
    EXECUTE FUNCTION plan_follow_subscriber();

-- +goose StatementBegin
CREATE FUNCTION plan_follow_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
        end_reason = CASE WHEN NEW.reason = 'written_off' THEN 'written_off' ELSE 'person' END,
        ended_at = NEW.acted_at, updated_at = NEW.acted_at
    WHERE merchant_id = NEW.merchant_id AND purchase_id = NEW.object_id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow_new AFTER INSERT ON followups FOR EACH ROW WHEN (NEW.state = 'closed')
    EXECUTE FUNCTION plan_follow_closed();
CREATE TRIGGER plan_follow AFTER UPDATE ON followups FOR EACH ROW WHEN (OLD.state <> NEW.state AND NEW.state = 'closed')
    EXECUTE FUNCTION plan_follow_closed();

-- +goose Down
DROP TRIGGER plan_follow ON followups;
DROP TRIGGER plan_follow_new ON followups;
DROP FUNCTION plan_follow_closed;
DROP TRIGGER plan_follow ON template_clients;
DROP FUNCTION plan_follow_subscriber;
DROP TRIGGER plan_follow ON clients;
DROP FUNCTION plan_follow_client;
DROP TRIGGER plan_follow ON mandates;
DROP FUNCTION plan_follow_mandate;
DROP TRIGGER plan_follow ON tokens;
DROP FUNCTION plan_follow_token;
DROP TRIGGER plan_follow ON promises;
DROP TRIGGER plan_follow_new ON promises;
DROP FUNCTION plan_follow_promise;
DROP TRIGGER plan_follow ON collections;
DROP FUNCTION plan_follow_collection;
DROP TRIGGER plan_follow ON purchases;
DROP FUNCTION plan_follow_purchase;
DROP TABLE plan_steps;
DROP TABLE plan_runs;
DROP TABLE plan_versions;
DROP TABLE plans;
