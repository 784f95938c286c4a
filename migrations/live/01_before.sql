-- What must be there before the tables are: columns and indexes call it, and tables by month are cut by it.

-- A function in SQL is read and planned anew for every row that it gives a default; one
-- in PL/pgSQL once a connection.
CREATE OR REPLACE FUNCTION audit_turn() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN pg_current_xact_id()::text::bigint + (SELECT base FROM audit_turns);
END $$;

-- The words of a row, each behind its merchant and the time of its id in steps of
-- seven weeks: a search reads the words of one merchant, from the newest step on.
-- No word holds a line break. models/database/search.go asks in the same form.
CREATE OR REPLACE FUNCTION search_key(merchant uuid, id uuid, words tsvector) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    key text := right(merchant::text, 12) || left(id::text, 4);
BEGIN
    RETURN array_to_tsvector(string_to_array(
        key || array_to_string(tsvector_to_array(words), E'\n' || key), E'\n'));
END $$;

-- The smallest id of the month of a moment, or of one so many months later; months are UTC's.
CREATE OR REPLACE FUNCTION month_bound(at timestamptz, more integer DEFAULT 0) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM date_trunc('month', at AT TIME ZONE 'UTC') + make_interval(months => more)) * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid
$$;

CREATE OR REPLACE FUNCTION time_of_id(id uuid) RETURNS timestamptz LANGUAGE sql STABLE AS
    $$ SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

-- A partition with its own copies of the triggers that fire once for a statement, which
-- PostgreSQL does not hand down.
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
