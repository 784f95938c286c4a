-- +goose Up
-- Pairs of clients who look like the same one and are not: a person said so, and the list of duplicates leaves them out.
SET LOCAL lock_timeout = '10s';

CREATE TABLE clients_apart (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    first_id    uuid NOT NULL,          -- the smaller id of the two
    later_id    uuid NOT NULL,
    by_id       uuid NOT NULL,
    by_name     text NOT NULL,
    at          timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, first_id, later_id),
    CHECK (first_id < later_id)
);
CREATE INDEX clients_apart_later ON clients_apart (merchant_id, later_id);
CREATE INDEX clients_apart_newest ON clients_apart (merchant_id, at DESC);

-- +goose Down
DROP TABLE clients_apart;
