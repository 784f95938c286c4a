-- +goose NO TRANSACTION
-- The audit is partitioned by month, as 0033_request_log.sql tells.

-- +goose Up
-- As before, but "ahead" stays the table that it is: a copy of the database that is being
-- made meanwhile goes by the name of a table that it saw.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_grow(parent text, at timestamptz, ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    last text := parent || '_ahead';
    key text := (SELECT a.attname FROM pg_partitioned_table t JOIN pg_attribute a ON a.attrelid = t.partrelid AND a.attnum = t.partattrs[0]
        WHERE t.partrelid = parent::regclass);
    want uuid := month_bound(at, ahead + 1);
    this uuid := month_bound(at);
    low uuid;
    next uuid;
    early boolean;
    made integer := 0;
BEGIN
    SELECT p.low INTO STRICT low FROM history_parts(parent) p WHERE p.part = last;
    IF low >= want THEN
        RETURN 0;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent);
    SELECT p.low INTO STRICT low FROM history_parts(parent) p WHERE p.part = last;
    IF low >= want THEN -- another process was quicker
        RETURN 0;
    END IF;
    EXECUTE format('ALTER TABLE %I DETACH PARTITION history.%I', parent, last);
    WHILE low < want LOOP
        next := CASE WHEN low < this THEN this ELSE month_bound(time_of_id(low), 1) END;
        PERFORM history_part(parent, parent || to_char(time_of_id(low) AT TIME ZONE 'UTC', '"_"YYYY"_"MM'), low, next);
        low := next;
        made := made + 1;
    END LOOP;
    EXECUTE format('SELECT EXISTS (SELECT FROM history.%I WHERE %I < $1)', last, key) INTO early USING low;
    IF early THEN
        EXECUTE format('INSERT INTO %I SELECT * FROM history.%I WHERE %I < %L', parent, last, key, low);
        EXECUTE format('ALTER TABLE history.%I DISABLE TRIGGER USER', last);
        EXECUTE format('DELETE FROM history.%I WHERE %I < %L', last, key, low);
        EXECUTE format('ALTER TABLE history.%I ENABLE TRIGGER USER', last);
    END IF;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION history.%I FOR VALUES FROM (%L) TO (MAXVALUE)', parent, last, low);
    RETURN made;
END $$;
-- +goose StatementEnd

-- As before, but what stays goes to a table with a name of its own, for the same reason.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_cut(parent text, until uuid, stays text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    gone text[];
    high uuid;
    one text;
BEGIN
    IF NOT EXISTS (SELECT FROM history_parts(parent) p WHERE p.high <= until AND NOT starts_with(p.part, parent || '_rest')) THEN
        RETURN '{}';
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent);
    SELECT array_agg(p.part), max(p.high::text)::uuid INTO gone, high FROM history_parts(parent) p WHERE p.high <= until;
    FOREACH one IN ARRAY coalesce(gone, '{}') LOOP
        EXECUTE format('ALTER TABLE %I DETACH PARTITION history.%I', parent, one);
    END LOOP;
    PERFORM history_part(parent, parent || to_char(time_of_id(high) AT TIME ZONE 'UTC', '"_rest_"YYYY"_"MM'), NULL, high);
    FOREACH one IN ARRAY gone LOOP
        IF stays <> 'false' THEN
            EXECUTE format('INSERT INTO %I SELECT * FROM history.%I AS old WHERE %s', parent, one, stays);
        END IF;
        EXECUTE format('DROP TABLE history.%I', one);
    END LOOP;
    RETURN gone;
END $$;
-- +goose StatementEnd

-- What was dropped of a merchant's chain after its time: the last link of it, and the
-- links behind that one whose entries went all the same, signed like a head. Links and
-- entries that are missing without it are missed.
CREATE TABLE IF NOT EXISTS audit_bases (
    merchant_id uuid PRIMARY KEY,
    n           bigint NOT NULL,
    hash        bytea NOT NULL,
    kept        bigint[] NOT NULL,                 -- numbers of links above n without their entries
    key_id      text NOT NULL,
    signature   bytea NOT NULL
);
SELECT history_begin('audit_entries', 'id');
SELECT history_check('audit_entries');
SELECT history_swap('audit_entries', 'id', '');

-- Links go with the month of their entry. That a merchant's numbers follow one another
-- is checked by whoever walks the chain; one process at a time writes them. The swap is a
-- step of its own, for this index can be made only before it.
DROP INDEX CONCURRENTLY IF EXISTS audit_links_by_number;
CREATE INDEX CONCURRENTLY audit_links_by_number ON audit_links (merchant_id, n);
SELECT history_begin('audit_links', 'entry_id');
SELECT history_check('audit_links');

-- +goose Down
ALTER TABLE audit_links DROP CONSTRAINT IF EXISTS audit_links_before;
DROP INDEX IF EXISTS audit_links_by_number;
-- +goose StatementBegin
DO $$
BEGIN
    CREATE TABLE audit_entries_plain (LIKE audit_entries INCLUDING DEFAULTS);
    INSERT INTO audit_entries_plain SELECT * FROM audit_entries;
    DROP TABLE audit_entries;
    ALTER TABLE audit_entries_plain RENAME TO audit_entries;
    ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);
    CREATE INDEX audit_entries_of_client ON audit_entries (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
    CREATE INDEX audit_entries_of_purchase ON audit_entries (merchant_id, purchase_id, id) WHERE purchase_id IS NOT NULL;
    CREATE INDEX audit_entries_of_object ON audit_entries (merchant_id, object_id, id)
        WHERE client_id IS DISTINCT FROM object_id AND purchase_id IS DISTINCT FROM object_id;
    CREATE INDEX audit_entries_of_person ON audit_entries (merchant_id, actor_id, id) WHERE actor_kind = 'user';
    CREATE INDEX audit_entries_by_turn ON audit_entries USING brin (turn) WITH (pages_per_range = 16, autosummarize = on);
    CREATE INDEX audit_entries_by_merchant ON audit_entries (merchant_id, id);
    CREATE INDEX audit_entries_of_bank_message ON audit_entries (merchant_id, object_id) WHERE object_type = 'bank_message';
    CREATE TRIGGER audit_entries_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
END $$;
-- +goose StatementEnd
DROP TABLE IF EXISTS audit_bases;
