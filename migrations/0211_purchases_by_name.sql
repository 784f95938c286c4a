-- +goose NO TRANSACTION
-- +goose Up
-- What a text calls a purchase leads to those that are owed, among all of a business. Others write meanwhile.
-- Takes 6 s for each million rows of purchases; nothing waits.
DROP INDEX CONCURRENTLY IF EXISTS purchases_owed_by_name;
CREATE INDEX CONCURRENTLY purchases_owed_by_name
    ON purchases (merchant_id, upper(coalesce(nullif(reference, ''), reference_generated)) COLLATE "C", id)
    WHERE status IN ('created', 'sent', 'viewed', 'error', 'overdue', 'pending_charge', 'pending_execute');

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS purchases_owed_by_name;
