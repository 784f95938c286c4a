-- What may still be returned, and what was paid back: the parts of balances by day.

-- What was taken off a debit that may be returned, by the days on which refunds changed it: until the debit was closed.
-- Below zero for what was taken off. Without one refund, it is what stood there without it.
CREATE OR REPLACE FUNCTION refund_steps(merchant uuid, debit uuid, amount bigint, opened date, closed date, without uuid)
    RETURNS TABLE (day date, n integer, cents numeric) LANGUAGE sql STABLE AS $$
    WITH mine AS (
        SELECT greatest(sast_day(r.created_at), opened) AS made, r.amount_cents,
            CASE r.state WHEN 'dropped' THEN greatest(sast_day(r.updated_at), opened)
                WHEN 'settled' THEN greatest(sast_day(r.settled_at), opened) END AS dropped
        FROM refunds r WHERE r.merchant_id = merchant AND r.collection_id = debit AND r.id IS DISTINCT FROM without
    ), back AS (
        SELECT x.day, CASE WHEN x.day >= closed THEN 0 ELSE (SELECT least(amount, coalesce(sum(m.amount_cents), 0)) FROM mine m
            WHERE m.made <= x.day AND (m.dropped IS NULL OR m.dropped > x.day)) END AS cents
        FROM (SELECT made AS day FROM mine UNION SELECT dropped FROM mine WHERE dropped IS NOT NULL
            UNION SELECT closed WHERE closed IS NOT NULL AND EXISTS (SELECT FROM mine)) x
    )
    SELECT b.day, coalesce(lag(b.cents >= amount) OVER w, false)::int - (b.cents >= amount)::int,
        coalesce(lag(b.cents) OVER w, 0) - b.cents
    FROM back b WINDOW w AS (ORDER BY b.day) $$;

CREATE OR REPLACE FUNCTION sum_returnable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM newer WHERE provisional_at IS NOT NULL AND method = 'eft') THEN
        RETURN NULL;
    END IF;
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT c.merchant_id, 'returnable', c.action_date, e.day, c.currency, sum(c.d * e.sign), sum(c.d * e.sign * c.amount_cents)
    FROM (
        SELECT merchant_id, action_date, currency, amount_cents, provisional_at, 1 AS d,
            CASE WHEN closed_on IS NOT NULL THEN closed_on WHEN state <> 'provisional'
                THEN debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) END AS closed
        FROM newer WHERE provisional_at IS NOT NULL AND method = 'eft'
        UNION ALL
        SELECT merchant_id, action_date, currency, amount_cents, provisional_at, -1,
            CASE WHEN closed_on IS NOT NULL THEN closed_on WHEN state <> 'provisional'
                THEN debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) END
        FROM older WHERE provisional_at IS NOT NULL AND method = 'eft') c
        CROSS JOIN LATERAL (VALUES (least(sast_day(c.provisional_at), c.closed), 1), (c.closed, -1)) AS e (day, sign)
    WHERE e.day IS NOT NULL
    GROUP BY 1, 3, 4, 5 HAVING sum(c.d * e.sign) <> 0 OR sum(c.d * e.sign * c.amount_cents) <> 0;

    WITH gone AS (DELETE FROM refunded_debits r USING newer c
        WHERE r.merchant_id = c.merchant_id AND r.collection_id = c.id AND c.state <> 'provisional'
        RETURNING r.*, greatest(c.closed_on, sast_day(c.provisional_at)) AS closed_on) -- a bank's clock may be ahead of ours
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT merchant_id, 'returnable', since, closed_on, currency, count(*) FILTER (WHERE refunded_cents >= amount_cents),
        sum(least(refunded_cents, amount_cents))
    FROM gone GROUP BY 1, 3, 4, 5;
    RETURN NULL;
END $$;

-- A debit that is there with its answer from the beginning, or goes with it and with what of it went back.
CREATE OR REPLACE FUNCTION sum_answered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    c collections := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    d integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
    closed date := debit_closed_on(c.state, c.closed_on, c.updated_at, c.final_at, c.id, c.purchase_id);
    opened date := least(sast_day(c.provisional_at), closed);
BEGIN
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT c.merchant_id, 'returnable', c.action_date, e.day, c.currency, d * e.n, d * e.cents
    FROM (SELECT opened AS day, 1 AS n, c.amount_cents::numeric AS cents
        UNION ALL SELECT closed, -1, -c.amount_cents WHERE closed IS NOT NULL
        UNION ALL SELECT s.* FROM refund_steps(c.merchant_id, c.id, c.amount_cents, opened, closed, NULL) s) AS e;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM refunded_debits r WHERE r.merchant_id = c.merchant_id AND r.collection_id = c.id;
    END IF;
    RETURN NULL;
END $$;

-- A refund: what is owed, and what may be returned of its debit. Whoever changes the debit meanwhile waits, and then
-- sees the refund; or is waited for here.
CREATE OR REPLACE FUNCTION sum_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    r refunds := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    on_day date := sast_day(CASE TG_OP WHEN 'INSERT' THEN r.created_at ELSE r.updated_at END);
    debit record;
    was bigint;
    back bigint;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
        SELECT OLD.merchant_id, 'owed', e.day, e.day, OLD.currency, -e.sign, -e.sign * OLD.amount_cents
        FROM (VALUES (sast_day(OLD.created_at), 1), (CASE OLD.state WHEN 'settled' THEN sast_day(OLD.settled_at)
            WHEN 'dropped' THEN sast_day(OLD.updated_at) END, -1)) AS e (day, sign) WHERE e.day IS NOT NULL;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
        SELECT NEW.merchant_id, 'owed', e.day, e.day, NEW.currency, e.sign, e.sign * NEW.amount_cents
        FROM (VALUES (sast_day(NEW.created_at), 1), (CASE NEW.state WHEN 'settled' THEN sast_day(NEW.settled_at)
            WHEN 'dropped' THEN sast_day(NEW.updated_at) END, -1)) AS e (day, sign) WHERE e.day IS NOT NULL;
    END IF;
    IF r.collection_id IS NULL OR TG_OP = 'DELETE' THEN
        RETURN NULL;
    END IF;
    SELECT c.action_date, c.currency, c.amount_cents, sast_day(c.provisional_at) AS opened INTO debit FROM collections c
    WHERE c.id = r.collection_id AND c.merchant_id = r.merchant_id AND c.state = 'provisional' AND c.method = 'eft' FOR SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT coalesce(min(f.refunded_cents), 0) INTO was FROM refunded_debits f
    WHERE f.merchant_id = r.merchant_id AND f.collection_id = r.collection_id;
    SELECT coalesce(sum(f.amount_cents), 0) INTO back FROM refunds f
    WHERE f.merchant_id = r.merchant_id AND f.collection_id = r.collection_id AND f.state = 'pending';
    INSERT INTO refunded_debits VALUES (r.merchant_id, r.collection_id, debit.action_date, debit.currency, debit.amount_cents, back)
    ON CONFLICT (merchant_id, collection_id) DO UPDATE SET refunded_cents = back;
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT r.merchant_id, 'returnable', debit.action_date, greatest(on_day, debit.opened), debit.currency,
        (was >= debit.amount_cents)::int - (back >= debit.amount_cents)::int,
        least(was, debit.amount_cents) - least(back, debit.amount_cents)
    WHERE was <> back;
    RETURN NULL;
END $$;

-- A refund that goes: nothing was ever taken off its debit by it.
CREATE OR REPLACE FUNCTION take_refund_away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT OLD.merchant_id, 'returnable', c.action_date, s.day, c.currency, s.n, s.cents
    FROM (SELECT *, debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) AS closed FROM collections
            WHERE id = OLD.collection_id AND merchant_id = OLD.merchant_id AND method = 'eft' AND provisional_at IS NOT NULL) c
        CROSS JOIN LATERAL (
            SELECT day, -n AS n, -cents AS cents FROM refund_steps(c.merchant_id, c.id, c.amount_cents,
                least(sast_day(c.provisional_at), c.closed), c.closed, NULL)
            UNION ALL SELECT day, n, cents FROM refund_steps(c.merchant_id, c.id, c.amount_cents,
                least(sast_day(c.provisional_at), c.closed), c.closed, OLD.id)) s;
    UPDATE refunded_debits SET refunded_cents = refunded_cents - OLD.amount_cents
    WHERE merchant_id = OLD.merchant_id AND collection_id = OLD.collection_id AND OLD.state = 'pending';
    RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION fold_parts(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
    many bigint;
BEGIN
    WITH gone AS (DELETE FROM part_day_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM part_day_deltas LIMIT most)) RETURNING *),
    by_day AS (
        INSERT INTO part_days AS p
        SELECT merchant_id, part, since, day, currency, sum(n), sum(cents) FROM (
            SELECT merchant_id, part, since, day, currency, n, cents FROM gone
            UNION ALL SELECT merchant_id, 'owed by month', date_trunc('month', day::timestamp)::date,
                date_trunc('month', day::timestamp)::date, currency, n, cents FROM gone WHERE part = 'owed') AS parts
        GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (merchant_id, part, since, day, currency)
        DO UPDATE SET n = p.n + excluded.n, cents = p.cents + excluded.cents)
    SELECT count(*) INTO folded FROM gone;

    WITH gone AS (DELETE FROM billing_group_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM billing_group_deltas LIMIT most)) RETURNING *),
    kept AS (
        INSERT INTO billing_groups AS g
        SELECT merchant_id, next_at, template_id, status, month_day, remaining, price, (array_agg(override))[1], sum(n)
        FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (merchant_id, next_at, template_id, status, month_day, remaining, price)
        DO UPDATE SET n = g.n + excluded.n)
    SELECT count(*) INTO many FROM gone;
    IF many > 0 THEN -- so that those of days that have passed are not read for ever
        DELETE FROM billing_groups WHERE n = 0;
    END IF;
    RETURN folded + many + fold_traits(most) + fold_journal(most) + fold_failures(most);
END $$;

CREATE OR REPLACE FUNCTION check_parts() RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text)
    LANGUAGE sql STABLE AS $$
    SELECT 'parts of balances', d.merchant_id, concat_ws(' ', part, since, day, currency),
        sum(n) FILTER (WHERE is_kept) || ' / ' || sum(cents) FILTER (WHERE is_kept),
        sum(n) FILTER (WHERE NOT is_kept) || ' / ' || sum(cents) FILTER (WHERE NOT is_kept)
    FROM (
        SELECT merchant_id, part, since, day, currency, n, cents, true AS is_kept FROM part_days WHERE part <> 'owed by month'
        UNION ALL SELECT merchant_id, part, since, day, currency, n, cents, true FROM part_day_deltas
        UNION ALL SELECT merchant_id, part, since, day, currency, n, cents, false FROM part_day_facts) d
    GROUP BY merchant_id, part, since, day, currency
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_kept THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'parts of balances', d.merchant_id, concat_ws(' ', 'owed by month', month, currency),
        sum(n) FILTER (WHERE is_month) || ' / ' || sum(cents) FILTER (WHERE is_month),
        sum(n) FILTER (WHERE NOT is_month) || ' / ' || sum(cents) FILTER (WHERE NOT is_month)
    FROM (SELECT p.merchant_id, date_trunc('month', day::timestamp)::date AS month, currency, n, cents, part = 'owed by month' AS is_month
        FROM part_days p WHERE part IN ('owed', 'owed by month')) d
    GROUP BY merchant_id, month, currency
    HAVING sum(CASE WHEN is_month THEN n ELSE -n END) <> 0 OR sum(CASE WHEN is_month THEN cents ELSE -cents END) <> 0
    UNION ALL
    SELECT 'refunded debits', coalesce(k.merchant_id, f.merchant_id), coalesce(k.collection_id, f.collection_id)::text,
        k.refunded_cents::text, f.refunded_cents::text
    FROM refunded_debits k FULL JOIN (
        SELECT c.merchant_id, c.id AS collection_id, sum(r.amount_cents) AS refunded_cents
        FROM collections c JOIN refunds r ON r.merchant_id = c.merchant_id AND r.collection_id = c.id AND r.state = 'pending'
        WHERE c.state = 'provisional' AND c.method = 'eft' GROUP BY c.id) f
        ON (f.merchant_id, f.collection_id) = (k.merchant_id, k.collection_id)
    WHERE coalesce(k.refunded_cents, 0) <> coalesce(f.refunded_cents, 0)
    UNION ALL
    SELECT 'subscribers billed alike', d.merchant_id, concat_ws(' ', next_at, template_id, status, month_day, remaining, price),
        (sum(n) FILTER (WHERE is_kept))::text, (sum(n) FILTER (WHERE NOT is_kept))::text
    FROM (
        SELECT merchant_id, next_at, template_id, status, month_day, remaining, price, n, true AS is_kept FROM billing_groups
        UNION ALL SELECT merchant_id, next_at, template_id, status, month_day, remaining, price, n, true FROM billing_group_deltas
        UNION ALL SELECT *, false FROM billing_group_facts) d
    GROUP BY merchant_id, next_at, template_id, status, month_day, remaining, price
    HAVING sum(CASE WHEN is_kept THEN n ELSE -n END) <> 0
    UNION ALL
    SELECT * FROM check_traits()
    UNION ALL
    SELECT * FROM check_journal_sums()
    UNION ALL
    SELECT * FROM check_failures()
$$;

-- rebuild_parts corrects what is wrong by a difference, as any other change does.
CREATE OR REPLACE FUNCTION rebuild_parts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT merchant_id, part, since, day, currency, sum(n), sum(cents) FROM (
        SELECT merchant_id, part, since, day, currency, -n AS n, -cents AS cents FROM part_days WHERE part <> 'owed by month'
        UNION ALL SELECT merchant_id, part, since, day, currency, -n, -cents FROM part_day_deltas
        UNION ALL SELECT * FROM part_day_facts) d
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0 OR sum(cents) <> 0;
    DELETE FROM part_days WHERE part = 'owed by month';
    INSERT INTO part_days
    SELECT merchant_id, 'owed by month', date_trunc('month', day::timestamp)::date, date_trunc('month', day::timestamp)::date,
        currency, sum(n), sum(cents)
    FROM part_days WHERE part = 'owed' GROUP BY 1, 3, 5;

    DELETE FROM refunded_debits k WHERE NOT EXISTS (SELECT FROM collections c
        WHERE c.id = k.collection_id AND c.merchant_id = k.merchant_id AND c.state = 'provisional');
    INSERT INTO refunded_debits AS k
    SELECT c.merchant_id, c.id, c.action_date, c.currency, c.amount_cents, sum(r.amount_cents)
    FROM collections c JOIN refunds r ON r.merchant_id = c.merchant_id AND r.collection_id = c.id AND r.state <> 'dropped'
    WHERE c.state = 'provisional' AND c.method = 'eft' GROUP BY c.id
    ON CONFLICT (merchant_id, collection_id) DO UPDATE SET refunded_cents = excluded.refunded_cents
        WHERE k.refunded_cents <> excluded.refunded_cents;

    INSERT INTO billing_group_deltas (merchant_id, next_at, template_id, status, month_day, remaining, price, override, n)
    SELECT d.merchant_id, d.next_at, d.template_id, d.status, d.month_day, d.remaining, d.price,
        CASE WHEN d.price <> '' THEN (SELECT s.override FROM template_clients s WHERE s.merchant_id = d.merchant_id
            AND s.template_id = d.template_id AND md5(s.override::text) = d.price LIMIT 1) END, sum(d.n)
    FROM (
        SELECT merchant_id, next_at, template_id, status, month_day, remaining, price, -n AS n FROM billing_groups
        UNION ALL SELECT merchant_id, next_at, template_id, status, month_day, remaining, price, -n FROM billing_group_deltas
        UNION ALL SELECT * FROM billing_group_facts) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(d.n) <> 0;
    PERFORM rebuild_traits();
    PERFORM rebuild_journal_sums();
    PERFORM rebuild_failures();
END $$;

-- That the money of a debit came before it went back: the bank said so, or booked it. A movement that is told twice is
-- explained by the other telling, and is of its debit all the same.
CREATE OR REPLACE FUNCTION came_before(item uuid, outcome text, back_on date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM bank_answers a WHERE a.item_id = item AND a.kind IN ('provisional', 'successful'))
        OR EXISTS (SELECT FROM bank_entries e WHERE e.item_id = item AND e.state IN ('matched', 'explained')
            AND (outcome <> 'paid_again' OR e.booked_on <= back_on)) $$;

CREATE OR REPLACE VIEW part_day_facts AS
    WITH debits AS (
        SELECT merchant_id, id, action_date AS since, currency, amount_cents, closed, least(sast_day(provisional_at), closed) AS opened
        FROM (SELECT *, debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) AS closed FROM collections
            WHERE method = 'eft' AND provisional_at IS NOT NULL) c
    )
    SELECT merchant_id, part, since, day, currency, sum(n)::bigint AS n, sum(cents) AS cents FROM (
        SELECT merchant_id, 'returnable' AS part, since, opened AS day, currency, 1 AS n, amount_cents::numeric AS cents FROM debits
        UNION ALL
        SELECT merchant_id, 'returnable', since, closed, currency, -1, -amount_cents FROM debits WHERE closed IS NOT NULL
        UNION ALL
        SELECT d.merchant_id, 'returnable', d.since, s.day, d.currency, s.n, s.cents
        FROM (SELECT DISTINCT merchant_id, collection_id FROM refunds) r
            JOIN debits d ON d.id = r.collection_id AND d.merchant_id = r.merchant_id
            CROSS JOIN LATERAL refund_steps(d.merchant_id, d.id, d.amount_cents, d.opened, d.closed, NULL) s
        UNION ALL
        SELECT r.merchant_id, 'owed', e.day, e.day, r.currency, e.sign, e.sign * r.amount_cents
        FROM refunds r CROSS JOIN LATERAL (VALUES (sast_day(r.created_at), 1),
            (CASE r.state WHEN 'settled' THEN sast_day(r.settled_at) WHEN 'dropped' THEN sast_day(r.updated_at) END, -1)) AS e (day, sign)
        WHERE e.day IS NOT NULL
    ) AS moved GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0 OR sum(cents) <> 0;

CREATE OR REPLACE TRIGGER sum_returnable AFTER UPDATE ON collections REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_returnable();
CREATE OR REPLACE TRIGGER sum_answered_gone AFTER DELETE ON collections FOR EACH ROW
    WHEN (OLD.provisional_at IS NOT NULL AND OLD.method = 'eft') EXECUTE FUNCTION sum_answered();
CREATE OR REPLACE TRIGGER sum_answered_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.provisional_at IS NOT NULL AND NEW.method = 'eft') EXECUTE FUNCTION sum_answered();
CREATE OR REPLACE TRIGGER sum_moved AFTER UPDATE ON refunds FOR EACH ROW
    WHEN ((OLD.state, OLD.amount_cents, OLD.settled_at, OLD.collection_id) IS DISTINCT FROM
        (NEW.state, NEW.amount_cents, NEW.settled_at, NEW.collection_id)) EXECUTE FUNCTION sum_refund();
CREATE OR REPLACE TRIGGER sum_new AFTER INSERT OR DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION sum_refund();
CREATE OR REPLACE TRIGGER sum_going BEFORE DELETE ON refunds FOR EACH ROW
    WHEN (OLD.collection_id IS NOT NULL) EXECUTE FUNCTION take_refund_away();
