-- Audit entries are only added, never changed.

-- Nothing of an entry or a link can be changed or taken away.
CREATE OR REPLACE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit are kept as they are' USING ERRCODE = 'DD002';
END $$;

-- The tables and each of their months; months that are added take it from their table.
DO $$
DECLARE
    kept record;
BEGIN
    FOR kept IN SELECT oid::regclass AS name FROM pg_class WHERE relname IN ('audit_entries', 'audit_links') AND relkind = 'p'
        UNION ALL SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent IN ('audit_entries'::regclass, 'audit_links'::regclass)
    LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %s
            FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept()',
            CASE WHEN kept.name::text LIKE '%audit_entries%' THEN 'audit_entries_kept' ELSE 'audit_links_kept' END, kept.name);
    END LOOP;
END $$;
