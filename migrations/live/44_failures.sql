-- How it went on with purchases whose debit failed.

-- Each purchase with a failed debit. What a plan made is known by the debit that its step keeps.
CREATE OR REPLACE VIEW failure_facts AS
    SELECT f.merchant_id, f.purchase_id, f.action_date AS day, f.brand_id, f.method, CASE
            WHEN p.status = 'paid' AND a.id IS NOT NULL AND EXISTS (SELECT FROM plan_runs r JOIN plan_steps t
                    ON t.run_id = r.id AND t.merchant_id = r.merchant_id AND t.made_id = a.id
                WHERE r.purchase_id = p.id AND r.merchant_id = p.merchant_id) THEN 'again_by_plan'
            WHEN p.status = 'paid' AND a.id IS NOT NULL THEN 'again'
            WHEN p.status = 'paid' THEN 'by_hand'
            WHEN (SELECT sum(w.amount_cents) FROM write_offs w WHERE w.purchase_id = p.id
                AND w.merchant_id = p.merchant_id) > 0 THEN 'written_off'
            WHEN p.status IN ('pending_charge', 'pending_execute') THEN 'under_way'
            WHEN is_owed(p.status) OR p.status = 'chargeback' THEN 'still_owed'
            ELSE 'withdrawn' END AS ending, f.amount_cents AS cents
    FROM collections f JOIN purchases p ON p.id = f.purchase_id AND p.merchant_id = f.merchant_id
        LEFT JOIN LATERAL (SELECT c.id FROM collections c WHERE c.purchase_id = f.purchase_id AND c.attempt > f.attempt
            AND debit_outcome(c.state) = 'collected' ORDER BY c.attempt DESC LIMIT 1) a ON true
    WHERE f.state = 'unpaid' AND NOT EXISTS (SELECT FROM collections e WHERE e.purchase_id = f.purchase_id
        AND e.attempt < f.attempt AND e.state = 'unpaid');

CREATE OR REPLACE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO failure_changes (merchant_id, purchase_id) VALUES (OLD.merchant_id, OLD.purchase_id);
    ELSE
        INSERT INTO failure_changes (merchant_id, purchase_id) VALUES (NEW.merchant_id, NEW.purchase_id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_failed_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO failure_changes (merchant_id, purchase_id) VALUES (NEW.merchant_id, NEW.id);
    RETURN NULL;
END $$;

-- A purchase that changes again meanwhile has another note, which is worked off later.
CREATE OR REPLACE FUNCTION fold_failures(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
    merchants uuid[];
    objects uuid[];
BEGIN
    WITH gone AS (DELETE FROM failure_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM failure_changes LIMIT most))
        RETURNING merchant_id, purchase_id),
    once AS (SELECT DISTINCT merchant_id, purchase_id FROM gone)
    SELECT array_agg(merchant_id), array_agg(purchase_id), (SELECT count(*) FROM gone) INTO merchants, objects, folded
    FROM once;
    IF folded = 0 THEN
        RETURN 0;
    END IF;
    DELETE FROM failed_purchases k USING unnest(merchants, objects) AS c (merchant_id, purchase_id)
        WHERE k.merchant_id = c.merchant_id AND k.purchase_id = c.purchase_id;
    INSERT INTO failed_purchases
        SELECT f.* FROM unnest(merchants, objects) AS c (merchant_id, purchase_id) CROSS JOIN LATERAL (
            SELECT * FROM failure_facts x WHERE x.purchase_id = c.purchase_id AND x.merchant_id = c.merchant_id OFFSET 0) f;
    RETURN folded;
END $$;

CREATE OR REPLACE FUNCTION check_failures() RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text)
    LANGUAGE sql STABLE AS $$
    SELECT 'how failures ended', coalesce(k.merchant_id, f.merchant_id), coalesce(k.purchase_id, f.purchase_id)::text,
        k::text, f::text
    FROM failed_purchases k FULL JOIN failure_facts f ON (f.merchant_id, f.purchase_id) = (k.merchant_id, k.purchase_id)
    WHERE k::text IS DISTINCT FROM f::text
        AND coalesce(k.purchase_id, f.purchase_id) NOT IN (SELECT c.purchase_id FROM failure_changes c)
$$;

-- rebuild_failures notes what is wrong, so that it is looked at again.
CREATE OR REPLACE FUNCTION rebuild_failures() RETURNS void LANGUAGE sql AS $$
    INSERT INTO failure_changes (merchant_id, purchase_id) SELECT w.merchant_id, w.what::uuid FROM check_failures() w $$;

CREATE OR REPLACE TRIGGER note_failure AFTER UPDATE ON collections FOR EACH ROW
    WHEN (OLD.state = 'unpaid' OR NEW.state = 'unpaid' OR NEW.attempt > 1) EXECUTE FUNCTION note_failure();
CREATE OR REPLACE TRIGGER note_failure_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.state = 'unpaid') EXECUTE FUNCTION note_failure();
CREATE OR REPLACE TRIGGER note_failure_gone AFTER DELETE ON collections FOR EACH ROW
    WHEN (OLD.state = 'unpaid' OR OLD.attempt > 1) EXECUTE FUNCTION note_failure();
CREATE OR REPLACE TRIGGER note_failure AFTER INSERT ON write_offs FOR EACH ROW EXECUTE FUNCTION note_failure();
-- A purchase whose first debit is planned, or paid, has none that failed.
CREATE OR REPLACE TRIGGER note_failure AFTER UPDATE ON purchases FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND NOT (NEW.collection_count <= 1
        AND OLD.status IN ('created', 'sent', 'viewed', 'pending_charge', 'pending_execute')
        AND NEW.status IN ('sent', 'viewed', 'pending_charge', 'pending_execute', 'paid')))
    EXECUTE FUNCTION note_failed_purchase();
