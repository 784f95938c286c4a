-- Sums and counts that are kept while rows change, what they are held against, and how they are made anew.

CREATE OR REPLACE FUNCTION keep_purchase_sums() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO purchase_sums AS s (merchant_id, status, cents)
        SELECT merchant_id, status, sum(cents) FROM gone GROUP BY 1, 2 HAVING sum(cents) <> 0 ORDER BY 1, 2
        ON CONFLICT (merchant_id, status) DO UPDATE SET cents = s.cents + excluded.cents;
        RETURN NULL;
    END $$;

CREATE OR REPLACE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
            SELECT merchant_id, status, count(*), sum(CASE WHEN currency = 'ZAR' THEN total_cents ELSE 0 END)
            FROM newer GROUP BY 1, 2;
        ELSIF TG_OP = 'DELETE' THEN
            INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
            SELECT merchant_id, status, -count(*), -sum(CASE WHEN currency = 'ZAR' THEN total_cents ELSE 0 END)
            FROM older GROUP BY 1, 2;
        ELSE
            INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
            SELECT merchant_id, status, sum(d), sum(CASE WHEN currency = 'ZAR' THEN d * total_cents ELSE 0 END) FROM (
                SELECT merchant_id, status, currency, total_cents, 1 AS d FROM newer
                UNION ALL
                SELECT merchant_id, status, currency, total_cents, -1 FROM older) AS moved
            GROUP BY 1, 2
            HAVING sum(d) <> 0 OR sum(CASE WHEN currency = 'ZAR' THEN d * total_cents ELSE 0 END) <> 0;
        END IF;
        RETURN NULL;
    END $$;

CREATE OR REPLACE FUNCTION count_mandates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO mandate_count_deltas (merchant_id, kind, state, delta)
        SELECT merchant_id, kind, state, count(*) FROM newer GROUP BY 1, 2, 3;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO mandate_count_deltas (merchant_id, kind, state, delta)
        SELECT merchant_id, kind, state, -count(*) FROM older GROUP BY 1, 2, 3;
    ELSE
        INSERT INTO mandate_count_deltas (merchant_id, kind, state, delta)
        SELECT merchant_id, kind, state, sum(d) FROM (
            SELECT merchant_id, kind, state, 1 AS d FROM newer
            UNION ALL
            SELECT merchant_id, kind, state, -1 FROM older) AS moved
        GROUP BY 1, 2, 3 HAVING sum(d) <> 0;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION sum_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO ledger_day_deltas (merchant_id, day, currency, kind, brand_id, product, method, stored, sign, n, cents)
        SELECT e.merchant_id, e.day, e.currency, e.kind, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            coalesce(p.product, ''), coalesce(d.method, ''), d.token_id IS NOT NULL AND d.token_id <> e.purchase_id,
            sign(e.amount_cents)::smallint, -count(*), -sum(e.amount_cents)
        FROM older e LEFT JOIN purchases p ON p.id = e.purchase_id LEFT JOIN collections d ON d.id = e.collection_id
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO ledger_day_deltas (merchant_id, day, currency, kind, brand_id, product, method, stored, sign, n, cents)
        SELECT e.merchant_id, e.day, e.currency, e.kind, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            coalesce(p.product, ''), coalesce(d.method, ''), d.token_id IS NOT NULL AND d.token_id <> e.purchase_id,
            sign(e.amount_cents)::smallint, count(*), sum(e.amount_cents)
        FROM newer e LEFT JOIN purchases p ON p.id = e.purchase_id LEFT JOIN collections d ON d.id = e.collection_id
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION sum_debits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO debit_day_deltas (merchant_id, state, day, at, currency, brand_id, method, stored, n, cents)
        SELECT merchant_id, state, action_date, debit_day_at(state, submit_at, provisional_at), currency, brand_id, method,
            token_id <> purchase_id, count(*), sum(amount_cents)
        FROM newer GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO debit_day_deltas (merchant_id, state, day, at, currency, brand_id, method, stored, n, cents)
        SELECT merchant_id, state, action_date, debit_day_at(state, submit_at, provisional_at), currency, brand_id, method,
            token_id <> purchase_id, -count(*), -sum(amount_cents)
        FROM older GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
    ELSE
        INSERT INTO debit_day_deltas (merchant_id, state, day, at, currency, brand_id, method, stored, n, cents)
        SELECT merchant_id, state, action_date, debit_day_at(state, submit_at, provisional_at), currency, brand_id, method,
            token_id <> purchase_id, sum(d), sum(d * amount_cents)
        FROM (SELECT *, 1 AS d FROM newer UNION ALL SELECT *, -1 FROM older) AS moved
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(d) <> 0 OR sum(d * amount_cents) <> 0;
    END IF;
    RETURN NULL;
END $$;

-- fold_figures adds up to "most" differences of each kind to the sums, works off as many notes, and tells how many
-- there were. One process folds at a time.
CREATE OR REPLACE FUNCTION fold_figures(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
    many bigint;
    r record;
    before figure_sweep;
    now_seen pg_snapshot;
    fresh boolean := pg_current_xact_id_if_assigned() IS NULL;
    merchants uuid[];
    objects uuid[];
    days date[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(7316214125) THEN
        RETURN 0;
    END IF;
    now_seen := pg_current_snapshot(); -- before this transaction has a number of its own

    WITH gone AS (DELETE FROM ledger_day_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM ledger_day_deltas LIMIT most)) RETURNING *),
    by_day AS (
        INSERT INTO ledger_days AS l
        SELECT merchant_id, day, currency, kind, brand_id, product, method, stored, sign, sum(n), sum(cents)
        FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
        ON CONFLICT (merchant_id, day, currency, kind, brand_id, product, method, stored, sign)
        DO UPDATE SET n = l.n + excluded.n, cents = l.cents + excluded.cents),
    by_month AS (
        INSERT INTO ledger_months AS l
        SELECT merchant_id, date_trunc('month', day::timestamp)::date, currency, kind, brand_id, product, method, stored, sign, sum(n), sum(cents)
        FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
        ON CONFLICT (merchant_id, day, currency, kind, brand_id, product, method, stored, sign)
        DO UPDATE SET n = l.n + excluded.n, cents = l.cents + excluded.cents)
    SELECT count(*) INTO folded FROM gone;

    -- What nothing stands in any more leaves no row, so that what is under way stays few.
    FOR r IN WITH gone AS (DELETE FROM debit_day_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM debit_day_deltas LIMIT most)) RETURNING *),
        by_day AS (
            INSERT INTO debit_days AS d
            SELECT merchant_id, state, day, at, currency, brand_id, method, stored, sum(n), sum(cents)
            FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
            ON CONFLICT (merchant_id, state, day, at, currency, brand_id, method, stored)
            DO UPDATE SET n = d.n + excluded.n, cents = d.cents + excluded.cents
            RETURNING *)
        SELECT counted.gone, b.* FROM (SELECT count(*) AS gone FROM gone) counted
            LEFT JOIN by_day b ON b.n = 0 AND b.cents = 0
    LOOP
        many := r.gone;
        DELETE FROM debit_days d WHERE (d.merchant_id, d.state, d.day, d.at, d.currency, d.brand_id, d.method, d.stored)
            = (r.merchant_id, r.state, r.day, r.at, r.currency, r.brand_id, r.method, r.stored);
    END LOOP;
    folded := folded + many;

    folded := folded + fold_parts(most);
    SELECT * INTO before FROM figure_sweep;
    IF NOT fresh OR NOT EXISTS (SELECT FROM attention_changes) AND NOT EXISTS (SELECT FROM bank_day_changes) THEN
        RETURN folded;
    END IF;
    IF before.ends < pg_snapshot_xmax(now_seen) THEN -- else it is of another server, of which this is a copy
        IF pg_snapshot_xmin(now_seen) < before.ends THEN
            RETURN folded; -- what was under way last time still is
        END IF;
        WITH gone AS (DELETE FROM attention_changes WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM attention_changes WHERE is_settled(xact, before.seen) LIMIT most)) RETURNING merchant_id, object_id),
        once AS (SELECT DISTINCT merchant_id, object_id FROM gone)
        SELECT array_agg(merchant_id), array_agg(object_id), (SELECT count(*) FROM gone) INTO merchants, objects, many FROM once;
        folded := folded + many;
        DELETE FROM attention a USING unnest(merchants, objects) AS c (merchant_id, object_id)
            WHERE a.merchant_id = c.merchant_id AND a.object_id = c.object_id;
        INSERT INTO attention
            SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id
            FROM unnest(merchants, objects) AS c (merchant_id, object_id) CROSS JOIN LATERAL (
                SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = c.merchant_id OFFSET 0) f;

        WITH gone AS (DELETE FROM bank_day_changes WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM bank_day_changes WHERE is_settled(xact, before.seen) LIMIT most)) RETURNING merchant_id, day),
        once AS (SELECT DISTINCT merchant_id, day FROM gone)
        SELECT array_agg(merchant_id), array_agg(day), (SELECT count(*) FROM gone) INTO merchants, days, many FROM once;
        folded := folded + many;
        DELETE FROM bank_days b USING unnest(merchants, days) AS c (merchant_id, day)
            WHERE b.merchant_id = c.merchant_id AND b.day = c.day;
        INSERT INTO bank_days
            SELECT f.* FROM unnest(merchants, days) AS c (merchant_id, day) CROSS JOIN LATERAL (
                SELECT * FROM bank_day_facts d WHERE d.merchant_id = c.merchant_id AND d.day = c.day OFFSET 0) f;
    END IF;
    UPDATE figure_sweep SET seen = now_seen, ends = pg_current_xact_id();
    RETURN folded;
END $$;

-- check_figures compares every figure with the facts, in one moment, and gives what differs: nothing when all is well.
CREATE OR REPLACE FUNCTION check_figures() RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text)
    LANGUAGE sql STABLE AS $$
    SELECT * FROM check_parts()
    UNION ALL
    SELECT 'ledger', d.merchant_id, concat_ws(' ', day, currency, kind, brand_id, product, method, stored, sign),
        sum(n) FILTER (WHERE is_kept) || ' / ' || sum(cents) FILTER (WHERE is_kept),
        sum(n) FILTER (WHERE NOT is_kept) || ' / ' || sum(cents) FILTER (WHERE NOT is_kept)
    FROM (
        SELECT merchant_id, day, currency, kind, brand_id, product, method, stored, sign, n, cents, true AS is_kept FROM ledger_days
        UNION ALL SELECT merchant_id, day, currency, kind, brand_id, product, method, stored, sign, n, cents, true FROM ledger_day_deltas
        UNION ALL SELECT *, false FROM ledger_day_facts) d
    GROUP BY merchant_id, day, currency, kind, brand_id, product, method, stored, sign
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_kept THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'ledger months', d.merchant_id, concat_ws(' ', day, currency, kind, brand_id, product, method, stored, sign),
        sum(n) FILTER (WHERE is_kept) || ' / ' || sum(cents) FILTER (WHERE is_kept),
        sum(n) FILTER (WHERE NOT is_kept) || ' / ' || sum(cents) FILTER (WHERE NOT is_kept)
    FROM (
        SELECT *, true AS is_kept FROM ledger_months
        UNION ALL SELECT merchant_id, date_trunc('month', day::timestamp)::date, currency, kind, brand_id, product, method, stored, sign, n, cents, false
        FROM ledger_days) d
    GROUP BY merchant_id, day, currency, kind, brand_id, product, method, stored, sign
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_kept THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'debits', d.merchant_id, concat_ws(' ', day, state, at, currency, brand_id, method, stored),
        sum(n) FILTER (WHERE is_kept) || ' / ' || sum(cents) FILTER (WHERE is_kept),
        sum(n) FILTER (WHERE NOT is_kept) || ' / ' || sum(cents) FILTER (WHERE NOT is_kept)
    FROM (
        SELECT merchant_id, state, day, at, currency, brand_id, method, stored, n, cents, true AS is_kept FROM debit_days
        UNION ALL SELECT merchant_id, state, day, at, currency, brand_id, method, stored, n, cents, true FROM debit_day_deltas
        UNION ALL SELECT *, false FROM debit_day_facts) d
    GROUP BY merchant_id, state, day, at, currency, brand_id, method, stored
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_kept THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'attention', coalesce(a.merchant_id, f.merchant_id), coalesce(a.kind, f.kind) || ' ' || coalesce(a.object_id, f.object_id),
        a::text, f::text
    FROM attention a FULL JOIN (SELECT * FROM attention_facts
            WHERE kind <> 'mail' OR at > now() - interval '35 days') f
        ON (f.merchant_id, f.kind, f.object_id) = (a.merchant_id, a.kind, a.object_id)
    WHERE (a.at, a.answered, a.cents, a.currency, a.hidden_until, a.owner_id)
            IS DISTINCT FROM (f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id)
        AND (a.kind IS NULL OR a.kind <> 'mail' OR a.at > now() - interval '35 days')
        AND coalesce(a.object_id, f.object_id) NOT IN (SELECT object_id FROM attention_changes)
    UNION ALL
    SELECT 'attention counts', coalesce(c.merchant_id, f.merchant_id),
        concat_ws(' ', coalesce(c.kind, f.kind), coalesce(c.day, f.day), coalesce(c.owner_id, f.owner_id),
            coalesce(c.hidden_until, f.hidden_until)), c.n || ' / ' || c.cents, f.n || ' / ' || f.cents
    FROM attention_counts c FULL JOIN attention_count_facts f ON (f.merchant_id, f.day, f.kind, f.owner_id, f.hidden_until)
        = (c.merchant_id, c.day, c.kind, c.owner_id, c.hidden_until)
    WHERE (c.n, c.cents) IS DISTINCT FROM (f.n, f.cents)
    UNION ALL
    SELECT 'bank days', coalesce(b.merchant_id, f.merchant_id), coalesce(b.day, f.day)::text, b::text, f::text
    FROM bank_days b FULL JOIN bank_day_facts f ON (f.merchant_id, f.day) = (b.merchant_id, b.day)
    WHERE b::text IS DISTINCT FROM f::text
        AND (coalesce(b.merchant_id, f.merchant_id), coalesce(b.day, f.day)) NOT IN (SELECT c.merchant_id, c.day FROM bank_day_changes c)
$$;

-- rebuild_figures computes every figure anew. What it finds wrong it corrects by a difference, as any other change does,
-- so that it holds up nobody and nothing is lost that happens meanwhile.
CREATE OR REPLACE FUNCTION rebuild_figures() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7316214125);
    INSERT INTO ledger_day_deltas (merchant_id, day, currency, kind, brand_id, product, method, stored, sign, n, cents)
    SELECT merchant_id, day, currency, kind, brand_id, product, method, stored, sign, sum(n), sum(cents) FROM (
        SELECT merchant_id, day, currency, kind, brand_id, product, method, stored, sign, -n AS n, -cents AS cents FROM ledger_days
        UNION ALL SELECT merchant_id, day, currency, kind, brand_id, product, method, stored, sign, -n, -cents FROM ledger_day_deltas
        UNION ALL SELECT * FROM ledger_day_facts) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 HAVING sum(n) <> 0 OR sum(cents) <> 0;
    DELETE FROM ledger_months;
    INSERT INTO ledger_months
    SELECT merchant_id, date_trunc('month', day::timestamp)::date, currency, kind, brand_id, product, method, stored, sign, sum(n), sum(cents)
    FROM ledger_days GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

    INSERT INTO debit_day_deltas (merchant_id, state, day, at, currency, brand_id, method, stored, n, cents)
    SELECT merchant_id, state, day, at, currency, brand_id, method, stored, sum(n), sum(cents) FROM (
        SELECT merchant_id, state, day, at, currency, brand_id, method, stored, -n AS n, -cents AS cents FROM debit_days
        UNION ALL SELECT merchant_id, state, day, at, currency, brand_id, method, stored, -n, -cents FROM debit_day_deltas
        UNION ALL SELECT * FROM debit_day_facts) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(n) <> 0 OR sum(cents) <> 0;

    CREATE TEMP TABLE IF NOT EXISTS attention_anew (LIKE attention) ON COMMIT DROP;
    INSERT INTO attention_anew SELECT * FROM attention_facts;
    DELETE FROM attention a USING (SELECT * FROM attention EXCEPT SELECT * FROM attention_anew) x
        WHERE (a.merchant_id, a.object_id, a.kind) = (x.merchant_id, x.object_id, x.kind);
    INSERT INTO attention SELECT * FROM attention_anew EXCEPT SELECT * FROM attention;

    CREATE TEMP TABLE IF NOT EXISTS bank_days_anew (LIKE bank_days) ON COMMIT DROP;
    INSERT INTO bank_days_anew SELECT * FROM bank_day_facts;
    DELETE FROM bank_days b USING (SELECT * FROM bank_days EXCEPT SELECT * FROM bank_days_anew) x
        WHERE (b.merchant_id, b.day) = (x.merchant_id, x.day);
    INSERT INTO bank_days SELECT * FROM bank_days_anew EXCEPT SELECT * FROM bank_days;
    DROP TABLE attention_anew, bank_days_anew;
    DELETE FROM attention_counts;
    INSERT INTO attention_counts (merchant_id, day, kind, owner_id, hidden_until, n, cents)
    SELECT merchant_id, day, kind, owner_id, hidden_until, n, cents FROM attention_count_facts;
    PERFORM rebuild_parts();
    PERFORM fold_figures(2147483647);
END $$;

CREATE OR REPLACE FUNCTION count_storing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND NEW.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
    END IF;
    IF TG_OP <> 'INSERT' AND OLD.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (OLD.merchant_id, OLD.status, -1);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_billed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO billing_group_deltas (merchant_id, next_at, template_id, status, month_day, remaining, price, override, n)
    SELECT s.merchant_id, s.next_at, s.template_id, s.status, extract(day FROM s.anchor)::smallint,
        coalesce(t.cycles - s.passed, -1), coalesce(md5(s.override::text), ''), s.override, s.d
    FROM (SELECT OLD.merchant_id, OLD.next_at, OLD.template_id, OLD.status, OLD.anchor, OLD.passed, OLD.override, -1 AS d
            WHERE TG_OP <> 'INSERT'
        UNION ALL SELECT NEW.merchant_id, NEW.next_at, NEW.template_id, NEW.status, NEW.anchor, NEW.passed, NEW.override, 1
            WHERE TG_OP <> 'DELETE') s
        JOIN billing_templates t ON t.id = s.template_id
    WHERE s.next_at IS NOT NULL AND s.anchor IS NOT NULL AND s.status <> 'inactive';
    RETURN NULL;
END $$;

CREATE OR REPLACE VIEW billing_group_facts AS
    SELECT s.merchant_id, s.next_at, s.template_id, s.status, extract(day FROM s.anchor)::smallint AS month_day,
        coalesce(t.cycles - s.passed, -1) AS remaining, coalesce(md5(s.override::text), '') AS price, count(*) AS n
    FROM template_clients s JOIN billing_templates t ON t.id = s.template_id
    WHERE s.next_at IS NOT NULL AND s.anchor IS NOT NULL AND s.status <> 'inactive'
    GROUP BY 1, 2, 3, 4, 5, 6, 7;

CREATE OR REPLACE VIEW debit_day_facts AS
    SELECT merchant_id, state, action_date AS day, debit_day_at(state, submit_at, provisional_at) AS at, currency,
        brand_id, method, token_id <> purchase_id AS stored, count(*) AS n, sum(amount_cents) AS cents
    FROM collections GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

CREATE OR REPLACE VIEW ledger_day_facts AS
    SELECT e.merchant_id, e.day, e.currency, e.kind,
        coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000') AS brand_id, coalesce(p.product, '') AS product,
        coalesce(d.method, '') AS method, d.token_id IS NOT NULL AND d.token_id <> e.purchase_id AS stored,
        sign(e.amount_cents)::smallint AS sign, count(*) AS n, sum(e.amount_cents) AS cents
    FROM ledger_entries e LEFT JOIN purchases p ON p.id = e.purchase_id LEFT JOIN collections d ON d.id = e.collection_id
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- What debits come to by day is kept in two tables: sums, and the changes that are not folded into them yet. Who reads
-- them asks for both together, here.
CREATE OR REPLACE VIEW debit_sums AS
    SELECT merchant_id, state, day, at, currency, brand_id, method, stored, n, cents FROM debit_days
    UNION ALL
    SELECT merchant_id, state, day, at, currency, brand_id, method, stored, n, cents FROM debit_day_deltas;

CREATE OR REPLACE TRIGGER keep_sums AFTER DELETE ON purchase_count_deltas REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_purchase_sums();
CREATE OR REPLACE TRIGGER count_gone AFTER DELETE ON purchases REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION count_purchases();
CREATE OR REPLACE TRIGGER count_moved AFTER UPDATE ON purchases REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_purchases();
CREATE OR REPLACE TRIGGER count_gone AFTER DELETE ON mandates REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION count_mandates();
CREATE OR REPLACE TRIGGER count_moved AFTER UPDATE ON mandates REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_mandates();
CREATE OR REPLACE TRIGGER count_new AFTER INSERT ON mandates REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_mandates();
CREATE OR REPLACE TRIGGER sum_gone AFTER DELETE ON ledger_entries REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();
CREATE OR REPLACE TRIGGER sum_moved AFTER UPDATE ON ledger_entries REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();
CREATE OR REPLACE TRIGGER sum_new AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();
CREATE OR REPLACE TRIGGER sum_gone AFTER DELETE ON collections REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION sum_debits();
CREATE OR REPLACE TRIGGER sum_moved AFTER UPDATE ON collections REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_debits();
CREATE OR REPLACE TRIGGER count_storing_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN (OLD.total_cents = 0) EXECUTE FUNCTION count_storing();
CREATE OR REPLACE TRIGGER count_billed_gone AFTER DELETE ON template_clients FOR EACH ROW
    WHEN (OLD.next_at IS NOT NULL) EXECUTE FUNCTION count_billed();
CREATE OR REPLACE TRIGGER count_billed_moved AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN ((OLD.next_at, OLD.template_id, OLD.status, OLD.anchor, OLD.passed, OLD.override)
        IS DISTINCT FROM (NEW.next_at, NEW.template_id, NEW.status, NEW.anchor, NEW.passed, NEW.override))
    EXECUTE FUNCTION count_billed();
CREATE OR REPLACE TRIGGER count_billed_new AFTER INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.next_at IS NOT NULL) EXECUTE FUNCTION count_billed();
