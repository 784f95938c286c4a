-- +goose NO TRANSACTION
-- +goose Up
-- The subscribers of a day are listed page by page in the order of their records. The index of those of each template led
-- there template by template, which grew with their number. Nothing is locked meanwhile.
DROP INDEX CONCURRENTLY IF EXISTS template_clients_next;
CREATE INDEX CONCURRENTLY template_clients_next ON template_clients (merchant_id, next_at, id)
    WHERE next_at IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS template_clients_next;
