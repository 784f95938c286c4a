-- +goose NO TRANSACTION
-- History that ages is partitioned by month, on ids that are UUIDv7: the month of a row
-- is that of its id. models/database/history tells the whole story. Each statement below finds out
-- what is done already, so that a migration which was broken off can run again, and none
-- holds a lock for longer than the catalog takes: the one scan over old rows, which checks
-- that they lie before the bound, lets everybody read and write.

-- +goose Up
-- Partitions have a schema of their own: what the product names are the tables in public.
CREATE SCHEMA IF NOT EXISTS history;

-- The smallest id of the month of a moment, or of one so many months later; months are UTC's.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION month_bound(at timestamptz, more integer DEFAULT 0) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM date_trunc('month', at AT TIME ZONE 'UTC') + make_interval(months => more)) * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION time_of_id(id uuid) RETURNS timestamptz LANGUAGE sql STABLE AS
    $$ SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;
-- +goose StatementEnd

-- The partitions of a table with their bounds: low is null without a lower one, high
-- without an upper one.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_parts(parent text) RETURNS TABLE (part text, low uuid, high uuid) LANGUAGE sql STABLE AS $$
    SELECT c.relname::text, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''([0-9a-f-]{36})')::uuid,
        substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9a-f-]{36})')::uuid
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = parent::regclass ORDER BY 2 NULLS FIRST
$$;
-- +goose StatementEnd

-- A partition with its own copies of the triggers that fire once for a statement, which
-- PostgreSQL does not hand down.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_part(parent text, part text, low uuid, high uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    EXECUTE format('CREATE TABLE history.%I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)', part, parent,
        coalesce(quote_literal(low), 'MINVALUE'), coalesce(quote_literal(high), 'MAXVALUE'));
    FOR t IN SELECT pg_get_triggerdef(oid) AS def FROM pg_trigger
        WHERE tgrelid = parent::regclass AND NOT tgisinternal AND tgtype & 1 = 0
    LOOP
        EXECUTE regexp_replace(t.def, ' ON \S+ ', format(' ON history.%I ', part));
    END LOOP;
END $$;
-- +goose StatementEnd

-- Makes the months up to so many after the given moment, and tells how many it made. Rows
-- that came before their month was made wait in the last partition and move now.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_grow(parent text, at timestamptz, ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    want uuid := month_bound(at, ahead + 1);
    this uuid := month_bound(at);
    low uuid;
    next uuid;
    made integer := 0;
BEGIN
    SELECT p.low INTO STRICT low FROM history_parts(parent) p WHERE p.part = parent || '_ahead';
    IF low >= want THEN
        RETURN 0;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent);
    SELECT p.low INTO STRICT low FROM history_parts(parent) p WHERE p.part = parent || '_ahead';
    IF low >= want THEN -- another process was quicker
        RETURN 0;
    END IF;
    EXECUTE format('ALTER TABLE %I DETACH PARTITION history.%I', parent, parent || '_ahead');
    EXECUTE format('ALTER TABLE history.%I RENAME TO %I', parent || '_ahead', parent || '_moving');
    WHILE low < want LOOP
        next := CASE WHEN low < this THEN this ELSE month_bound(time_of_id(low), 1) END;
        PERFORM history_part(parent, parent || to_char(time_of_id(low) AT TIME ZONE 'UTC', '"_"YYYY"_"MM'), low, next);
        low := next;
        made := made + 1;
    END LOOP;
    PERFORM history_part(parent, parent || '_ahead', low, NULL);
    EXECUTE format('INSERT INTO %I SELECT * FROM history.%I', parent, parent || '_moving');
    EXECUTE format('DROP TABLE history.%I', parent || '_moving');
    RETURN made;
END $$;
-- +goose StatementEnd

-- Takes away what lies before a bound and gives the names of the partitions that went. The
-- condition says which rows stay: they go on in the first partition.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_cut(parent text, until uuid, stays text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    gone text[];
    high uuid;
    one text;
BEGIN
    IF NOT EXISTS (SELECT FROM history_parts(parent) p WHERE p.high <= until AND p.part <> parent || '_rest') THEN
        RETURN '{}';
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent);
    SELECT array_agg(p.part), max(p.high::text)::uuid INTO gone, high FROM history_parts(parent) p WHERE p.high <= until;
    IF gone <@ ARRAY[parent || '_rest'] THEN
        RETURN '{}';
    END IF;
    FOREACH one IN ARRAY gone LOOP
        EXECUTE format('ALTER TABLE %I DETACH PARTITION history.%I', parent, one);
        EXECUTE format('ALTER TABLE history.%I RENAME TO %I', one, one || '_going');
    END LOOP;
    PERFORM history_part(parent, parent || '_rest', NULL, high);
    FOREACH one IN ARRAY gone LOOP
        IF stays <> 'false' THEN
            EXECUTE format('INSERT INTO %I SELECT * FROM history.%I AS old WHERE %s', parent, one || '_going', stays);
        END IF;
        EXECUTE format('DROP TABLE history.%I', one || '_going');
    END LOOP;
    RETURN gone;
END $$;
-- +goose StatementEnd

-- What turns a table of before into the first partition of a new one. A lock is waited for
-- in short tries, so that nobody queues behind the one who waits.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_lock(tbl text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR try IN 1..120 LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '500ms', true);
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', tbl);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.25);
        END;
    END LOOP;
    RAISE EXCEPTION 'the table % is in use all the time: run the migration again', tbl USING ERRCODE = 'lock_not_available';
END $$;
-- +goose StatementEnd

-- The first partition ends with a month that has a week at least to go, so that nothing
-- which is written meanwhile passes its bound.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_begin(tbl text, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    bound uuid;
    odd boolean;
BEGIN
    IF (SELECT relkind = 'p' FROM pg_class WHERE oid = tbl::regclass)
        OR EXISTS (SELECT FROM pg_constraint WHERE conrelid = tbl::regclass AND conname = tbl || '_before') THEN
        RETURN;
    END IF;
    PERFORM history_lock(tbl);
    SELECT month_bound(now() + greatest(offset_micros, 0) * interval '1 microsecond' + interval '7 days', 1) INTO bound FROM sandbox_clock;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I >= $1)', tbl, key) INTO odd USING bound;
    IF NOT odd THEN
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (%I < %L) NOT VALID', tbl, tbl || '_before', key, bound);
    END IF;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_check(tbl text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = tbl::regclass AND conname = tbl || '_before' AND NOT convalidated) THEN
        EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', tbl, tbl || '_before');
    END IF;
END $$;
-- +goose StatementEnd

-- Indexes, checks and triggers are handed on, except the indexes that are named. Rows whose
-- ids lie behind the bound, which only data made by hand has, move to the other partitions;
-- then alone the attachment has to look at the old rows.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION history_swap(tbl text, key text, VARIADIC leave text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old text := tbl || '_first';
    bound uuid;
    next uuid;
    again text[];
BEGIN
    IF (SELECT relkind = 'p' FROM pg_class WHERE oid = tbl::regclass) THEN
        RETURN;
    END IF;
    PERFORM history_lock(tbl);
    SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]{36})''')::uuid INTO bound FROM pg_constraint
        WHERE conrelid = tbl::regclass AND conname = tbl || '_before';
    IF bound IS NULL THEN
        SELECT month_bound(now() + greatest(offset_micros, 0) * interval '1 microsecond' + interval '7 days', 1) INTO bound FROM sandbox_clock;
    END IF;
    SELECT array_agg(def ORDER BY rank, name) INTO again FROM (
        SELECT 1 AS rank, conname::text AS name, format('ALTER TABLE %I ADD CONSTRAINT %I %s', tbl, conname, pg_get_constraintdef(oid)) AS def
        FROM pg_constraint WHERE conrelid = tbl::regclass AND contype IN ('c', 'p', 'u') AND conname <> tbl || '_before'
        UNION ALL
        SELECT 2, c.relname::text, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = tbl::regclass AND i.indisvalid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND conrelid = i.indrelid)
        UNION ALL
        SELECT 3, tgname::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = tbl::regclass AND NOT tgisinternal
    ) AS parts WHERE NOT name = ANY (leave);
    EXECUTE format('ALTER TABLE %I SET SCHEMA history', tbl); -- its indexes go along, so their names are free
    EXECUTE format('ALTER TABLE history.%I RENAME TO %I', tbl, old);
    EXECUTE format('CREATE TABLE %I (LIKE history.%I INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (%I)', tbl, old, key);
    FOR i IN 1..coalesce(cardinality(again), 0) LOOP
        EXECUTE again[i];
    END LOOP;
    next := month_bound(time_of_id(bound), 1);
    PERFORM history_part(tbl, tbl || to_char(time_of_id(bound) AT TIME ZONE 'UTC', '"_"YYYY"_"MM'), bound, next);
    PERFORM history_part(tbl, tbl || '_ahead', next, NULL);
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = ('history.' || old)::regclass AND conname = tbl || '_before') THEN
        EXECUTE format('ALTER TABLE history.%I DISABLE TRIGGER USER', old);
        EXECUTE format('WITH odd AS (DELETE FROM history.%I WHERE %I >= %L RETURNING *) INSERT INTO %I SELECT * FROM odd', old, key, bound, tbl);
        EXECUTE format('ALTER TABLE history.%I ENABLE TRIGGER USER', old);
    END IF;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION history.%I FOR VALUES FROM (MINVALUE) TO (%L)', tbl, old, bound);
    EXECUTE format('ALTER TABLE history.%I DROP CONSTRAINT IF EXISTS %I', old, tbl || '_before');
END $$;
-- +goose StatementEnd

-- The log of requests: bodies are packed, many requests in a row, and stand apart. A
-- request tells in which row its bodies are and at which place; those of before have
-- theirs in their own row.
ALTER TABLE api_requests ADD COLUMN IF NOT EXISTS packed_in uuid, ADD COLUMN IF NOT EXISTS place integer NOT NULL DEFAULT 0;
SELECT history_begin('api_requests', 'id');
SELECT history_check('api_requests');
-- Every look-up names the merchant, so one index serves all of them; age is the id's.
SELECT history_swap('api_requests', 'id', 'api_requests_pkey', 'api_requests_by_age');
-- +goose StatementBegin
DO $$
DECLARE
    p record;
BEGIN
    IF to_regclass('api_request_bodies') IS NOT NULL THEN
        RETURN;
    END IF;
    CREATE TABLE api_request_bodies (
        id          uuid NOT NULL,        -- the smallest of the requests in it
        merchant_id uuid NOT NULL,
        last_id     uuid NOT NULL,        -- the greatest of them
        entries     integer NOT NULL,
        packed      bytea NOT NULL,
        PRIMARY KEY (merchant_id, id)
    ) PARTITION BY RANGE (id);
    ALTER TABLE api_request_bodies ALTER COLUMN packed SET STORAGE EXTERNAL; -- compressed already
    FOR p IN SELECT replace(part, 'api_requests', 'api_request_bodies') AS part, low, high FROM history_parts('api_requests') LOOP
        PERFORM history_part('api_request_bodies', p.part, p.low, p.high);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- Requests whose bodies are packed lose them.
DROP TABLE IF EXISTS api_request_bodies;
-- +goose StatementBegin
DO $$
BEGIN
    CREATE TABLE api_requests_plain (LIKE api_requests INCLUDING DEFAULTS);
    INSERT INTO api_requests_plain SELECT * FROM api_requests;
    DROP TABLE api_requests;
    ALTER TABLE api_requests_plain RENAME TO api_requests;
    ALTER TABLE api_requests DROP COLUMN packed_in, DROP COLUMN place;
    ALTER TABLE api_requests ADD CONSTRAINT api_requests_pkey PRIMARY KEY (id);
    CREATE INDEX api_requests_by_merchant ON api_requests (merchant_id, id);
    CREATE INDEX api_requests_by_age ON api_requests (at);
END $$;
-- +goose StatementEnd
DROP SCHEMA history;
DROP FUNCTION history_swap, history_check, history_begin, history_lock, history_cut, history_grow, history_part, history_parts, time_of_id, month_bound;
