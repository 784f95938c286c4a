-- +goose Up
-- Sign-in by OpenID Connect: issuers that a business accepts, whom each of them knows, and the sessions that began there.
SET LOCAL lock_timeout = '10s';

CREATE TABLE issuers (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    name          text NOT NULL,                       -- on its button
    issuer        text NOT NULL,                       -- its address, which never changes: subjects are its own
    client_id     text NOT NULL,
    client_secret bytea,                               -- sealed; null: a public client, with PKCE alone
    enabled       boolean NOT NULL DEFAULT true,
    domains       text[] NOT NULL DEFAULT '{}',        -- of the e-mail addresses that it may speak for, in lower case
    forced        boolean NOT NULL DEFAULT false,      -- passwords of these domains no longer open the business
    provisions    boolean NOT NULL DEFAULT false,      -- adds people who sign in for the first time
    trusts_email  boolean NOT NULL DEFAULT false,      -- addresses count as verified though it does not say so
    trusts_mfa    boolean NOT NULL DEFAULT false,      -- whoever comes from it counts as proven
    groups_claim  text NOT NULL DEFAULT '',
    group_roles   jsonb NOT NULL DEFAULT '[]',         -- [{"group", "role"}]; the first that fits counts
    usual_role    text NOT NULL DEFAULT '',            -- where no group fits; empty: refused
    session_hours integer NOT NULL DEFAULT 12 CHECK (session_hours BETWEEN 1 AND 168),
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz
);
CREATE INDEX issuers_by_merchant ON issuers (merchant_id, id) WHERE deleted_at IS NULL;

-- Who somebody is at an issuer: recognised by the subject alone once linked. Without a merchant it is the issuer of the
-- installation, which has no row above.
CREATE TABLE issuer_people (
    issuer_id    uuid NOT NULL,
    subject      text NOT NULL,
    user_id      uuid NOT NULL REFERENCES users (id),
    merchant_id  uuid REFERENCES merchants (id),
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (issuer_id, subject),
    CONSTRAINT issuer_people_once UNIQUE (issuer_id, user_id),
    FOREIGN KEY (user_id, merchant_id) REFERENCES memberships (user_id, merchant_id) ON DELETE CASCADE
);
CREATE INDEX issuer_people_by_user ON issuer_people (user_id);

-- What counts once: the state of a sign-in, and the number of a message that somebody signed out at the issuer.
CREATE TABLE issuer_once (
    hash       bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX issuer_once_over ON issuer_once (expires_at);

ALTER TABLE sessions
    ADD COLUMN issuer_id      uuid,                    -- where the session began; null: with a password
    ADD COLUMN issuer_subject text NOT NULL DEFAULT '',
    ADD COLUMN issuer_sid     text NOT NULL DEFAULT '',
    ADD COLUMN ends_at        timestamptz;             -- the latest, as the issuer's settings say
CREATE INDEX sessions_by_issuer ON sessions (issuer_id) WHERE issuer_id IS NOT NULL;

-- Admins whose password opens the business whatever its issuers demand.
ALTER TABLE memberships ADD COLUMN break_glass boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE memberships DROP COLUMN break_glass;
DROP INDEX sessions_by_issuer;
ALTER TABLE sessions DROP COLUMN issuer_id, DROP COLUMN issuer_subject, DROP COLUMN issuer_sid, DROP COLUMN ends_at;
DROP TABLE issuer_once, issuer_people, issuers;
