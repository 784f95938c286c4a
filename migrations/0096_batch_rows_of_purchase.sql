-- +goose NO TRANSACTION
-- +goose Up
-- Finds the batch of a debit: who made it does not approve the file that brings it to the bank.

DROP INDEX CONCURRENTLY IF EXISTS batch_rows_of_purchase;
CREATE INDEX CONCURRENTLY batch_rows_of_purchase ON batch_rows (purchase_id) WHERE purchase_id IS NOT NULL;

-- +goose Down
DROP INDEX batch_rows_of_purchase;
