-- +goose Up
-- Merchants, what they trade as, who works there and which programs may call.

CREATE TABLE merchants (
    id         uuid PRIMARY KEY,
    slug       text NOT NULL UNIQUE,
    name       text NOT NULL,
    is_test    boolean NOT NULL,
    is_demo    boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE brands (
    id                  uuid PRIMARY KEY,
    merchant_id         uuid NOT NULL REFERENCES merchants (id),
    name                text NOT NULL,
    legal_name          text NOT NULL DEFAULT '',
    registration_number text NOT NULL DEFAULT '',
    tax_number          text NOT NULL DEFAULT '',
    website             text NOT NULL DEFAULT '',
    email               text NOT NULL DEFAULT '',
    phone               text NOT NULL DEFAULT '',
    street_address      text NOT NULL DEFAULT '',
    city                text NOT NULL DEFAULT '',
    zip_code            text NOT NULL DEFAULT '',
    country             text NOT NULL DEFAULT 'ZA',
    currency            text NOT NULL DEFAULT 'ZAR',
    language            text NOT NULL DEFAULT 'en',
    reference_prefix    text NOT NULL DEFAULT 'DD',
    shift               text NOT NULL DEFAULT 'previous' CHECK (shift IN ('previous', 'next')),
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);
CREATE INDEX brands_by_merchant ON brands (merchant_id, id);

-- Counters of a brand are handed out in blocks, so that no purchase waits for another.
CREATE TABLE brand_counters (
    brand_id uuid NOT NULL REFERENCES brands (id),
    name     text NOT NULL,
    next     bigint NOT NULL,
    PRIMARY KEY (brand_id, name)
);

-- The merchant's own registrations at the bank. The account is the merchant's
-- clearing account, which also stands on invoices; it is no payer's account.
CREATE TABLE debit_profiles (
    id               uuid PRIMARY KEY,
    merchant_id      uuid NOT NULL REFERENCES merchants (id),
    brand_id         uuid NOT NULL REFERENCES brands (id),
    profile_code     text NOT NULL,
    abbreviated_name text NOT NULL CHECK (length(abbreviated_name) <= 10),
    account_number   text NOT NULL,
    branch_code      text NOT NULL DEFAULT '',
    is_default       boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL,
    UNIQUE (brand_id, profile_code, abbreviated_name, account_number)
);

CREATE TABLE users (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    email         text NOT NULL,
    name          text NOT NULL DEFAULT '',
    role          text NOT NULL CHECK (role IN ('admin', 'finance', 'staff')),
    password_hash text NOT NULL,
    theme         text NOT NULL DEFAULT '',
    last_seen_at  timestamptz,
    disabled_at   timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_by_email ON users (lower(email));
CREATE INDEX users_by_merchant ON users (merchant_id, id);

-- A browser session; only a hash of the cookie is kept.
CREATE TABLE sessions (
    id_hash    bytea PRIMARY KEY,
    user_id    uuid REFERENCES users (id),
    data       text NOT NULL,
    ip         text NOT NULL DEFAULT '',
    user_agent text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Failed sign-ins, by e-mail and by address, so that every process throttles alike.
CREATE TABLE sign_in_failures (
    key          text PRIMARY KEY,
    failures     integer NOT NULL,
    last_at      timestamptz NOT NULL,
    locked_until timestamptz
);

-- Bearer credentials. kind 'token': a JWT was issued with this jti.
-- kind 'client': exchanges its secret at /oauth/token; the JWTs issued that way
-- are rows of kind 'token' with parent_id.
CREATE TABLE credentials (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    kind         text NOT NULL CHECK (kind IN ('token', 'client')),
    parent_id    uuid REFERENCES credentials (id),
    name         text NOT NULL,
    scopes       text[] NOT NULL,
    secret_hash  bytea,
    created_by   uuid,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX credentials_by_merchant ON credentials (merchant_id, id);
CREATE INDEX credentials_by_parent ON credentials (parent_id) WHERE parent_id IS NOT NULL;

-- Who did what, with what came before and after. Rows are never changed.
CREATE TABLE audit_entries (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL,
    at          timestamptz NOT NULL,
    actor_kind  text NOT NULL,
    actor_id    uuid,
    actor_name  text NOT NULL,
    ip          text NOT NULL DEFAULT '',
    request_id  text NOT NULL DEFAULT '',
    action      text NOT NULL,
    object_type text NOT NULL,
    object_id   uuid NOT NULL,
    client_id   uuid,
    purchase_id uuid,
    text        text NOT NULL,
    before      jsonb,
    after       jsonb
);
CREATE INDEX audit_entries_by_client ON audit_entries (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_entries_by_purchase ON audit_entries (purchase_id, id) WHERE purchase_id IS NOT NULL;

-- Answers to requests that carried an Idempotency-Key, kept at least 24 hours.
CREATE TABLE idempotency_keys (
    merchant_id uuid NOT NULL,
    is_test     boolean NOT NULL,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    status      integer NOT NULL,
    body        bytea NOT NULL, -- sealed: it may show a payer's numbers
    stored_at   timestamptz NOT NULL, -- real time, not the sandbox clock
    PRIMARY KEY (merchant_id, is_test, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (stored_at);

-- The sandbox clock: one row, the distance from real time in microseconds.
CREATE TABLE sandbox_clock (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    offset_micros bigint NOT NULL
);
INSERT INTO sandbox_clock (offset_micros) VALUES (0);

-- A compare-and-set that travels with what depends on it: any other count than 1
-- ends the transaction.
-- +goose StatementBegin
CREATE FUNCTION must_be_one(n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF n <> 1 THEN
        RAISE EXCEPTION 'another change came first' USING ERRCODE = 'DD001';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION must_be_one;
DROP TABLE sandbox_clock, idempotency_keys, audit_entries, credentials, sign_in_failures, sessions, users,
    debit_profiles, brand_counters, brands, merchants;
