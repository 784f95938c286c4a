-- +goose Up
-- Trust: who belongs to which merchant, second factors, four eyes, the chain of the
-- audit, keys that are replaced, and what a merchant sets for itself.
-- users.merchant_id, role and disabled_at stay, so that a process of the release
-- before can serve beside the new one.

ALTER TABLE users DROP CONSTRAINT users_role_check;
ALTER TABLE users ADD CONSTRAINT users_role_check CHECK (role IN ('admin', 'finance', 'staff', 'readonly'));
ALTER TABLE users
    ADD COLUMN totp_sealed       bytea,            -- the shared secret; null: none
    ADD COLUMN totp_confirmed_at timestamptz,
    ADD COLUMN totp_last_step    bigint NOT NULL DEFAULT 0, -- a code works once
    ADD COLUMN password_changed_at timestamptz;

CREATE TABLE memberships (
    user_id           uuid NOT NULL REFERENCES users (id),
    merchant_id       uuid NOT NULL REFERENCES merchants (id),
    role              text NOT NULL CHECK (role IN ('admin', 'finance', 'staff', 'readonly')),
    grants            jsonb NOT NULL DEFAULT '{}', -- action → true or false, over what the role says
    batch_limit_cents bigint CHECK (batch_limit_cents >= 0), -- sends no batch above it; null: no limit
    last_used_at      timestamptz,
    disabled_at       timestamptz,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    PRIMARY KEY (user_id, merchant_id)
);
CREATE INDEX memberships_by_merchant ON memberships (merchant_id, user_id);
INSERT INTO memberships (user_id, merchant_id, role, last_used_at, disabled_at, created_at, updated_at)
    SELECT id, merchant_id, role, last_seen_at, disabled_at, created_at, updated_at FROM users;

-- People whom a process of the release before adds are members too.
-- +goose StatementBegin
CREATE FUNCTION user_is_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memberships (user_id, merchant_id, role, created_at, updated_at)
        VALUES (NEW.id, NEW.merchant_id, NEW.role, NEW.created_at, NEW.updated_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER users_are_members AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION user_is_member();

ALTER TABLE sessions
    ADD COLUMN merchant_id uuid,                   -- the business it works for; null: the person's first
    ADD COLUMN factor      text NOT NULL DEFAULT '', -- how the second factor was shown: totp, passkey, recovery; empty: not
    ADD COLUMN proven_at   timestamptz;            -- when a second factor was shown last

CREATE TABLE recovery_codes (
    user_id   uuid NOT NULL REFERENCES users (id),
    code_hash bytea NOT NULL,
    used_at   timestamptz,
    PRIMARY KEY (user_id, code_hash)
);
CREATE TABLE passkeys (
    id           bytea PRIMARY KEY,                -- the credential id
    user_id      uuid NOT NULL REFERENCES users (id),
    name         text NOT NULL,
    credential   jsonb NOT NULL,                   -- the public key and its counter
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE invitations (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    email       text NOT NULL,
    name        text NOT NULL DEFAULT '',
    role        text NOT NULL CHECK (role IN ('admin', 'finance', 'staff', 'readonly')),
    grants      jsonb NOT NULL DEFAULT '{}',
    batch_limit_cents bigint,
    token_hash  bytea NOT NULL UNIQUE,
    invited_by  uuid,
    mail_count  integer NOT NULL DEFAULT 1,
    expires_at  timestamptz NOT NULL,              -- real time, as sessions are
    accepted_at timestamptz,
    revoked_at  timestamptz,
    created_at  timestamptz NOT NULL
);
CREATE INDEX invitations_by_merchant ON invitations (merchant_id, id);
CREATE UNIQUE INDEX invitations_open ON invitations (merchant_id, lower(email)) WHERE accepted_at IS NULL AND revoked_at IS NULL;

CREATE TABLE password_resets (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    created_at timestamptz NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);

-- What a merchant demands of its own people.
ALTER TABLE merchants
    ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false,
    ADD COLUMN approve_deletions     boolean NOT NULL DEFAULT false,  -- a second person agrees to each deletion of tokens
    ADD COLUMN approve_batches_cents bigint;                          -- and to batches above this; null: to none
ALTER TABLE brands
    ADD COLUMN invoice_prefix text NOT NULL DEFAULT 'INV',
    ADD COLUMN version        integer NOT NULL DEFAULT 1;             -- counts the changes of people
ALTER TABLE invoice_series ADD COLUMN prefix text;                    -- as it began; null: INV, or CN of credit notes

CREATE TABLE approvals (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    kind         text NOT NULL CHECK (kind IN ('delete_tokens', 'send_batch')),
    subject      jsonb NOT NULL,                   -- the ids, and what they meant when it was asked
    subject_key  text NOT NULL,                    -- one open request for the same thing
    reason       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('open', 'approved', 'refused', 'withdrawn', 'expired')),
    asked_by     uuid NOT NULL,
    asked_name   text NOT NULL,
    decided_by   uuid,
    decided_name text NOT NULL DEFAULT '',
    decision     text NOT NULL DEFAULT '',         -- what the second person wrote
    decided_at   timestamptz,
    expires_at   timestamptz NOT NULL,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL
);
CREATE INDEX approvals_by_merchant ON approvals (merchant_id, id);
CREATE UNIQUE INDEX approvals_one_open ON approvals (merchant_id, kind, subject_key) WHERE state = 'open';
CREATE INDEX approvals_expiring ON approvals (expires_at) WHERE state = 'open';

-- A deletion from the dashboard that can be taken back for ten minutes. The tokens
-- are out of use from the first moment.
ALTER TABLE tokens DROP CONSTRAINT tokens_state_check;
ALTER TABLE tokens ADD CONSTRAINT tokens_state_check CHECK (state IN ('pending', 'active', 'blocked', 'deleting', 'deleted', 'superseded'));
CREATE TABLE token_deletions (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    tokens      jsonb NOT NULL,                    -- id → the state before
    asked_by    uuid NOT NULL,
    asked_name  text NOT NULL,
    reason      text NOT NULL DEFAULT '',
    approval_id uuid,
    approver    text NOT NULL DEFAULT '',          -- who agreed to it
    state       text NOT NULL CHECK (state IN ('waiting', 'done', 'undone')),
    until       timestamptz NOT NULL,              -- the product's clock
    ended_at    timestamptz,
    created_at  timestamptz NOT NULL
);
CREATE INDEX token_deletions_due ON token_deletions (until) WHERE state = 'waiting';
CREATE INDEX token_deletions_by_merchant ON token_deletions (merchant_id, id);
CREATE INDEX tokens_deleting ON tokens (id) WHERE state = 'deleting';
-- The purchase whose token is being deleted says that it is none; what it was stays
-- in is_recurring_token until the deletion is final.
ALTER TABLE purchases ADD COLUMN token_leaving boolean NOT NULL DEFAULT false;

-- The chain: each entry gets a number within its merchant and a hash over itself
-- and the link before. Entries are linked in the order of their commits, within a
-- second of them, so that no change waits for another. turn is the transaction that
-- wrote the entry: once every transaction up to a turn is over, their order is final.
CREATE TABLE audit_turns (base bigint NOT NULL);      -- one row; lifted when a dump goes into a younger cluster
INSERT INTO audit_turns (base) VALUES (0);
-- +goose StatementBegin
CREATE FUNCTION audit_turn() RETURNS bigint LANGUAGE sql STABLE AS
    $$ SELECT pg_current_xact_id()::text::bigint + base FROM audit_turns $$;
-- +goose StatementEnd
ALTER TABLE audit_entries ADD COLUMN turn bigint NOT NULL DEFAULT 0;
ALTER TABLE audit_entries ALTER COLUMN turn SET DEFAULT audit_turn();
CREATE INDEX audit_entries_by_turn ON audit_entries USING brin (turn) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX audit_entries_by_merchant ON audit_entries (merchant_id, id);
CREATE TABLE audit_links (
    merchant_id uuid NOT NULL,
    n           bigint NOT NULL,
    entry_id    uuid NOT NULL UNIQUE,
    hash        bytea NOT NULL,
    PRIMARY KEY (merchant_id, n)
);
CREATE TABLE audit_heads (
    merchant_id uuid PRIMARY KEY,
    n           bigint NOT NULL,
    hash        bytea NOT NULL,
    key_id      text NOT NULL,                     -- whose signature stands below
    signature   bytea NOT NULL                     -- over merchant, n and hash: who has the database alone cannot write another chain
);
CREATE TABLE audit_progress (turn bigint NOT NULL, entry_id uuid NOT NULL); -- one row: the last entry that is linked
INSERT INTO audit_progress (turn, entry_id) VALUES (-1, '00000000-0000-0000-0000-000000000000');

-- Nothing of an entry or a link can be changed or taken away.
-- +goose StatementBegin
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit are kept as they are' USING ERRCODE = 'DD002';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_entries_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_links_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_links FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();

-- Replacing a sealing key: how far the rows are re-sealed.
CREATE TABLE key_rotations (
    key_id      text PRIMARY KEY,
    started_at  timestamptz NOT NULL,
    finished_at timestamptz,
    progress    jsonb NOT NULL DEFAULT '{}'        -- table → rows done, rows in all, where it stands
);

-- A client whose personal data was removed on request. What the law keeps stays
-- until evidence_until; null: nothing is left.
ALTER TABLE clients ADD COLUMN erased_at timestamptz, ADD COLUMN evidence_until date;
CREATE INDEX clients_with_evidence ON clients (evidence_until) WHERE evidence_until IS NOT NULL;

-- What Prometheus asks each few seconds reads partial indexes alone.
CREATE INDEX mandate_authentications_unanswered ON mandate_authentications (expires_at) WHERE state = 'no_response';

-- Days that were proclaimed after the calendar was written, for the whole installation.
CREATE TABLE proclaimed_days (
    day        date PRIMARY KEY,
    name       text NOT NULL,
    open       boolean NOT NULL DEFAULT false,     -- true: no holiday after all
    created_at timestamptz NOT NULL
);

-- +goose Down
DROP INDEX mandate_authentications_unanswered;
DROP TABLE proclaimed_days, key_rotations, token_deletions, approvals, password_resets, invitations, passkeys, recovery_codes;
ALTER TABLE clients DROP COLUMN evidence_until, DROP COLUMN erased_at;
DROP TRIGGER audit_entries_kept ON audit_entries;
DROP TABLE audit_progress, audit_heads, audit_links;
DROP FUNCTION audit_is_kept;
DROP INDEX audit_entries_by_merchant, audit_entries_by_turn;
ALTER TABLE audit_entries DROP COLUMN turn;
DROP FUNCTION audit_turn;
DROP TABLE audit_turns;
UPDATE tokens SET state = 'deleted' WHERE state = 'deleting';
DROP INDEX tokens_deleting;
ALTER TABLE purchases DROP COLUMN token_leaving;
ALTER TABLE tokens DROP CONSTRAINT tokens_state_check;
ALTER TABLE tokens ADD CONSTRAINT tokens_state_check CHECK (state IN ('pending', 'active', 'blocked', 'deleted', 'superseded'));
ALTER TABLE invoice_series DROP COLUMN prefix;
ALTER TABLE brands DROP COLUMN invoice_prefix, DROP COLUMN version;
ALTER TABLE merchants DROP COLUMN require_second_factor, DROP COLUMN approve_deletions, DROP COLUMN approve_batches_cents;
ALTER TABLE sessions DROP COLUMN merchant_id, DROP COLUMN factor, DROP COLUMN proven_at;
DROP TRIGGER users_are_members ON users;
DROP FUNCTION user_is_member;
DROP TABLE memberships;
UPDATE users SET role = 'staff' WHERE role = 'readonly';
ALTER TABLE users DROP CONSTRAINT users_role_check;
ALTER TABLE users ADD CONSTRAINT users_role_check CHECK (role IN ('admin', 'finance', 'staff'));
ALTER TABLE users DROP COLUMN totp_sealed, DROP COLUMN totp_confirmed_at, DROP COLUMN totp_last_step, DROP COLUMN password_changed_at;
