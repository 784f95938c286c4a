-- What the bank's answers come to by what the debits have in common: the bank, the template, the age of the mandate, and
-- why they failed.

-- How a debit in this state went, as models/collection tells it; null where the bank has not answered, or the debit was
-- withdrawn.
CREATE OR REPLACE FUNCTION debit_outcome(state text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN state IN ('provisional', 'successful', 'final') THEN 'collected' WHEN state = 'unpaid' THEN 'failed'
        WHEN state IN ('disputed', 'dispute_won', 'dispute_lost') THEN 'disputed' END $$;

-- The universal code of a branch's bank, as models/bank finds it; any other code is its own.
CREATE OR REPLACE FUNCTION universal_branch(code text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN code ~ '^2[0-9]{5}$' THEN '250655' ELSE code END $$;

-- The bank's code of a debit that did not pay.
CREATE OR REPLACE FUNCTION failure_code(state text, code text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN debit_outcome(state) IN ('failed', 'disputed') THEN code ELSE '' END $$;

-- How old a mandate was on the day of a debit: the first debit planned under it, however that went, or the time since
-- the client gave it.
CREATE OR REPLACE FUNCTION mandate_age(is_first boolean, given date, day date) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN is_first THEN 'first' WHEN day < given + interval '3 months' THEN 'months'
        WHEN day < given + interval '1 year' THEN 'year' ELSE 'older' END $$;

-- note_traits notes what is added to the sums by an answer, or taken off. A debit that stays what it was to them leaves
-- no note.
CREATE OR REPLACE FUNCTION note_traits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO debit_trait_deltas (merchant_id, day, outcome, currency, brand_id, method, bank, template, age, code, n, cents)
    SELECT c.merchant_id, c.action_date, c.outcome, c.currency, c.brand_id, c.method,
        universal_branch(m.bank_code), coalesce(p.template_id::text, ''),
        mandate_age(NOT EXISTS (SELECT FROM collections f WHERE f.mandate_id = c.mandate_id AND f.id < c.id),
            sast_day(m.consent_at), c.action_date), c.code, sum(c.d), sum(c.d * c.amount_cents)
    FROM (SELECT id, merchant_id, mandate_id, purchase_id, action_date, debit_outcome(state) AS outcome, currency, brand_id,
            method, amount_cents, failure_code(state, result_code) AS code, sum(d) AS d
        FROM (SELECT *, 1 AS d FROM newer UNION ALL SELECT *, -1 FROM older) AS moved
        WHERE debit_outcome(state) IS NOT NULL
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 HAVING sum(d) <> 0) c
        JOIN mandates m ON m.id = c.mandate_id JOIN purchases p ON p.id = c.purchase_id
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 HAVING sum(c.d) <> 0 OR sum(c.d * c.amount_cents) <> 0;
    RETURN NULL;
END $$;

-- A debit that comes with its answer, from a copy or another system.
CREATE OR REPLACE FUNCTION note_answered_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO debit_trait_deltas (merchant_id, day, outcome, currency, brand_id, method, bank, template, age, code, n, cents)
    SELECT merchant_id, day, outcome, currency, brand_id, method, bank, template, age, code, 1, cents
    FROM debit_traits WHERE id = NEW.id;
    RETURN NULL;
END $$;

-- Debits that go: all those of their mandates at once.
CREATE OR REPLACE FUNCTION note_traits_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO debit_trait_deltas (merchant_id, day, outcome, currency, brand_id, method, bank, template, age, code, n, cents)
    SELECT c.merchant_id, c.action_date, debit_outcome(c.state), c.currency, c.brand_id, c.method,
        universal_branch(m.bank_code), coalesce(p.template_id::text, ''),
        mandate_age(c.is_first, sast_day(m.consent_at), c.action_date), failure_code(c.state, c.result_code), -count(*),
        -sum(c.amount_cents)
    FROM (SELECT *, id = first_value(id) OVER (PARTITION BY mandate_id ORDER BY id) AS is_first FROM older) c
        JOIN mandates m ON m.id = c.mandate_id JOIN purchases p ON p.id = c.purchase_id
    WHERE debit_outcome(c.state) IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
    RETURN NULL;
END $$;

-- The bank of a mandate, or the day on which it was given, has changed: the debits under it belong elsewhere.
CREATE OR REPLACE FUNCTION note_mandate_traits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO debit_trait_deltas (merchant_id, day, outcome, currency, brand_id, method, bank, template, age, code, n, cents)
    SELECT t.merchant_id, t.day, t.outcome, t.currency, t.brand_id, t.method, universal_branch(x.bank_code), t.template,
        mandate_age(t.is_first, sast_day(x.consent_at), t.day), t.code, x.d, x.d * t.cents
    FROM debit_traits t CROSS JOIN (VALUES (OLD.bank_code, OLD.consent_at, -1), (NEW.bank_code, NEW.consent_at, 1))
        AS x (bank_code, consent_at, d)
    WHERE t.mandate_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION fold_traits(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
BEGIN
    IF EXISTS (SELECT FROM debit_traits_due) THEN
        PERFORM rebuild_traits();
        DELETE FROM debit_traits_due;
    END IF;
    WITH gone AS (DELETE FROM debit_trait_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM debit_trait_deltas LIMIT most)) RETURNING *),
    by_day AS (
        INSERT INTO debit_trait_days AS d
        SELECT g.merchant_id, t.trait || p.period, p.day, g.outcome, t.value, g.currency, g.brand_id, g.method, sum(g.n), sum(g.cents)
        FROM gone g CROSS JOIN LATERAL (VALUES ('bank', g.bank), ('template', g.template), ('age', g.age), ('code', g.code)) AS t (trait, value)
            CROSS JOIN LATERAL (VALUES ('', g.day), (' by month', date_trunc('month', g.day::timestamp)::date)) AS p (period, day)
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
        ON CONFLICT (merchant_id, trait, day, outcome, value, currency, brand_id, method)
        DO UPDATE SET n = d.n + excluded.n, cents = d.cents + excluded.cents)
    SELECT count(*) INTO folded FROM gone;
    RETURN folded;
END $$;

CREATE OR REPLACE FUNCTION check_traits() RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text)
    LANGUAGE sql STABLE AS $$
    SELECT 'answers by what debits have in common', d.merchant_id,
        concat_ws(' ', day, outcome, trait, value, currency, brand_id, method),
        sum(n) FILTER (WHERE is_kept) || ' / ' || sum(cents) FILTER (WHERE is_kept),
        sum(n) FILTER (WHERE NOT is_kept) || ' / ' || sum(cents) FILTER (WHERE NOT is_kept)
    FROM (SELECT *, true AS is_kept FROM debit_trait_sums UNION ALL SELECT *, false FROM debit_trait_facts) d
    WHERE NOT EXISTS (SELECT FROM debit_traits_due)
    GROUP BY merchant_id, trait, day, outcome, value, currency, brand_id, method
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_kept THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'answers by what debits have in common', d.merchant_id,
        concat_ws(' ', month, outcome, trait, value, currency, brand_id, method),
        sum(n) FILTER (WHERE is_month) || ' / ' || sum(cents) FILTER (WHERE is_month),
        sum(n) FILTER (WHERE NOT is_month) || ' / ' || sum(cents) FILTER (WHERE NOT is_month)
    FROM (SELECT k.merchant_id, replace(trait, ' by month', '') AS trait, date_trunc('month', day::timestamp)::date AS month, outcome,
            value, currency, brand_id, method, n, cents, trait LIKE '% by month' AS is_month FROM debit_trait_days k) d
    GROUP BY merchant_id, trait, month, outcome, value, currency, brand_id, method
    HAVING sum(CASE WHEN is_month THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_month THEN cents ELSE -cents END) <> 0
$$;

-- rebuild_traits corrects the sums by what the facts have beyond them and the notes. One statement sees all three, and
-- only who folds changes the sums.
CREATE OR REPLACE FUNCTION rebuild_traits() RETURNS void LANGUAGE sql AS $$
    INSERT INTO debit_trait_days AS d
    SELECT merchant_id, trait, day, outcome, value, currency, brand_id, method, sum(n), sum(cents) FROM (
        SELECT * FROM debit_trait_facts
        UNION ALL SELECT merchant_id, trait, day, outcome, value, currency, brand_id, method, -n, -cents FROM debit_trait_sums) AS parts
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(n) <> 0 OR sum(cents) <> 0
    ON CONFLICT (merchant_id, trait, day, outcome, value, currency, brand_id, method)
    DO UPDATE SET n = d.n + excluded.n, cents = d.cents + excluded.cents;
    DELETE FROM debit_trait_days WHERE trait LIKE '% by month';
    INSERT INTO debit_trait_days
    SELECT merchant_id, trait || ' by month', date_trunc('month', day::timestamp)::date, outcome, value, currency, brand_id,
        method, sum(n), sum(cents)
    FROM debit_trait_days GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 $$;

-- Each debit that the bank has answered, with what it has in common with others.
CREATE OR REPLACE VIEW debit_traits AS
    SELECT c.id, c.merchant_id, c.mandate_id, c.action_date AS day, debit_outcome(c.state) AS outcome, c.currency, c.brand_id,
        c.method, universal_branch(m.bank_code) AS bank, coalesce(p.template_id::text, '') AS template,
        mandate_age(f.is_first, sast_day(m.consent_at), c.action_date) AS age, f.is_first, c.amount_cents AS cents,
        failure_code(c.state, c.result_code) AS code
    FROM collections c JOIN mandates m ON m.id = c.mandate_id JOIN purchases p ON p.id = c.purchase_id
        CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM collections e WHERE e.mandate_id = c.mandate_id AND e.id < c.id)
            AS is_first) f
    WHERE debit_outcome(c.state) IS NOT NULL;

CREATE OR REPLACE VIEW debit_trait_facts AS
    SELECT d.merchant_id, t.trait, d.day, d.outcome, t.value, d.currency, d.brand_id, d.method, count(*) AS n,
        sum(d.cents) AS cents
    FROM debit_traits d CROSS JOIN LATERAL (VALUES ('bank', d.bank), ('template', d.template), ('age', d.age), ('code', d.code)) AS t (trait, value)
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

-- What is noted and not folded yet.
CREATE OR REPLACE VIEW debit_trait_notes AS
    SELECT g.merchant_id, t.trait, g.day, g.outcome, t.value, g.currency, g.brand_id, g.method, g.n, g.cents
    FROM debit_trait_deltas g CROSS JOIN LATERAL (VALUES ('bank', g.bank), ('template', g.template), ('age', g.age), ('code', g.code))
        AS t (trait, value);

-- The sums of days, and the notes that are not folded into them yet. Who reads them asks for both together, here.
CREATE OR REPLACE VIEW debit_trait_sums AS
    SELECT merchant_id, trait, day, outcome, value, currency, brand_id, method, n, cents FROM debit_trait_days
    WHERE trait NOT LIKE '% by month'
    UNION ALL
    SELECT merchant_id, trait, day, outcome, value, currency, brand_id, method, n, cents FROM debit_trait_notes;

CREATE OR REPLACE TRIGGER note_traits AFTER UPDATE ON collections REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION note_traits();
CREATE OR REPLACE TRIGGER note_traits_gone AFTER DELETE ON collections REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION note_traits_gone();
CREATE OR REPLACE TRIGGER note_answered_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.state NOT IN ('scheduled', 'submitted', 'in_tracking', 'cancelled', 'recalled'))
    EXECUTE FUNCTION note_answered_new();
CREATE OR REPLACE TRIGGER note_traits_moved AFTER UPDATE ON mandates FOR EACH ROW
    WHEN ((OLD.bank_code, OLD.consent_at) IS DISTINCT FROM (NEW.bank_code, NEW.consent_at))
    EXECUTE FUNCTION note_mandate_traits();
