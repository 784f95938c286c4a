-- +goose Up
-- A purchase of no amount only stores an account or asks for a mandate. The list of purchases leaves them out, so
-- they are counted by status too, in the manner of purchase_counts. The triggers run for these purchases alone.
CREATE TABLE storing_counts (
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    n           bigint NOT NULL,
    PRIMARY KEY (merchant_id, status)
);
CREATE TABLE storing_count_deltas (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    delta       bigint NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION count_storing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND NEW.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
    END IF;
    IF TG_OP <> 'INSERT' AND OLD.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (OLD.merchant_id, OLD.status, -1);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Making the triggers waits for who is writing purchases, and holds up who would; the few rows are counted by their
-- index, so that nobody waits for a look at all purchases.
SET LOCAL lock_timeout = '10s';
CREATE TRIGGER count_storing_new AFTER INSERT ON purchases FOR EACH ROW
    WHEN (NEW.total_cents = 0) EXECUTE FUNCTION count_storing();
CREATE TRIGGER count_storing_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN (OLD.total_cents = 0) EXECUTE FUNCTION count_storing();
CREATE TRIGGER count_storing_moved AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.total_cents = 0 OR NEW.total_cents = 0)
        AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.total_cents IS DISTINCT FROM NEW.total_cents))
    EXECUTE FUNCTION count_storing();
INSERT INTO storing_counts (merchant_id, status, n)
SELECT m.id, p.status, count(*) FROM merchants m
    JOIN LATERAL (SELECT status FROM purchases WHERE merchant_id = m.id AND total_cents = 0) AS p ON true
GROUP BY 1, 2;

-- +goose Down
DROP TRIGGER count_storing_moved ON purchases;
DROP TRIGGER count_storing_gone ON purchases;
DROP TRIGGER count_storing_new ON purchases;
DROP FUNCTION count_storing();
DROP TABLE storing_count_deltas, storing_counts;
