-- +goose NO TRANSACTION
-- +goose Up
-- Lists by the due date leave out the purchases of no amount, which only store an account. Those were met and dropped,
-- however many there were: an index of the others alone bounds what is read. Lists of all kinds, and the release
-- before, go by purchases_by_due as they did. Nothing is locked meanwhile.
DROP INDEX CONCURRENTLY IF EXISTS purchases_owed_by_due;
CREATE INDEX CONCURRENTLY purchases_owed_by_due ON purchases (merchant_id, due, id) INCLUDE (status, total_cents)
    WHERE total_cents <> 0;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS purchases_owed_by_due;
