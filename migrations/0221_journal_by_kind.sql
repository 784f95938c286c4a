-- +goose NO TRANSACTION
-- +goose Up
-- Entries of a kind that is rare stand among millions of others.
DROP INDEX CONCURRENTLY IF EXISTS journal_entries_by_kind; -- of a try that was broken off
CREATE INDEX CONCURRENTLY journal_entries_by_kind ON journal_entries (merchant_id, kind, day, n);

-- +goose Down
DROP INDEX CONCURRENTLY journal_entries_by_kind;
