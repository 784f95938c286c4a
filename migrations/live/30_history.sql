-- Tables that are kept by month: their parts, how they grow and how they are cut.

-- The partitions of a table with their bounds: low is null without a lower one, high
-- without an upper one.
CREATE OR REPLACE FUNCTION history_parts(parent text) RETURNS TABLE (part text, low uuid, high uuid) LANGUAGE sql STABLE AS $$
    SELECT c.relname::text, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''([0-9a-f-]{36})')::uuid,
        substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9a-f-]{36})')::uuid
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = parent::regclass ORDER BY 2 NULLS FIRST
$$;

-- As before, but "ahead" stays the table that it is: a copy of the database that is being
-- made meanwhile goes by the name of a table that it saw.
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

-- As before, but what stays goes to a table with a name of its own, for the same reason.
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
