-- +goose Up
-- The logo of a brand on the pages, in the mails and on the documents for its clients. Pictures are kept apart, so that
-- a brand is read without them, and by their names, which tell their sum and their size in pixels: those that stood in
-- mails and on documents stay when the brand takes another.
SET LOCAL lock_timeout = '10s';

CREATE TABLE brand_logos (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    brand_id    uuid REFERENCES brands (id), -- NULL: chosen in a form that was not saved yet
    name        text NOT NULL CHECK (name ~ '^[0-9a-f]{32}-[0-9]{1,3}x[0-9]{1,3}$'),
    picture     bytea NOT NULL,              -- PNG
    created_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX brand_logos_of_brand ON brand_logos (brand_id, name) WHERE brand_id IS NOT NULL;
CREATE UNIQUE INDEX brand_logos_waiting ON brand_logos (merchant_id, name) WHERE brand_id IS NULL;
CREATE INDEX brand_logos_by_name ON brand_logos (name);

ALTER TABLE brands ADD COLUMN logo text NOT NULL DEFAULT '' -- the name of its picture; empty: none
    CHECK (logo ~ '^([0-9a-f]{32}-[0-9]{1,3}x[0-9]{1,3})?$');

-- +goose Down
ALTER TABLE brands DROP COLUMN logo;
DROP TABLE brand_logos;
