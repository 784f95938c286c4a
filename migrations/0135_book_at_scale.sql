-- +goose NO TRANSACTION
-- +goose Up
-- Undoing an import deletes many mandates: each looks for tokens that name it.
DROP INDEX CONCURRENTLY IF EXISTS tokens_of_mandate;
CREATE INDEX CONCURRENTLY tokens_of_mandate ON tokens (mandate_id);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS tokens_of_mandate;
