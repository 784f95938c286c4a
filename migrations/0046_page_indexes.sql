-- +goose NO TRANSACTION
-- +goose Up
-- What pages look for stands in an index in the order in which it is shown. Each index is
-- built while rows are written; what was broken off is dropped and built again.

-- What waits of a kind, in the order of a list.
DROP INDEX CONCURRENTLY IF EXISTS attention_in_order;
CREATE INDEX CONCURRENTLY attention_in_order ON attention (merchant_id, kind, object_id);

-- The clients with an e-mail address, the newest first.
DROP INDEX CONCURRENTLY IF EXISTS clients_of_email;
CREATE INDEX CONCURRENTLY clients_of_email ON clients (merchant_id, lower(email), id) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS clients_by_email;

-- Deliveries that failed, which are few among all.
DROP INDEX CONCURRENTLY IF EXISTS deliveries_failed;
CREATE INDEX CONCURRENTLY deliveries_failed ON deliveries (merchant_id, webhook_id, id) WHERE state = 'failed';

-- How many subscribers of each status a template has, and when the next one is due.
DROP INDEX CONCURRENTLY IF EXISTS template_clients_counted;
CREATE INDEX CONCURRENTLY template_clients_counted ON template_clients (merchant_id, template_id, status, next_on, activated_at);

-- The mandates that were given for a profile of a brand.
DROP INDEX CONCURRENTLY IF EXISTS mandates_of_profile;
CREATE INDEX CONCURRENTLY mandates_of_profile ON mandates (brand_id, profile_code, abbreviated_name, clearing_account);

-- The mails to a client, and those about a purchase.
DROP INDEX CONCURRENTLY IF EXISTS mails_of_client;
CREATE INDEX CONCURRENTLY mails_of_client ON mails (merchant_id, client_id) WHERE client_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS mails_of_purchase;
CREATE INDEX CONCURRENTLY mails_of_purchase ON mails (merchant_id, purchase_id) WHERE purchase_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS mails_of_purchase;
DROP INDEX CONCURRENTLY IF EXISTS mails_of_client;
DROP INDEX CONCURRENTLY IF EXISTS mandates_of_profile;
DROP INDEX CONCURRENTLY IF EXISTS template_clients_counted;
DROP INDEX CONCURRENTLY IF EXISTS deliveries_failed;
CREATE INDEX CONCURRENTLY IF NOT EXISTS clients_by_email ON clients (merchant_id, lower(email)) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS clients_of_email;
DROP INDEX CONCURRENTLY IF EXISTS attention_in_order;
