-- +goose NO TRANSACTION
-- +goose Up
-- What the purchases of each status come to, in cents of rand, beside how many they are: the foot of their list says
-- it. The trigger that writes how the numbers change writes how the sums change, too, in the same row. When such rows
-- are folded, their sums move into a table of their own, whichever release folds them: one that knows of no sums may
-- still run beside this one.
CREATE TABLE IF NOT EXISTS purchase_sums (
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    cents       numeric NOT NULL,
    PRIMARY KEY (merchant_id, status)
);

-- Who writes purchases is waited for, and then held up for a moment only; nothing is added up meanwhile.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '10s';
    LOCK TABLE purchases IN SHARE ROW EXCLUSIVE MODE;
    ALTER TABLE purchase_count_deltas ADD COLUMN IF NOT EXISTS cents numeric NOT NULL DEFAULT 0;

    CREATE OR REPLACE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $count$
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
    END $count$;

    CREATE OR REPLACE FUNCTION keep_purchase_sums() RETURNS trigger LANGUAGE plpgsql AS $keep$
    BEGIN
        INSERT INTO purchase_sums AS s (merchant_id, status, cents)
        SELECT merchant_id, status, sum(cents) FROM gone GROUP BY 1, 2 HAVING sum(cents) <> 0 ORDER BY 1, 2
        ON CONFLICT (merchant_id, status) DO UPDATE SET cents = s.cents + excluded.cents;
        RETURN NULL;
    END $keep$;
    CREATE OR REPLACE TRIGGER keep_sums AFTER DELETE ON purchase_count_deltas REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION keep_purchase_sums();
END $$;
-- +goose StatementEnd

-- One statement sees one moment: what is missing from the sums is what stood there before the trigger wrote them.
INSERT INTO purchase_sums AS s (merchant_id, status, cents)
SELECT merchant_id, status, sum(cents) FROM (
    SELECT merchant_id, status, sum(total_cents) AS cents FROM purchases WHERE currency = 'ZAR' GROUP BY 1, 2
    UNION ALL SELECT merchant_id, status, -cents FROM purchase_count_deltas
    UNION ALL SELECT merchant_id, status, -cents FROM purchase_sums) AS missing
GROUP BY 1, 2 HAVING sum(cents) <> 0 ORDER BY 1, 2
ON CONFLICT (merchant_id, status) DO UPDATE SET cents = s.cents + excluded.cents;

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '10s';
    LOCK TABLE purchases IN SHARE ROW EXCLUSIVE MODE;
    CREATE OR REPLACE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $count$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            INSERT INTO purchase_count_deltas (merchant_id, status, delta)
            SELECT merchant_id, status, count(*) FROM newer GROUP BY 1, 2;
        ELSIF TG_OP = 'DELETE' THEN
            INSERT INTO purchase_count_deltas (merchant_id, status, delta)
            SELECT merchant_id, status, -count(*) FROM older GROUP BY 1, 2;
        ELSE
            INSERT INTO purchase_count_deltas (merchant_id, status, delta)
            SELECT merchant_id, status, sum(d) FROM (
                SELECT merchant_id, status, 1 AS d FROM newer
                UNION ALL
                SELECT merchant_id, status, -1 FROM older) AS moved
            GROUP BY 1, 2 HAVING sum(d) <> 0;
        END IF;
        RETURN NULL;
    END $count$;
    DROP TRIGGER IF EXISTS keep_sums ON purchase_count_deltas;
    DROP FUNCTION IF EXISTS keep_purchase_sums();
    ALTER TABLE purchase_count_deltas DROP COLUMN IF EXISTS cents;
    DROP TABLE IF EXISTS purchase_sums;
END $$;
-- +goose StatementEnd
