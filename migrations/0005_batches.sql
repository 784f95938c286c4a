-- +goose Up
-- Batches: a file of rows that become invoices. The rows are the truth; what the
-- batch counts is counted from them in the transaction that changes them.

CREATE TABLE batches (
    id                 uuid PRIMARY KEY,
    merchant_id        uuid NOT NULL REFERENCES merchants (id),
    brand_id           uuid NOT NULL REFERENCES brands (id),
    name               text NOT NULL,                 -- of the file, as a person sees it
    source             text NOT NULL CHECK (source IN ('file', 'paste', 'clients')),
    state              text NOT NULL CHECK (state IN ('mapping', 'checking', 'checked', 'running', 'paused', 'voiding', 'done', 'stopped')),
    format             jsonb NOT NULL,                -- how the file was read, with its heading
    mapping            jsonb NOT NULL,                -- which column means what
    header_hash        bytea NOT NULL,                -- finds the mapping of the same heading again
    content_hash       bytea NOT NULL,                -- finds the same file again
    counts             jsonb NOT NULL DEFAULT '{}',   -- counted from the rows
    total_rows         integer NOT NULL DEFAULT 0,
    good_only          boolean NOT NULL DEFAULT false,
    warnings_accepted  boolean NOT NULL DEFAULT false,
    hold_until         timestamptz,                   -- product time; nothing is sent before
    pause_after        integer,                       -- rows sent after which it waits for a person
    cursor_n           integer NOT NULL DEFAULT 0,    -- how far voiding came
    note               text NOT NULL DEFAULT '',      -- why it waits
    creator            jsonb NOT NULL,
    starter            jsonb,                         -- who the work is done for
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    started_at         timestamptz,
    ended_at           timestamptz,
    worked_at          timestamptz NOT NULL DEFAULT now() -- real time; old while there is work: nobody is at it
);
CREATE INDEX batches_by_merchant ON batches (merchant_id, id);
CREATE INDEX batches_by_content ON batches (merchant_id, content_hash);
CREATE INDEX batches_at_work ON batches (worked_at) WHERE state IN ('checking', 'running', 'voiding');

CREATE TABLE batch_rows (
    merchant_id  uuid NOT NULL,
    batch_id     uuid NOT NULL REFERENCES batches (id),
    n            integer NOT NULL,                    -- as a spreadsheet numbers it
    cells        bytea NOT NULL,                      -- sealed: account and identity numbers may be among them
    broken       jsonb,                               -- what was wrong with how the row is written
    state        text NOT NULL CHECK (state IN ('new', 'ready', 'bad', 'skipped', 'sent', 'failed', 'voided')),
    problems     jsonb,
    causes       text[] NOT NULL DEFAULT '{}',
    warnings     text[] NOT NULL DEFAULT '{}',
    name         text NOT NULL DEFAULT '',
    client_id    uuid,
    new_client   boolean NOT NULL DEFAULT false,
    due          date,
    total_cents  bigint NOT NULL DEFAULT 0,
    same_hash    bytea,                               -- equal for the same payer and amount
    charge       text NOT NULL DEFAULT '' CHECK (charge IN ('', 'wanted', 'done', 'failed')),
    purchase_id  uuid,
    number       text NOT NULL DEFAULT '',
    error        text NOT NULL DEFAULT '',
    PRIMARY KEY (batch_id, n)
) WITH (fillfactor = 80);
CREATE INDEX batch_rows_by_state ON batch_rows (batch_id, state, n);

-- What a person chose for a heading, for the next file that has it.
CREATE TABLE batch_mappings (
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    header_hash  bytea NOT NULL,
    mapping      jsonb NOT NULL,
    used_at      timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, header_hash)
);

-- +goose Down
DROP TABLE batch_mappings, batch_rows, batches;
