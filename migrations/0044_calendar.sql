-- +goose NO TRANSACTION
-- +goose Up
-- Which subscriptions of a merchant bill next is found in the order of their days, for the calendar. Movements of money
-- are listed by their day, and within it in their order: the index by day and kind gives its place to one that leads
-- through them so. Nothing is locked while the indexes are made.
DROP INDEX CONCURRENTLY IF EXISTS template_clients_next;
CREATE INDEX CONCURRENTLY template_clients_next ON template_clients (merchant_id, next_at, id) WHERE next_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_listed;
CREATE INDEX CONCURRENTLY ledger_entries_listed ON ledger_entries (merchant_id, day, id)
    INCLUDE (kind, amount_cents, currency, at, purchase_id);
DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_by_day;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_by_day;
CREATE INDEX CONCURRENTLY ledger_entries_by_day ON ledger_entries (merchant_id, day, kind)
    INCLUDE (amount_cents, currency, at, purchase_id);
DROP INDEX CONCURRENTLY IF EXISTS ledger_entries_listed;
DROP INDEX CONCURRENTLY IF EXISTS template_clients_next;
