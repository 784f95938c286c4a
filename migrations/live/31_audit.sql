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

-- A log only grows: hashes that are there stay as they are, and its size does not shrink. Where a chain is accepted as
-- it stands a new log begins, and that transaction says so.
CREATE OR REPLACE FUNCTION audit_log_begins(merchant uuid) RETURNS boolean LANGUAGE sql STABLE AS
    $$ SELECT coalesce(current_setting('debitdesk.log_begins', true), '') = merchant::text $$;

CREATE OR REPLACE FUNCTION audit_tile_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.merchant_id, NEW.level, NEW.n) = (OLD.merchant_id, OLD.level, OLD.n)
        AND substring(NEW.hashes FROM 1 FOR length(OLD.hashes)) = OLD.hashes THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' AND audit_log_begins(OLD.merchant_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'hashes of the audit are kept as they are' USING ERRCODE = 'DD002';
END $$;

CREATE OR REPLACE FUNCTION audit_tree_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.merchant_id, NEW.origin, NEW.first) = (OLD.merchant_id, OLD.origin, OLD.first)
        AND NEW.size >= OLD.size OR TG_OP = 'UPDATE' AND audit_log_begins(OLD.merchant_id) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the log of the audit only grows' USING ERRCODE = 'DD002';
END $$;

CREATE OR REPLACE TRIGGER audit_tiles_grow BEFORE UPDATE OR DELETE ON audit_tiles
    FOR EACH ROW EXECUTE FUNCTION audit_tile_grows();
CREATE OR REPLACE TRIGGER audit_trees_grow BEFORE UPDATE OR DELETE ON audit_trees
    FOR EACH ROW EXECUTE FUNCTION audit_tree_grows();
CREATE OR REPLACE TRIGGER audit_tiles_kept BEFORE TRUNCATE ON audit_tiles
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
CREATE OR REPLACE TRIGGER audit_trees_kept BEFORE TRUNCATE ON audit_trees
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
