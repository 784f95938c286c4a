-- +goose NO TRANSACTION
-- +goose Up
-- Lists are sorted by what people look for in them. Each index begins with the merchant, goes on with the value and
-- ends with the id, so that equal values have an order too and a page begins anywhere in it.

-- These take the place of two that had the id beside the value: a purchase is written to as many indexes as before.
DROP INDEX CONCURRENTLY IF EXISTS purchases_in_due_order;
CREATE INDEX CONCURRENTLY purchases_in_due_order ON purchases (merchant_id, due, id) INCLUDE (status);
DROP INDEX CONCURRENTLY IF EXISTS purchases_by_due;
DROP INDEX CONCURRENTLY IF EXISTS purchases_in_amount_order;
CREATE INDEX CONCURRENTLY purchases_in_amount_order ON purchases (merchant_id, total_cents, id) INCLUDE (status);
DROP INDEX CONCURRENTLY IF EXISTS purchases_by_amount;

-- An invoice is written once and never changed. Its number has an index already.
DROP INDEX CONCURRENTLY IF EXISTS invoices_in_amount_order;
CREATE INDEX CONCURRENTLY invoices_in_amount_order ON invoices (merchant_id, kind, total_cents, purchase_id);

-- Clients by the name that lists show.
DROP INDEX CONCURRENTLY IF EXISTS clients_in_name_order;
CREATE INDEX CONCURRENTLY clients_in_name_order ON clients (merchant_id, lower(coalesce(nullif(full_name, ''),
    nullif(legal_name, ''), nullif(brand_name, ''), email)), id) WHERE deleted_at IS NULL;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS purchases_by_due ON purchases (merchant_id, due) INCLUDE (id, status);
CREATE INDEX CONCURRENTLY IF NOT EXISTS purchases_by_amount ON purchases (merchant_id, total_cents) INCLUDE (id, status);
DROP INDEX CONCURRENTLY IF EXISTS purchases_in_due_order;
DROP INDEX CONCURRENTLY IF EXISTS purchases_in_amount_order;
DROP INDEX CONCURRENTLY IF EXISTS invoices_in_amount_order;
DROP INDEX CONCURRENTLY IF EXISTS clients_in_name_order;
