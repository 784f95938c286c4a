-- +goose Up
-- The colour of a brand on the pages and in the mails for its clients.
SET LOCAL lock_timeout = '10s';

ALTER TABLE brands ADD COLUMN colour text NOT NULL DEFAULT ''
    CHECK (colour ~ '^(#[0-9a-f]{6})?$'); -- empty: the house's

-- +goose Down
ALTER TABLE brands DROP COLUMN colour;
