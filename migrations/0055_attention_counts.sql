-- +goose Up
-- How many things wait, and what they come to, is kept beside them, so that no page counts them. The sweep is the only
-- writer of attention, one process at a time, and its triggers keep the counts: they never keep a booking waiting. What
-- changed since is taken off and added anew by who reads, as for the things themselves.
CREATE TABLE attention_counts (
    merchant_id  uuid    NOT NULL,
    day          date    NOT NULL,               -- see attention_days
    kind         text    NOT NULL,
    owner_id     uuid    NOT NULL,               -- zero: nobody looks after it
    hidden_until date    NOT NULL,
    n            bigint  NOT NULL,
    cents        numeric NOT NULL,               -- of rands alone
    PRIMARY KEY (merchant_id, day, kind, owner_id, hidden_until)
);

-- The days under which a thing is counted: -infinity for all of its kind, and the day on which it began where pages ask
-- from a day on. All mails are never asked for.
CREATE FUNCTION attention_days(kind text, at timestamptz, answered boolean) RETURNS TABLE (day date)
    LANGUAGE sql STABLE AS $$
    SELECT '-infinity'::date WHERE kind <> 'mail'
    UNION ALL SELECT (at AT TIME ZONE 'Africa/Johannesburg')::date WHERE kind = 'mail' OR answered $$;
CREATE FUNCTION rands_of(currency text, cents bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE WHEN currency IN ('ZAR', '') THEN cents ELSE 0 END $$;

CREATE VIEW attention_count_facts AS
    SELECT a.merchant_id, d.day, a.kind, coalesce(a.owner_id, '00000000-0000-0000-0000-000000000000') AS owner_id,
        a.hidden_until, count(*) AS n, sum(rands_of(a.currency, a.cents)) AS cents
    FROM attention a CROSS JOIN LATERAL attention_days(a.kind, a.at, a.answered) d GROUP BY 1, 2, 3, 4, 5;

-- +goose StatementBegin
CREATE FUNCTION count_attention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_counts AS c (merchant_id, day, kind, owner_id, hidden_until, n, cents)
        SELECT a.merchant_id, d.day, a.kind, coalesce(a.owner_id, '00000000-0000-0000-0000-000000000000'),
            a.hidden_until, -count(*), -sum(rands_of(a.currency, a.cents))
        FROM older a CROSS JOIN LATERAL attention_days(a.kind, a.at, a.answered) d GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (merchant_id, day, kind, owner_id, hidden_until)
        DO UPDATE SET n = c.n + excluded.n, cents = c.cents + excluded.cents;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO attention_counts AS c (merchant_id, day, kind, owner_id, hidden_until, n, cents)
        SELECT a.merchant_id, d.day, a.kind, coalesce(a.owner_id, '00000000-0000-0000-0000-000000000000'),
            a.hidden_until, count(*), sum(rands_of(a.currency, a.cents))
        FROM newer a CROSS JOIN LATERAL attention_days(a.kind, a.at, a.answered) d GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (merchant_id, day, kind, owner_id, hidden_until)
        DO UPDATE SET n = c.n + excluded.n, cents = c.cents + excluded.cents;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM attention_counts c USING (SELECT DISTINCT merchant_id FROM older) AS of
            WHERE c.merchant_id = of.merchant_id AND c.n = 0;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Only the sweep waits for these triggers to be made.
CREATE TRIGGER count_new AFTER INSERT ON attention REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_attention();
CREATE TRIGGER count_gone AFTER DELETE ON attention REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION count_attention();
CREATE TRIGGER count_moved AFTER UPDATE ON attention REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_attention();
INSERT INTO attention_counts (merchant_id, day, kind, owner_id, hidden_until, n, cents)
SELECT merchant_id, day, kind, owner_id, hidden_until, n, cents FROM attention_count_facts;

-- What changed is looked at only where anything did. In a statement of its own, which a connection plans once: the view
-- is long, and every page asks.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION attention_changed(merchant uuid) RETURNS SETOF attention LANGUAGE plpgsql STABLE ROWS 20 AS $$
BEGIN
    IF EXISTS (SELECT FROM attention_changes c WHERE c.merchant_id = merchant) THEN
        RETURN QUERY SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id
        FROM (SELECT DISTINCT object_id FROM attention_changes n WHERE n.merchant_id = merchant) c CROSS JOIN LATERAL (
            SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = merchant OFFSET 0) f;
    END IF;
END $$;
-- +goose StatementEnd

-- What waits of a merchant, counted: all of each kind, and day by day from a day on. Several rows may be of one count.
CREATE FUNCTION attention_counted(merchant uuid, since date)
    RETURNS TABLE (day date, kind text, owner_id uuid, hidden_until date, n bigint, cents numeric) LANGUAGE sql STABLE AS $$
    SELECT c.day, c.kind, nullif(c.owner_id, '00000000-0000-0000-0000-000000000000'), c.hidden_until, c.n, c.cents
    FROM attention_counts c WHERE c.merchant_id = merchant AND (c.day = '-infinity' OR c.day >= since)
    UNION ALL
    SELECT d.day, a.kind, a.owner_id, a.hidden_until, -1,
        -rands_of(a.currency, a.cents)
    FROM (SELECT DISTINCT object_id FROM attention_changes WHERE merchant_id = merchant) c
        JOIN attention a ON a.merchant_id = merchant AND a.object_id = c.object_id
        CROSS JOIN LATERAL attention_days(a.kind, a.at, a.answered) d WHERE d.day = '-infinity' OR d.day >= since
    UNION ALL
    SELECT d.day, a.kind, a.owner_id, a.hidden_until, 1,
        rands_of(a.currency, a.cents)
    FROM attention_changed(merchant) a CROSS JOIN LATERAL attention_days(a.kind, a.at, a.answered) d
    WHERE d.day = '-infinity' OR d.day >= since $$;

-- The check compares the counts with what is kept, which it compares with the facts; rebuilding makes them anew.
-- +goose StatementBegin
DO $$
DECLARE
    part record;
    was text;
BEGIN
    FOR part IN SELECT * FROM (VALUES
        ('check_figures()', 'SELECT ''bank days'',', 'SELECT ''attention counts'', coalesce(c.merchant_id, f.merchant_id),
        concat_ws('' '', coalesce(c.kind, f.kind), coalesce(c.day, f.day), coalesce(c.owner_id, f.owner_id),
            coalesce(c.hidden_until, f.hidden_until)), c.n || '' / '' || c.cents, f.n || '' / '' || f.cents
    FROM attention_counts c FULL JOIN attention_count_facts f ON (f.merchant_id, f.day, f.kind, f.owner_id, f.hidden_until)
        = (c.merchant_id, c.day, c.kind, c.owner_id, c.hidden_until)
    WHERE (c.n, c.cents) IS DISTINCT FROM (f.n, f.cents)
    UNION ALL
    SELECT ''bank days'','),
        ('rebuild_figures()', 'DROP TABLE attention_anew, bank_days_anew;', 'DROP TABLE attention_anew, bank_days_anew;
    DELETE FROM attention_counts;
    INSERT INTO attention_counts (merchant_id, day, kind, owner_id, hidden_until, n, cents)
    SELECT merchant_id, day, kind, owner_id, hidden_until, n, cents FROM attention_count_facts;')
    ) AS p (name, old, new) LOOP
        was := pg_get_functiondef(part.name::regprocedure);
        IF position(part.old IN was) = 0 THEN
            RAISE EXCEPTION '% has another form', part.name;
        END IF;
        EXECUTE replace(was, part.old, part.new);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
    was text;
BEGIN
    was := pg_get_functiondef('check_figures()'::regprocedure);
    EXECUTE overlay(was PLACING '' FROM position('SELECT ''attention counts''' IN was)
        FOR position('SELECT ''bank days''' IN was) - position('SELECT ''attention counts''' IN was));
    was := pg_get_functiondef('rebuild_figures()'::regprocedure);
    EXECUTE overlay(was PLACING '' FROM position('DELETE FROM attention_counts;' IN was)
        FOR position('PERFORM fold_figures' IN was) - position('DELETE FROM attention_counts;' IN was));
END $$;
-- +goose StatementEnd
DROP FUNCTION attention_counted;
CREATE OR REPLACE FUNCTION attention_changed(merchant uuid) RETURNS SETOF attention LANGUAGE sql STABLE ROWS 1000 AS $$
    SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id
    FROM (SELECT DISTINCT object_id FROM attention_changes WHERE merchant_id = merchant) c CROSS JOIN LATERAL (
        SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = merchant OFFSET 0) f $$;
DROP TRIGGER count_moved ON attention;
DROP TRIGGER count_gone ON attention;
DROP TRIGGER count_new ON attention;
DROP FUNCTION count_attention;
DROP VIEW attention_count_facts;
DROP TABLE attention_counts;
DROP FUNCTION attention_days, rands_of;
