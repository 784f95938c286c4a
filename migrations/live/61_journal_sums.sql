-- What the entries of the journal come to, by day and by month. Entries do not change, and go only when an import is
-- undone, so that a sum is what was added and taken off.

-- The roles in which an entry has an amount, and '' for the entry.
CREATE OR REPLACE FUNCTION journal_roles(ar bigint, clr bigint, bank bigint, rev bigint, vato bigint, vatd bigint, fee bigint,
    refp bigint, unap bigint, bad bigint, rec bigint, open bigint, vati bigint, ret bigint) RETURNS TABLE (role text, cents bigint) LANGUAGE sql IMMUTABLE AS $$
    SELECT * FROM (VALUES ('', 0::bigint), ('ar', ar), ('clr', clr),
        ('bank', bank), ('rev', rev), ('vato', vato), ('vatd', vatd), ('fee', fee),
        ('refp', refp), ('unap', unap), ('bad', bad), ('rec', rec), ('open', open), ('vati', vati), ('ret', ret)) AS r (role, cents)
    WHERE r.role = '' OR r.cents <> 0 $$;

CREATE OR REPLACE FUNCTION note_journal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO journal_day_deltas (merchant_id, day, currency, brand_id, kind, role, n, cents)
    SELECT e.merchant_id, e.day, e.currency, e.brand_id, e.kind, r.role, sign * count(*), sign * sum(r.cents)
    FROM changed e CROSS JOIN LATERAL journal_roles(e.ar, e.clr, e.bank, e.rev, e.vato, e.vatd, e.fee,
        e.refp, e.unap, e.bad, e.rec, e.open, e.vati, e.ret) r
    GROUP BY 1, 2, 3, 4, 5, 6;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION fold_journal(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
BEGIN
    IF EXISTS (SELECT FROM journal_sums_due) THEN
        PERFORM rebuild_journal_sums();
        DELETE FROM journal_sums_due;
    END IF;
    WITH gone AS (DELETE FROM journal_day_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM journal_day_deltas LIMIT most)) RETURNING *),
    by_day AS (
        INSERT INTO journal_days AS k
        SELECT merchant_id, day, currency, brand_id, kind, role, sum(n), sum(cents) FROM gone GROUP BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (merchant_id, day, currency, brand_id, kind, role)
        DO UPDATE SET n = k.n + excluded.n, cents = k.cents + excluded.cents),
    by_month AS (
        INSERT INTO journal_months AS k
        SELECT merchant_id, date_trunc('month', day::timestamp)::date, currency, brand_id, kind, role, sum(n), sum(cents)
        FROM gone GROUP BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (merchant_id, day, currency, brand_id, kind, role)
        DO UPDATE SET n = k.n + excluded.n, cents = k.cents + excluded.cents)
    SELECT count(*) INTO folded FROM gone;
    RETURN folded;
END $$;

CREATE OR REPLACE FUNCTION check_journal_sums() RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text)
    LANGUAGE sql STABLE AS $$
    SELECT 'sums of the journal', d.merchant_id, concat_ws(' ', day, currency, brand_id, kind, role),
        sum(n) FILTER (WHERE is_kept) || ' / ' || sum(cents) FILTER (WHERE is_kept),
        sum(n) FILTER (WHERE NOT is_kept) || ' / ' || sum(cents) FILTER (WHERE NOT is_kept)
    FROM (SELECT *, true AS is_kept FROM journal_day_sums UNION ALL SELECT *, false FROM journal_day_facts) d
    WHERE NOT EXISTS (SELECT FROM journal_sums_due)
    GROUP BY merchant_id, day, currency, brand_id, kind, role
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_kept THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'sums of the journal', d.merchant_id, concat_ws(' ', month, currency, brand_id, kind, role),
        sum(n) FILTER (WHERE is_month) || ' / ' || sum(cents) FILTER (WHERE is_month),
        sum(n) FILTER (WHERE NOT is_month) || ' / ' || sum(cents) FILTER (WHERE NOT is_month)
    FROM (SELECT k.merchant_id, k.day AS month, currency, brand_id, kind, role, n, cents, true AS is_month FROM journal_months k
        UNION ALL SELECT k.merchant_id, date_trunc('month', k.day::timestamp)::date, currency, brand_id, kind, role, n, cents,
            false FROM journal_days k) d
    GROUP BY merchant_id, month, currency, brand_id, kind, role
    HAVING sum(CASE WHEN is_month THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_month THEN cents ELSE -cents END) <> 0
$$;

-- rebuild_journal_sums corrects the sums by what the entries have beyond them and the notes. One statement sees all
-- three, and only who folds changes the sums.
CREATE OR REPLACE FUNCTION rebuild_journal_sums() RETURNS void LANGUAGE sql AS $$
    INSERT INTO journal_days AS k
    SELECT merchant_id, day, currency, brand_id, kind, role, sum(n), sum(cents) FROM (
        SELECT * FROM journal_day_facts
        UNION ALL SELECT merchant_id, day, currency, brand_id, kind, role, -n, -cents FROM journal_day_sums) d
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(n) <> 0 OR sum(cents) <> 0
    ON CONFLICT (merchant_id, day, currency, brand_id, kind, role)
    DO UPDATE SET n = k.n + excluded.n, cents = k.cents + excluded.cents;
    DELETE FROM journal_months;
    INSERT INTO journal_months
    SELECT merchant_id, date_trunc('month', day::timestamp)::date, currency, brand_id, kind, role, sum(n), sum(cents)
    FROM journal_days GROUP BY 1, 2, 3, 4, 5, 6 $$;

CREATE OR REPLACE VIEW journal_day_facts AS
    SELECT e.merchant_id, e.day, e.currency, e.brand_id, e.kind, r.role, count(*) AS n, sum(r.cents) AS cents
    FROM journal_entries e CROSS JOIN LATERAL journal_roles(e.ar, e.clr, e.bank, e.rev, e.vato, e.vatd, e.fee,
        e.refp, e.unap, e.bad, e.rec, e.open, e.vati, e.ret) r
    GROUP BY 1, 2, 3, 4, 5, 6;

CREATE OR REPLACE VIEW journal_day_sums AS
    SELECT merchant_id, day, currency, brand_id, kind, role, n, cents FROM journal_days
    UNION ALL SELECT merchant_id, day, currency, brand_id, kind, role, n, cents FROM journal_day_deltas;

CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON journal_entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_journal();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON journal_entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_journal();
