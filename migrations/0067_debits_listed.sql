-- +goose NO TRANSACTION
-- +goose Up
-- Debits are listed in the order of their ids, by an index that begins with the merchant: the index of the ids alone leads
-- through the debits of all merchants. Neither column ever changes, so an update that leaves the others alone stays in its
-- page. Nothing is locked meanwhile.
DROP INDEX CONCURRENTLY IF EXISTS collections_listed;
CREATE INDEX CONCURRENTLY collections_listed ON collections (merchant_id, id);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS collections_listed;
