-- +goose NO TRANSACTION
-- +goose Up
-- Purchases of some due dates are listed and counted without those of no amount, which their index could not tell
-- apart: each was read. It gives its place to one that can. Nothing is locked while the index is made.
DROP INDEX CONCURRENTLY IF EXISTS purchases_by_due;
CREATE INDEX CONCURRENTLY purchases_by_due ON purchases (merchant_id, due, id) INCLUDE (status, total_cents);
DROP INDEX CONCURRENTLY IF EXISTS purchases_in_due_order;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS purchases_in_due_order ON purchases (merchant_id, due, id) INCLUDE (status);
DROP INDEX CONCURRENTLY IF EXISTS purchases_by_due;
