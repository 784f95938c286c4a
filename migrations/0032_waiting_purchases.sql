-- +goose NO TRANSACTION
-- +goose Up
-- What needs attention asks which of all blocked tokens a purchase waits for. With many
-- such tokens the few purchases that wait are read in the order of this index, and
-- purchases_by_token, which the step before left alone for it, is nine times slower.
CREATE INDEX CONCURRENTLY IF NOT EXISTS purchases_waiting ON purchases (token_id) WHERE status = 'pending_charge';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS purchases_waiting;
