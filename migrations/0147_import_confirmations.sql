-- +goose Up
-- When the client of a row was asked to confirm a DebiCheck mandate again, and why that was refused.
SET LOCAL lock_timeout = '10s';

ALTER TABLE book_import_rows ADD COLUMN asked_at timestamptz, ADD COLUMN ask_refused text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE book_import_rows DROP COLUMN asked_at, DROP COLUMN ask_refused;
