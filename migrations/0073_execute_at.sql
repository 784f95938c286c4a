-- +goose Up
-- A purchase says itself when it turns pending_execute, so that its debit is not written for that. The sweep dates those
-- that were charged before, and those that the release before charges meanwhile. That release still starts debits by
-- collections.started and collections_to_start, which the next release may drop.
SET LOCAL lock_timeout = '10s';
ALTER TABLE purchases ADD COLUMN execute_at timestamptz;

-- +goose Down
ALTER TABLE purchases DROP COLUMN execute_at;
