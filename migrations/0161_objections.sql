-- +goose Up
-- A client says that it did not agree to be debited under one mandate: nothing is debited from that account until staff
-- let it go on.
SET LOCAL lock_timeout = '10s';

ALTER TABLE tokens ADD COLUMN objected_at timestamptz; -- with held_at; null: the client said no such thing

-- +goose Down
ALTER TABLE tokens DROP COLUMN objected_at;
