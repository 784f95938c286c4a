-- +goose Up
-- What needs attention stands on every page. Failed debits are found from whichever is
-- fewer, failed debits or owed purchases that were debited, and neither table is read.
CREATE INDEX collections_failed_last ON collections (merchant_id, purchase_id, attempt) INCLUDE (result_at)
    WHERE state IN ('unpaid', 'recalled');
DROP INDEX purchases_debited_owed;
CREATE INDEX purchases_debited_owed ON purchases (merchant_id, id) INCLUDE (collection_count, currency, total_cents)
    WHERE collection_count > 0 AND status IN ('created', 'sent', 'viewed', 'error', 'overdue');

-- +goose Down
DROP INDEX purchases_debited_owed;
CREATE INDEX purchases_debited_owed ON purchases (merchant_id, id)
    WHERE collection_count > 0 AND status IN ('created', 'sent', 'viewed', 'error', 'overdue');
DROP INDEX collections_failed_last;
