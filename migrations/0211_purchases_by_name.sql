-- +goose Up
-- What a text calls a purchase leads to those that are owed, among all of a business.
-- Takes 6 s for each million rows of purchases; writes to them wait.
SET LOCAL lock_timeout = '10s';
CREATE INDEX purchases_owed_by_name
    ON purchases (merchant_id, upper(coalesce(nullif(reference, ''), reference_generated)) COLLATE "C", id)
    WHERE status IN ('created', 'sent', 'viewed', 'error', 'overdue', 'pending_charge', 'pending_execute');

-- +goose Down
DROP INDEX IF EXISTS purchases_owed_by_name;
