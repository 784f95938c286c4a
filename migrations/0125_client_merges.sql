-- +goose Up
-- Two records of the same client that were made one: what moved, and what the kept one was before, so that it can be
-- undone for an hour.
CREATE TABLE client_merges (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    kept_id       uuid NOT NULL,
    gone_id       uuid NOT NULL,
    gone_name     text NOT NULL,             -- what the gone one was called
    moved         jsonb NOT NULL,            -- keys of the rows that moved, by table; empty once it cannot be undone
    before_sealed bytea,                     -- details of the kept one before; null once it cannot be undone
    kept_was      timestamptz NOT NULL,      -- when the kept one had been changed last
    gone_was      timestamptz NOT NULL,
    made_by       uuid NOT NULL,
    made_name     text NOT NULL,
    made_at       timestamptz NOT NULL,
    undo_until    timestamptz NOT NULL,
    undone_by     uuid,
    undone_name   text NOT NULL DEFAULT '',
    undone_at     timestamptz
);
CREATE UNIQUE INDEX client_merges_gone ON client_merges (merchant_id, gone_id) WHERE undone_at IS NULL;
CREATE INDEX client_merges_kept ON client_merges (merchant_id, kept_id, id);
CREATE INDEX client_merges_to_empty ON client_merges (undo_until) WHERE before_sealed IS NOT NULL;

-- What hangs on a client is found by it.
CREATE INDEX batch_rows_by_client ON batch_rows (client_id) WHERE client_id IS NOT NULL AND purchase_id IS NULL;
CREATE INDEX batch_rows_by_choice ON batch_rows (chosen_client) WHERE chosen_client IS NOT NULL;
CREATE INDEX price_letters_by_client ON price_letters (client_id);
-- Clients with the same account, for the list of duplicates. Identity numbers and addresses have theirs.
CREATE INDEX clients_by_account ON clients (merchant_id, bank_account_hash)
    WHERE bank_account_hash IS NOT NULL AND deleted_at IS NULL;

-- +goose Down
DROP INDEX clients_by_account, price_letters_by_client, batch_rows_by_choice, batch_rows_by_client;
DROP TABLE client_merges;
