-- +goose Up
-- Mandates that the payer authenticates at the own bank.

ALTER TABLE brands ADD COLUMN debicheck_shift text NOT NULL DEFAULT 'next' CHECK (debicheck_shift IN ('previous', 'next'));

ALTER TABLE mandates
    ADD COLUMN fallback       boolean NOT NULL DEFAULT false,
    ADD COLUMN bank_reference text NOT NULL DEFAULT '' CHECK (length(bank_reference) <= 35),
    ADD COLUMN reason_code    text NOT NULL DEFAULT '',
    ADD COLUMN accepted_at    timestamptz,
    ADD COLUMN ended_at       timestamptz;
UPDATE mandates SET accepted_at = consent_at WHERE state = 'active';
CREATE INDEX mandates_by_state ON mandates (merchant_id, kind, state, id);

-- What a mandate is found by, beside its client.
ALTER TABLE mandates ADD COLUMN search tsvector GENERATED ALWAYS AS
    (array_to_tsvector(array_remove(string_to_array(lower(holder_name || ' ' || contract_reference), ' '), ''))) STORED;
CREATE INDEX mandates_search ON mandates USING gin (search);

-- How many mandates stand in each state, in the manner of purchase_counts.
CREATE TABLE mandate_counts (
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    n           bigint NOT NULL,
    PRIMARY KEY (merchant_id, kind, state)
);
INSERT INTO mandate_counts SELECT merchant_id, kind, state, count(*) FROM mandates GROUP BY 1, 2, 3;
CREATE TABLE mandate_count_deltas (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    delta       bigint NOT NULL
);
-- +goose StatementBegin
CREATE FUNCTION count_mandates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO mandate_count_deltas (merchant_id, kind, state, delta)
        SELECT merchant_id, kind, state, count(*) FROM newer GROUP BY 1, 2, 3;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO mandate_count_deltas (merchant_id, kind, state, delta)
        SELECT merchant_id, kind, state, -count(*) FROM older GROUP BY 1, 2, 3;
    ELSE
        INSERT INTO mandate_count_deltas (merchant_id, kind, state, delta)
        SELECT merchant_id, kind, state, sum(d) FROM (
            SELECT merchant_id, kind, state, 1 AS d FROM newer
            UNION ALL
            SELECT merchant_id, kind, state, -1 FROM older) AS moved
        GROUP BY 1, 2, 3 HAVING sum(d) <> 0;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER count_new AFTER INSERT ON mandates REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_mandates();
CREATE TRIGGER count_gone AFTER DELETE ON mandates REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION count_mandates();
CREATE TRIGGER count_moved AFTER UPDATE ON mandates REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_mandates();

-- One time of asking the payer. The bank knows it by this id.
CREATE TABLE mandate_authentications (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    mandate_id    uuid NOT NULL REFERENCES mandates (id),
    number        integer NOT NULL,
    method        text NOT NULL CHECK (method IN ('REALTIME', 'DELAYED', 'FALLBACK')),
    state         text NOT NULL,
    code          text NOT NULL DEFAULT '',
    channel       text NOT NULL DEFAULT '',
    requested_by  text NOT NULL DEFAULT '',
    cancel_due    boolean NOT NULL DEFAULT false, -- the bank has yet to hear that nothing is wanted any more
    claimed_until timestamptz,                    -- real time: one process hands it over
    requested_at  timestamptz NOT NULL,
    sent_at       timestamptz,
    delivered_at  timestamptz,
    expires_at    timestamptz,                    -- the time limit, from sent_at
    answered_at   timestamptz,
    UNIQUE (mandate_id, number)
);
-- A mandate asks one question at a time.
CREATE UNIQUE INDEX mandate_authentications_one_open ON mandate_authentications (mandate_id)
    WHERE state IN ('requested', 'sent', 'delivered');
CREATE INDEX mandate_authentications_to_send ON mandate_authentications (requested_at) WHERE state = 'requested';
CREATE INDEX mandate_authentications_running_out ON mandate_authentications (expires_at) WHERE state IN ('sent', 'delivered');
CREATE INDEX mandate_authentications_to_cancel ON mandate_authentications (id) WHERE cancel_due;

-- What the bank said about an account when it was asked (AVS), right or wrong.
CREATE TABLE account_verifications (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    client_id    uuid,
    purchase_id  uuid,                            -- null: the request was refused, so that there is none
    account_mask text NOT NULL,
    account_hash bytea NOT NULL,
    bank_code    text NOT NULL,
    answers      jsonb NOT NULL,
    passed       boolean NOT NULL,
    at           timestamptz NOT NULL
);
CREATE INDEX account_verifications_by_client ON account_verifications (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX account_verifications_by_purchase ON account_verifications (purchase_id) WHERE purchase_id IS NOT NULL;

ALTER TABLE collections
    ADD COLUMN tracking_days integer NOT NULL DEFAULT 0 CHECK (tracking_days BETWEEN 0 AND 10),
    ADD COLUMN once_off      boolean NOT NULL DEFAULT false;
-- A once-off mandate allows one debit.
CREATE UNIQUE INDEX collections_once ON collections (mandate_id)
    WHERE once_off AND state NOT IN ('unpaid', 'cancelled', 'recalled', 'dispute_lost');
CREATE INDEX collections_by_mandate ON collections (mandate_id, id);

-- New details take the place of a stored account: the old token ends when the new one works.
CREATE TABLE amendments (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    old_token_id uuid NOT NULL REFERENCES tokens (id),
    purchase_id  uuid NOT NULL UNIQUE REFERENCES purchases (id), -- stores the new details, so it is the new token's id too
    state        text NOT NULL CHECK (state IN ('open', 'done', 'abandoned')),
    moved        integer NOT NULL DEFAULT 0,      -- purchases that the new account took over
    created_by   text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz
);
-- A stored account is replaced by one other at a time.
CREATE UNIQUE INDEX amendments_one_open ON amendments (old_token_id) WHERE state = 'open';
CREATE INDEX amendments_by_old_token ON amendments (old_token_id, id);

-- Whoever watches a mandate hears of every change of it and of its authentications.
-- +goose StatementBegin
CREATE FUNCTION tell_of_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('debitdesk_mandate', CASE TG_TABLE_NAME WHEN 'mandates' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'mandate_id' END);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tell_of_mandate AFTER UPDATE OF state ON mandates
    FOR EACH ROW WHEN (NEW.kind = 'debicheck') EXECUTE FUNCTION tell_of_mandate();
CREATE TRIGGER tell_of_authentication AFTER INSERT OR UPDATE OF state ON mandate_authentications
    FOR EACH ROW EXECUTE FUNCTION tell_of_mandate();

-- The sandbox bank has mandates too.
ALTER TABLE sandbox_instructions ADD COLUMN kind text NOT NULL DEFAULT 'collection' CHECK (kind IN ('collection', 'refund', 'mandate'));
UPDATE sandbox_instructions SET kind = 'refund' WHERE refund;
DROP INDEX sandbox_instructions_by_account;
ALTER TABLE sandbox_instructions DROP COLUMN refund;
ALTER TABLE sandbox_instructions ADD COLUMN disputable boolean NOT NULL DEFAULT true, ADD COLUMN method text NOT NULL DEFAULT 'eft',
    ADD COLUMN answer_by timestamptz;              -- of a mandate: the payer's time ends
CREATE INDEX sandbox_instructions_by_account ON sandbox_instructions (account_hash, kind) WHERE kind <> 'refund';
ALTER TABLE sandbox_answers ADD COLUMN channel text NOT NULL DEFAULT '', ADD COLUMN reference text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sandbox_answers DROP COLUMN channel, DROP COLUMN reference;
DROP INDEX sandbox_instructions_by_account;
ALTER TABLE sandbox_instructions ADD COLUMN refund boolean NOT NULL DEFAULT false;
UPDATE sandbox_instructions SET refund = true WHERE kind = 'refund';
ALTER TABLE sandbox_instructions ALTER COLUMN refund DROP DEFAULT, DROP COLUMN kind, DROP COLUMN disputable, DROP COLUMN method, DROP COLUMN answer_by;
CREATE INDEX sandbox_instructions_by_account ON sandbox_instructions (account_hash) WHERE NOT refund;
DROP TRIGGER tell_of_authentication ON mandate_authentications;
DROP TRIGGER tell_of_mandate ON mandates;
DROP FUNCTION tell_of_mandate;
DROP INDEX collections_by_mandate;
DROP INDEX collections_once;
ALTER TABLE collections DROP COLUMN tracking_days, DROP COLUMN once_off;
DROP TABLE amendments, account_verifications, mandate_authentications;
DROP TRIGGER count_moved ON mandates;
DROP TRIGGER count_gone ON mandates;
DROP TRIGGER count_new ON mandates;
DROP FUNCTION count_mandates;
DROP TABLE mandate_count_deltas, mandate_counts;
DROP INDEX mandates_by_state;
ALTER TABLE mandates DROP COLUMN search;
ALTER TABLE mandates DROP COLUMN fallback, DROP COLUMN bank_reference, DROP COLUMN reason_code, DROP COLUMN accepted_at, DROP COLUMN ended_at;
ALTER TABLE brands DROP COLUMN debicheck_shift;
