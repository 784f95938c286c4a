-- +goose NO TRANSACTION
-- +goose Up
-- The figures of what is there already, and the indexes in whose order the lists behind them are read. Each index that
-- is made takes the place of one, save that refunds of a debit had none. Nothing is locked meanwhile.
DROP INDEX CONCURRENTLY IF EXISTS refunds_of_debit;
CREATE INDEX CONCURRENTLY refunds_of_debit ON refunds (merchant_id, collection_id);
UPDATE collections SET closed_on = debit_closed_on(state, NULL, updated_at, final_at, id, purchase_id)
WHERE closed_on IS NULL AND provisional_at IS NOT NULL AND method = 'eft' AND state NOT IN ('provisional', 'final');
SELECT rebuild_figures();
-- What the change of old debits noted is folded in, so that no page has to look at it.
SELECT fold_figures(2147483647);
SELECT fold_figures(2147483647);
DROP INDEX CONCURRENTLY IF EXISTS collections_of_day;
CREATE INDEX CONCURRENTLY collections_of_day ON collections (merchant_id, action_date, state, id);
DROP INDEX CONCURRENTLY IF EXISTS collections_by_day;
DROP INDEX CONCURRENTLY IF EXISTS refunds_listed;
CREATE INDEX CONCURRENTLY refunds_listed ON refunds (merchant_id, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS refunds_by_merchant;
DROP INDEX CONCURRENTLY IF EXISTS refunds_waiting;
CREATE INDEX CONCURRENTLY refunds_waiting ON refunds (merchant_id, created_at, id) WHERE state = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS refunds_pending;
DROP INDEX CONCURRENTLY IF EXISTS template_clients_ahead;
CREATE INDEX CONCURRENTLY template_clients_ahead ON template_clients (merchant_id, next_at, template_id, id)
    WHERE next_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS template_clients_next;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS template_clients_next ON template_clients (merchant_id, next_at, id)
    WHERE next_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS template_clients_ahead;
CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_pending ON refunds (merchant_id) WHERE state = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS refunds_waiting;
CREATE INDEX CONCURRENTLY IF NOT EXISTS refunds_by_merchant ON refunds (merchant_id, created_at);
DROP INDEX CONCURRENTLY IF EXISTS refunds_listed;
CREATE INDEX CONCURRENTLY IF NOT EXISTS collections_by_day ON collections (merchant_id, action_date, state);
DROP INDEX CONCURRENTLY IF EXISTS collections_of_day;
DROP INDEX CONCURRENTLY IF EXISTS refunds_of_debit;
