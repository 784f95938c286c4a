-- +goose Up
-- The audit of each merchant as a Merkle tree (RFC 6962), so that others can check that an entry is in it and that it
-- only grew. A leaf is a link of the chain with its entry; 32 bytes and a little are kept for each.
SET LOCAL lock_timeout = '10s';

CREATE TABLE audit_trees (
    merchant_id uuid PRIMARY KEY,
    origin      text NOT NULL, -- the name of the log; another one after the chain was accepted
    first       bigint NOT NULL, -- the link that is leaf 0; links before it were dropped before there was a tree
    size        bigint NOT NULL, -- leaves
    root        bytea NOT NULL,
    checkpoint  text NOT NULL, -- origin, size and root as a signed note; empty while there is no leaf
    accepted    bigint NOT NULL DEFAULT 0, -- up to this link the chain was accepted as it stands
    made_at     timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Hashes of the tree, 32 to a row: level 0 holds leaves, level 1 the roots of 32 leaves, and so on. A row that is not
-- full gains hashes; what is there stays. Rows outlive entries that are dropped after their time.
CREATE TABLE audit_tiles (
    merchant_id uuid NOT NULL,
    level       smallint NOT NULL,
    n           bigint NOT NULL,
    hashes      bytea NOT NULL,
    PRIMARY KEY (merchant_id, level, n)
);
ALTER TABLE audit_tiles ALTER COLUMN hashes SET STORAGE PLAIN; -- a hash cannot be compressed

-- +goose Down
DROP TABLE audit_tiles, audit_trees;
