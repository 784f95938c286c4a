-- +goose Up
-- A debit that turns final asked a function for the day on which it was closed, twice for each debit; a fifth of all its
-- time went there. The day stands in the row, or the row says that there is none: only a debit that was closed before
-- step 61 is still asked about.
-- Of a new debit, one trigger notes and counts what two did, whose conditions were read anew for every statement. It
-- writes the row of its count as it is: debits are made one by one.
-- Debits change five times in their life. Room in their pages keeps those changes where the debit is, so that the table
-- does not grow with each, and the first of them touches no index.
SET LOCAL lock_timeout = '10s';
ALTER TABLE collections SET (fillfactor = 45);

-- +goose StatementBegin
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

CREATE FUNCTION note_debit_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO debit_day_deltas (merchant_id, state, day, at, currency, brand_id, method, stored, n, cents)
    VALUES (NEW.merchant_id, NEW.state, NEW.action_date, debit_day_at(NEW.state, NEW.submit_at, NEW.provisional_at),
        NEW.currency, NEW.brand_id, NEW.method, NEW.token_id <> NEW.purchase_id, 1, NEW.amount_cents);
    IF NEW.alerted_at IS NOT NULL OR NEW.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost') THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.purchase_id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

DROP TRIGGER note_new ON collections;
DROP TRIGGER sum_new ON collections;
CREATE TRIGGER note_new AFTER INSERT ON collections FOR EACH ROW EXECUTE FUNCTION note_debit_new();

-- +goose Down
DROP TRIGGER note_new ON collections;
CREATE TRIGGER note_new AFTER INSERT ON collections FOR EACH ROW
    WHEN ((NEW.alerted_at IS NOT NULL
        OR NEW.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost'))) EXECUTE FUNCTION note_of_purchase();
CREATE TRIGGER sum_new AFTER INSERT ON collections REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_debits();
DROP FUNCTION note_debit_new;
ALTER TABLE collections RESET (fillfactor);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sum_returnable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM newer WHERE provisional_at IS NOT NULL AND method = 'eft') THEN
        RETURN NULL;
    END IF;
    INSERT INTO part_day_deltas (merchant_id, part, since, day, currency, n, cents)
    SELECT c.merchant_id, 'returnable', c.action_date, e.day, c.currency, sum(c.d * e.sign), sum(c.d * e.sign * c.amount_cents)
    FROM (
        SELECT merchant_id, action_date, currency, amount_cents, provisional_at, 1 AS d,
            debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id) AS closed
        FROM newer WHERE provisional_at IS NOT NULL AND method = 'eft'
        UNION ALL
        SELECT merchant_id, action_date, currency, amount_cents, provisional_at, -1,
            debit_closed_on(state, closed_on, updated_at, final_at, id, purchase_id)
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
-- +goose StatementEnd
