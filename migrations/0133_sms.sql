-- +goose Up
-- Short messages: queued in the transaction of their cause, sent once, and followed until they arrived or did not.
SET LOCAL lock_timeout = '10s';

CREATE TABLE sms_messages (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    brand_id      uuid,
    client_id     uuid,                        -- whose time line shows it
    purchase_id   uuid,
    object_id     uuid NOT NULL,               -- with kind and attempt: one cause, one message
    kind          text NOT NULL,
    attempt       integer NOT NULL,
    recipient     text NOT NULL,               -- +27 and nine digits; empty: erased
    text_sealed   bytea,                       -- NULL: it is not kept any more
    encoding      text NOT NULL,
    parts         integer NOT NULL,
    state         text NOT NULL CHECK (state IN ('queued', 'sent', 'delivered', 'failed', 'expired', 'skipped')),
    why           text NOT NULL DEFAULT '',
    tries         integer NOT NULL DEFAULT 0,
    provider      text NOT NULL DEFAULT '',
    provider_id   text NOT NULL DEFAULT '',
    created_at    timestamptz NOT NULL,
    not_before    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    sent_at       timestamptz,
    done_at       timestamptz,
    claimed_until timestamptz,                 -- real time
    handed_at     timestamptz,                 -- real time: since then the provider may have it
    counted_on    date,                        -- the day whose limit it uses
    UNIQUE (object_id, kind, attempt)
);
CREATE INDEX sms_messages_due ON sms_messages (not_before, id) WHERE state = 'queued';
CREATE INDEX sms_messages_by_merchant ON sms_messages (merchant_id, id);
CREATE INDEX sms_messages_by_client ON sms_messages (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX sms_messages_by_purchase ON sms_messages (merchant_id, purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX sms_messages_by_number ON sms_messages (recipient, id);
CREATE INDEX sms_messages_by_provider ON sms_messages (provider, provider_id) WHERE provider_id <> '';

-- What clients answered. A reply is kept once, however often the provider tells of it.
CREATE TABLE sms_replies (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    client_id    uuid,
    phone        text NOT NULL,                -- +27 and nine digits; empty: erased
    text_sealed  bytea,
    wish         text NOT NULL DEFAULT '',     -- stop, start
    provider     text NOT NULL,
    provider_id  text NOT NULL,
    created_at   timestamptz NOT NULL,
    UNIQUE (provider, provider_id)
);
CREATE INDEX sms_replies_by_merchant ON sms_replies (merchant_id, id);
CREATE INDEX sms_replies_by_client ON sms_replies (merchant_id, client_id, id) WHERE client_id IS NOT NULL;

-- Numbers to which a business sends no SMS, because their owner asked.
CREATE TABLE sms_blocks (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    phone       text NOT NULL,
    since       timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, phone)
);

-- A business without a row has the usual settings.
CREATE TABLE sms_settings (
    merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
    daily_parts integer NOT NULL CHECK (daily_parts >= 0),
    wide_hours  boolean NOT NULL,
    version     integer NOT NULL,
    updated_at  timestamptz NOT NULL
);

-- Parts that went out on a day, held against the limit.
CREATE TABLE sms_days (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    day         date NOT NULL,
    parts       integer NOT NULL,
    PRIMARY KEY (merchant_id, day)
);

-- The secret address at which the provider tells of messages, of which only a hash is kept: the newest one counts.
CREATE TABLE sms_addresses (
    token_hash bytea PRIMARY KEY,
    made_at    timestamptz NOT NULL
);

-- +goose Down
DROP TABLE sms_addresses, sms_days, sms_settings, sms_blocks, sms_replies, sms_messages;
