-- +goose Up
-- What is exchanged with a bank in messages: what was handed over, in which message it
-- left, what came back, and what a person has to look at.
CREATE TABLE bank_items (
    id           uuid PRIMARY KEY,               -- of the collection, refund or authentication
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL,
    subject_id   uuid,
    method       text NOT NULL,
    amount_cents bigint NOT NULL,
    currency     text NOT NULL,
    action_date  date,
    state        text NOT NULL,
    cut_at       timestamptz NOT NULL,           -- leaves at the earliest
    message_id   text,
    group_id     text,
    group_key    text NOT NULL,
    outcome      text NOT NULL DEFAULT '',       -- the last answer
    outcome_on   date,                           -- the bank's day of it
    silence_at   timestamptz,                    -- when silence means that it was paid
    taken_at     timestamptz NOT NULL,
    order_sealed bytea NOT NULL
);
CREATE INDEX bank_items_waiting ON bank_items (merchant_id, kind, cut_at) WHERE state = 'waiting';
CREATE INDEX bank_items_late ON bank_items (merchant_id, action_date) WHERE state = 'late';
CREATE INDEX bank_items_silent ON bank_items (silence_at) WHERE silence_at IS NOT NULL AND state = 'sent' AND outcome = '';
CREATE INDEX bank_items_of_message ON bank_items (message_id, id) WHERE message_id IS NOT NULL;
CREATE INDEX bank_items_by_day ON bank_items (merchant_id, action_date) WHERE kind = 'debits';
CREATE INDEX bank_items_out ON bank_items (merchant_id, outcome_on) WHERE outcome IN ('unpaid', 'disputed', 'refund_settled');
CREATE INDEX bank_items_of_subject ON bank_items (subject_id) WHERE subject_id IS NOT NULL;

CREATE TABLE bank_numbers (
    kind text PRIMARY KEY,
    next bigint NOT NULL
);

CREATE TABLE bank_files_out (
    id             text PRIMARY KEY,             -- as the bank knows it
    merchant_id    uuid NOT NULL,
    kind           text NOT NULL,
    name           text NOT NULL,                -- its form, such as pain.008.001.08
    number         bigint NOT NULL,
    file_name      text NOT NULL UNIQUE,
    state          text NOT NULL,
    item_count     integer NOT NULL,
    sum_cents      bigint NOT NULL,
    sha256         bytea,
    size           bigint NOT NULL DEFAULT 0,
    content        bytea,                        -- packed and sealed; null until it is written
    made_by        text NOT NULL,
    made_at        timestamptz NOT NULL,
    placed_at      timestamptz,
    taken_at       timestamptz,
    ack_due_at     timestamptz,
    ack_at         timestamptz,
    answered_at    timestamptz,
    reason         text NOT NULL DEFAULT '',
    downloads      integer NOT NULL DEFAULT 0,
    downloads_by   text NOT NULL DEFAULT '',
    UNIQUE (kind, number)
);
CREATE INDEX bank_files_out_by_merchant ON bank_files_out (merchant_id, made_at DESC, id DESC);
CREATE INDEX bank_files_out_open ON bank_files_out (state, made_at) WHERE state IN ('made', 'placed', 'taken');

CREATE TABLE bank_file_groups (
    message_id  text NOT NULL REFERENCES bank_files_out (id),
    id          text NOT NULL,
    position    integer NOT NULL,
    method      text NOT NULL,
    action_date date,
    sequence    text NOT NULL,
    creditor    jsonb NOT NULL,
    item_count  integer NOT NULL,
    sum_cents   bigint NOT NULL,
    refused     boolean NOT NULL DEFAULT false,
    PRIMARY KEY (message_id, id)
);

CREATE TABLE bank_answers (
    id           text PRIMARY KEY,
    item_id      uuid NOT NULL,
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL,
    code         text NOT NULL,
    channel      text NOT NULL,
    reference    text NOT NULL,
    at           timestamptz NOT NULL,
    raw          bytea NOT NULL,
    delivered_at timestamptz,
    UNIQUE (item_id, kind)
);
CREATE INDEX bank_answers_waiting ON bank_answers (at, id) WHERE delivered_at IS NULL;

CREATE TABLE bank_files_in (
    id         uuid PRIMARY KEY,
    merchant_id uuid NOT NULL,                    -- who imported it; zero when it was found
    sha256     bytea NOT NULL UNIQUE,
    file_name  text NOT NULL,
    size       bigint NOT NULL,
    name       text NOT NULL DEFAULT '',         -- its form
    bank_id    text NOT NULL DEFAULT '',
    state      text NOT NULL,
    why        text NOT NULL DEFAULT '',
    brought_by text NOT NULL DEFAULT '',
    events     integer NOT NULL DEFAULT 0,
    item_count integer NOT NULL DEFAULT 0,
    sum_cents  bigint NOT NULL DEFAULT 0,
    arrived_at timestamptz NOT NULL,
    read_at    timestamptz,
    content    bytea                              -- packed and sealed, of one that a person imported
);
CREATE INDEX bank_files_in_open ON bank_files_in (arrived_at) WHERE state = 'open' AND content IS NOT NULL;

-- Whose a file from the bank is: it may speak of several merchants.
CREATE TABLE bank_files_in_of (
    merchant_id uuid NOT NULL,
    document_id uuid NOT NULL REFERENCES bank_files_in (id),
    arrived_at  timestamptz NOT NULL,
    item_count  integer NOT NULL,
    sum_cents   bigint NOT NULL,
    PRIMARY KEY (merchant_id, document_id)
);
CREATE INDEX bank_files_in_by_merchant ON bank_files_in_of (merchant_id, arrived_at DESC, document_id DESC);

CREATE TABLE bank_entries (
    id           uuid PRIMARY KEY,
    merchant_id  uuid,
    key          text NOT NULL UNIQUE,
    arrival_id   uuid NOT NULL,
    item_id      uuid,
    message_id   text,
    group_id     text,
    state        text NOT NULL,
    credit       boolean NOT NULL,
    reversal     boolean NOT NULL,
    amount_cents bigint NOT NULL,
    currency     text NOT NULL,
    booked_on    date NOT NULL,
    reference    text NOT NULL,
    bank_code    text NOT NULL,
    reason       text NOT NULL,
    text         text NOT NULL,
    matched_by   text NOT NULL DEFAULT '',
    matched_at   timestamptz
);
CREATE INDEX bank_entries_by_merchant ON bank_entries (merchant_id, booked_on DESC, id DESC);
CREATE INDEX bank_entries_of_item ON bank_entries (item_id) WHERE item_id IS NOT NULL;

CREATE TABLE bank_statements (
    merchant_id   uuid NOT NULL,
    account_hash  bytea NOT NULL,
    day           date NOT NULL,
    opening_cents bigint,
    closing_cents bigint,
    PRIMARY KEY (merchant_id, day, account_hash)
);

CREATE TABLE bank_findings (
    id          uuid PRIMARY KEY,
    merchant_id uuid,
    kind        text NOT NULL,
    subject     text NOT NULL,
    message_id  text,
    arrival_id  uuid,
    item_id     uuid,
    text        text NOT NULL,
    opened_at   timestamptz NOT NULL,
    closed_at   timestamptz,
    closed_by   text NOT NULL DEFAULT '',
    resolution  text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX bank_findings_one_open ON bank_findings (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX bank_findings_by_merchant ON bank_findings (merchant_id, opened_at DESC, id DESC);
CREATE INDEX bank_findings_of_subject ON bank_findings (kind, subject);

-- +goose Down
DROP TABLE bank_findings, bank_statements, bank_entries, bank_files_in_of, bank_files_in, bank_answers,
    bank_file_groups, bank_files_out, bank_numbers, bank_items;
