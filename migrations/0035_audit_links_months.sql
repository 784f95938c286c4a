-- +goose NO TRANSACTION
-- The second half of 0034_audit_months.sql.

-- +goose Up
SELECT history_swap('audit_links', 'entry_id', 'audit_links_pkey');
ALTER TABLE IF EXISTS history.audit_links_first DROP CONSTRAINT IF EXISTS audit_links_pkey;

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    CREATE TABLE audit_links_plain (LIKE audit_links INCLUDING DEFAULTS);
    INSERT INTO audit_links_plain SELECT * FROM audit_links;
    DROP TABLE audit_links;
    ALTER TABLE audit_links_plain RENAME TO audit_links;
    ALTER TABLE audit_links ADD CONSTRAINT audit_links_pkey PRIMARY KEY (merchant_id, n), ADD CONSTRAINT audit_links_entry_id_key UNIQUE (entry_id);
    CREATE INDEX audit_links_by_number ON audit_links (merchant_id, n);
    CREATE TRIGGER audit_links_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_links FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
END $$;
-- +goose StatementEnd
