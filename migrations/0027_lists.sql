-- +goose NO TRANSACTION
-- +goose Up
-- Lists and searches answer from indexes that begin with the merchant. Each index is
-- built while rows are written; what was broken off is dropped and built again.

-- The words of a row, each behind its merchant and the time of its id in steps of
-- seven weeks: a search reads the words of one merchant, from the newest step on.
-- No word holds a line break. models/database/search.go asks in the same form.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_key(merchant uuid, id uuid, words tsvector) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    key text := right(merchant::text, 12) || left(id::text, 4);
BEGIN
    RETURN array_to_tsvector(string_to_array(
        key || array_to_string(tsvector_to_array(words), E'\n' || key), E'\n'));
END $$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS clients_search_key;
CREATE INDEX CONCURRENTLY clients_search_key ON clients USING gin (search_key(merchant_id, id, search));
DROP INDEX CONCURRENTLY IF EXISTS clients_search;
DROP INDEX CONCURRENTLY IF EXISTS mandates_search_key;
CREATE INDEX CONCURRENTLY mandates_search_key ON mandates USING gin (search_key(merchant_id, id, search));
DROP INDEX CONCURRENTLY IF EXISTS mandates_search;
DROP INDEX CONCURRENTLY IF EXISTS purchases_search_key;
CREATE INDEX CONCURRENTLY purchases_search_key ON purchases USING gin (search_key(merchant_id, id, search));
DROP INDEX CONCURRENTLY IF EXISTS purchases_search;


-- The purchases and the clients of a merchant in the order of their lists.
DROP INDEX CONCURRENTLY IF EXISTS purchases_of_merchant;
CREATE INDEX CONCURRENTLY purchases_of_merchant ON purchases (merchant_id, id);
DROP INDEX CONCURRENTLY IF EXISTS clients_of_merchant;
CREATE INDEX CONCURRENTLY clients_of_merchant ON clients (merchant_id, id);
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_number;
CREATE INDEX CONCURRENTLY invoices_of_number ON invoices (merchant_id, kind, number COLLATE "C");

-- The audit by whom, and by what, it is about.
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_of_client;
CREATE INDEX CONCURRENTLY audit_entries_of_client ON audit_entries (merchant_id, client_id, id)
    WHERE client_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_by_client;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_of_purchase;
CREATE INDEX CONCURRENTLY audit_entries_of_purchase ON audit_entries (merchant_id, purchase_id, id)
    WHERE purchase_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_by_purchase;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_of_object;
CREATE INDEX CONCURRENTLY audit_entries_of_object ON audit_entries (merchant_id, object_id, id)
    WHERE client_id IS DISTINCT FROM object_id AND purchase_id IS DISTINCT FROM object_id;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_of_person;
CREATE INDEX CONCURRENTLY audit_entries_of_person ON audit_entries (merchant_id, actor_id, id)
    WHERE actor_kind = 'user';

-- +goose Down
CREATE INDEX IF NOT EXISTS audit_entries_by_client ON audit_entries (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_entries_by_purchase ON audit_entries (purchase_id, id) WHERE purchase_id IS NOT NULL;
DROP INDEX audit_entries_of_client, audit_entries_of_purchase, audit_entries_of_object, audit_entries_of_person;
CREATE INDEX IF NOT EXISTS clients_search ON clients USING gin (search);
CREATE INDEX IF NOT EXISTS mandates_search ON mandates USING gin (search);
CREATE INDEX IF NOT EXISTS purchases_search ON purchases USING gin (search);
DROP INDEX purchases_of_merchant, clients_of_merchant, invoices_of_number;
DROP INDEX clients_search_key, mandates_search_key, purchases_search_key;
DROP FUNCTION search_key;
