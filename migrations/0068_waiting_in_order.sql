-- +goose NO TRANSACTION
-- +goose Up
-- Lists of what waits for a reason are read in the order of the records, page by page. The index of that order had no word
-- of what is snoozed, so that PostgreSQL sorted all that waits from another index instead. Nothing is locked meanwhile.
DROP INDEX CONCURRENTLY IF EXISTS attention_listed;
CREATE INDEX CONCURRENTLY attention_listed ON attention (merchant_id, kind, object_id)
    INCLUDE (hidden_until, at, answered);
DROP INDEX CONCURRENTLY IF EXISTS attention_in_order;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS attention_in_order ON attention (merchant_id, kind, object_id);
DROP INDEX CONCURRENTLY IF EXISTS attention_listed;
