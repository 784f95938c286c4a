-- +goose NO TRANSACTION
-- +goose Up
-- Charged purchases by when they turn pending_execute. Nothing is locked meanwhile.
DROP INDEX CONCURRENTLY IF EXISTS purchases_to_execute;
CREATE INDEX CONCURRENTLY purchases_to_execute ON purchases (execute_at) WHERE status = 'pending_charge';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS purchases_to_execute;
