-- What needs attention: each kind and where it comes from, and how its counts are kept.

CREATE OR REPLACE FUNCTION attention_tallied(merchant uuid, since date) RETURNS TABLE(day date, kind text, owner_id uuid, hidden_until date, n bigint, cents numeric) LANGUAGE sql STABLE AS $$
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

-- A subscriber's purchase that stored an account, or the first one that was paid by
-- hand, is noted on the subscriber in the same transaction, whoever writes it.
CREATE OR REPLACE FUNCTION note_subscriber() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_clients SET stored_token = NEW.id, stored_at = NEW.updated_at, version = version + 1
    WHERE id = NEW.subscriber_id AND status <> 'inactive'
        AND (NEW.is_recurring_token OR status = 'pending' AND first_purchase_id = NEW.id);
    RETURN NULL;
END $$;

-- What changed is looked at only where anything did. In a statement of its own, which a connection plans once: the view
-- is long, and every page asks.
CREATE OR REPLACE FUNCTION attention_changed(merchant uuid) RETURNS SETOF attention LANGUAGE plpgsql STABLE ROWS 20 AS $$
BEGIN
    IF EXISTS (SELECT FROM attention_changes c WHERE c.merchant_id = merchant) THEN
        RETURN QUERY SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id
        FROM (SELECT DISTINCT object_id FROM attention_changes n WHERE n.merchant_id = merchant) c CROSS JOIN LATERAL (
            SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = merchant OFFSET 0) f;
    END IF;
END $$;

-- What waits of a kind now is neither snoozed nor closed today.
CREATE OR REPLACE FUNCTION attention_now(merchant uuid, what text) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT a.merchant_id, a.kind, a.object_id, a.at, a.answered, a.cents, a.currency, a.hidden_until, a.owner_id FROM attention a
        WHERE a.merchant_id = merchant AND a.kind = what AND a.hidden_until <= (SELECT product_today())
            AND a.object_id NOT IN (SELECT object_id FROM attention_changes WHERE merchant_id = merchant)
    UNION ALL
    SELECT * FROM attention_changed(merchant) c WHERE c.kind = what AND c.hidden_until <= (SELECT product_today()) $$;

-- Notes are written by these triggers. Where two tables decide together, at least one of them writes its note whatever
-- the other says; the other may look first.
-- Of what a purchase needs: its mandate when it begins or ceases to be owed, its account when it begins or ceases to be
-- scheduled.
CREATE OR REPLACE FUNCTION note_needed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = OLD.token_id AND t.state = 'blocked'
        UNION ALL
        SELECT OLD.merchant_id, OLD.id FROM mandates m WHERE m.id = OLD.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = NEW.token_id AND t.state = 'blocked'
        UNION ALL
        SELECT NEW.merchant_id, NEW.id FROM mandates m WHERE m.id = NEW.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    RETURN NULL;
END $$;

-- What belongs to a purchase: a debit, a refund.
CREATE OR REPLACE FUNCTION note_of_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.purchase_id);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.purchase_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_itself() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.id);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.id);
    RETURN NULL;
END $$;

-- An account that begins or ceases to be chargeable: the client's suspended mandates, and who is subscribed with it.
CREATE OR REPLACE FUNCTION note_token() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    t tokens := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    was uuid := CASE TG_OP WHEN 'INSERT' THEN NULL ELSE OLD.client_id END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT m.merchant_id, m.id FROM mandates m WHERE m.client_id IN (t.client_id, was) AND m.state = 'suspended'
    UNION ALL
    SELECT s.merchant_id, s.id FROM template_clients s WHERE s.token_id = t.id AND s.status = 'active';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_subscriber_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id) SELECT OLD.merchant_id, OLD.id
        UNION ALL SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = OLD.token_id AND t.state = 'blocked';
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO attention_changes (merchant_id, object_id) SELECT NEW.merchant_id, NEW.id
        UNION ALL SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = NEW.token_id AND t.state = 'blocked';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_subscriber_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT NEW.merchant_id, NEW.id WHERE NEW.token_id IS NULL
        OR EXISTS (SELECT FROM tokens t WHERE t.id = NEW.token_id AND is_unusable(t.state));
    RETURN NULL;
END $$;

-- A later mail about the same takes the place of one that failed.
CREATE OR REPLACE FUNCTION note_earlier_mails() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE m mails := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT f.merchant_id, f.id FROM mails f
    WHERE f.object_id = m.object_id AND f.kind = m.kind AND f.attempt < m.attempt AND f.state = 'failed';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO bank_day_changes (merchant_id, day)
        SELECT DISTINCT c.merchant_id, d.day FROM (
            SELECT o.merchant_id, o.kind, o.action_date, o.outcome_on, n.action_date AS action_now, n.outcome_on AS outcome_now
            FROM older o JOIN newer n USING (id)
            WHERE (o.message_id, o.amount_cents, o.action_date, o.outcome, o.outcome_on, o.state, o.kind)
                IS DISTINCT FROM (n.message_id, n.amount_cents, n.action_date, n.outcome, n.outcome_on, n.state, n.kind)) c
            CROSS JOIN LATERAL (VALUES (c.action_date), (c.outcome_on), (c.action_now), (c.outcome_now)) AS d (day)
        WHERE d.day IS NOT NULL;
    ELSE
        INSERT INTO bank_day_changes (merchant_id, day)
        SELECT DISTINCT c.merchant_id, d.day FROM changed c CROSS JOIN LATERAL (VALUES (c.action_date), (c.outcome_on)) AS d (day)
        WHERE d.day IS NOT NULL;
    END IF;
    RETURN NULL;
END $$;

-- Answers and movements tell whether an item that came back had been paid before.
CREATE OR REPLACE FUNCTION note_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT DISTINCT i.merchant_id, d.day FROM changed c JOIN bank_items i ON i.id = c.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on), (i.back_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed', 'paid_again') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT e.merchant_id, e.booked_on FROM changed e WHERE e.merchant_id IS NOT NULL
    UNION
    SELECT i.merchant_id, d.day FROM changed e JOIN bank_items i ON i.id = e.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on), (i.back_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed', 'paid_again') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_acknowledged() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE m bank_files_out := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT DISTINCT i.merchant_id, i.action_date FROM bank_items i WHERE i.message_id = m.id AND i.action_date IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO bank_day_changes (merchant_id, day) VALUES (OLD.merchant_id, OLD.day);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO bank_day_changes (merchant_id, day) VALUES (NEW.merchant_id, NEW.day);
    END IF;
    RETURN NULL;
END $$;

-- Whether what was promised is paid: the purchase, or all that the client owed then. Of that something must have been
-- paid since: what was only cancelled was not promised away.
CREATE OR REPLACE FUNCTION promise_paid(p promises) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p.purchase_id IS NOT NULL
        THEN EXISTS (SELECT FROM purchases w WHERE w.id = p.purchase_id AND w.merchant_id = p.merchant_id
            AND w.status IN ('paid', 'pending_refund', 'refunded'))
        ELSE NOT EXISTS (SELECT FROM purchases w WHERE w.client_id = p.client_id AND w.merchant_id = p.merchant_id
                AND w.created_at <= p.created_at AND w.total_cents > 0
                AND (is_owed(w.status) OR w.status = 'pending_charge' AND w.collection_count > 1))
            AND EXISTS (SELECT FROM purchases w WHERE w.client_id = p.client_id AND w.merchant_id = p.merchant_id
                AND w.created_at <= p.created_at AND w.updated_at >= p.created_at
                AND w.status IN ('paid', 'pending_refund', 'refunded')) END $$;

-- A promise to pay that holds back the failures of a purchase: one about it, or about all that its client owes.
CREATE OR REPLACE FUNCTION is_promised(merchant uuid, purchase uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM promises p WHERE p.merchant_id = merchant AND p.purchase_id = purchase AND p.state = 'open')
        OR EXISTS (SELECT FROM purchases w JOIN promises p ON p.merchant_id = w.merchant_id AND p.client_id = w.client_id
            WHERE w.id = purchase AND w.merchant_id = merchant AND p.purchase_id IS NULL AND p.state = 'open'
                AND NOT promise_paid(p)) $$;

-- A promise, and what was promised: a purchase, or all that a client owes.
CREATE OR REPLACE FUNCTION note_promise() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE p promises := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT p.merchant_id, p.id UNION ALL SELECT p.merchant_id, p.purchase_id WHERE p.purchase_id IS NOT NULL
    UNION ALL
    SELECT w.merchant_id, w.id FROM purchases w
    WHERE p.purchase_id IS NULL AND w.client_id IN (p.client_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.client_id END)
        AND w.merchant_id = p.merchant_id AND is_owed(w.status);
    RETURN NULL;
END $$;

-- The promises about all that a client owes, and the purchases that they hold back, when one of its purchases moves. Each
-- debit moves one, and few clients have promised: the function keeps the plan of its question, as SQL functions do not.
CREATE OR REPLACE FUNCTION note_promises_of_client(merchant uuid, client uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM promises p WHERE p.merchant_id = merchant AND p.client_id = client AND p.purchase_id IS NULL
        AND p.state = 'open') THEN
        RETURN;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT p.merchant_id, o.id FROM promises p, LATERAL (SELECT p.id UNION ALL SELECT w.id FROM purchases w
        WHERE w.client_id = p.client_id AND w.merchant_id = p.merchant_id AND is_owed(w.status)) o
    WHERE p.merchant_id = merchant AND p.client_id = client AND p.purchase_id IS NULL AND p.state = 'open';
END $$;

-- When a run goes on without anybody: at its next step, or on the day until which it is held. NULL where a person has it
-- with no day, or it is over. Outlook.GoesOn in Go says the same of one run.
CREATE OR REPLACE FUNCTION plan_run_goes_on(state text, due_at timestamptz, held_until date) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE state WHEN 'waiting' THEN due_at
        WHEN 'held' THEN held_until::timestamp AT TIME ZONE 'Africa/Johannesburg' END $$;

-- What plans are at work on: the failure waits when a step is due, and when a run begins, rests or ends.
CREATE OR REPLACE FUNCTION note_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT c.merchant_id, c.purchase_id FROM changed c JOIN older o USING (id)
        WHERE plan_run_goes_on(c.state, c.due_at, c.held_until) IS DISTINCT FROM
            plan_run_goes_on(o.state, o.due_at, o.held_until);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT c.merchant_id, c.purchase_id FROM changed c
    WHERE plan_run_goes_on(c.state, c.due_at, c.held_until) IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_runs_of_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT r.merchant_id, r.purchase_id FROM plan_runs r
    WHERE r.merchant_id = NEW.merchant_id AND r.plan_id = NEW.id
        AND plan_run_goes_on(r.state, r.due_at, r.held_until) IS NOT NULL;
    RETURN NULL;
END $$;

-- The promises of a purchase that begins or ceases to be owed.
CREATE OR REPLACE FUNCTION note_promises_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT p.merchant_id, p.id FROM promises p
    WHERE p.merchant_id = NEW.merchant_id AND p.purchase_id = NEW.id AND p.state = 'open';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.object_id);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.object_id);
    RETURN NULL;
END $$;

-- What ceased to wait was solved, unless the thing itself is gone.
CREATE OR REPLACE FUNCTION note_solved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM attention a WHERE a.merchant_id = OLD.merchant_id AND a.object_id = OLD.object_id AND a.kind = OLD.kind)
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO attention_solved AS s (merchant_id, object_id, kind, cents, currency, solved_at)
    SELECT OLD.merchant_id, OLD.object_id, OLD.kind, OLD.cents, OLD.currency, product_now()
    WHERE CASE WHEN OLD.kind IN ('blocked', 'replaced') THEN EXISTS (SELECT FROM tokens WHERE id = OLD.object_id)
        WHEN OLD.kind IN ('suspended', 'idle') THEN EXISTS (SELECT FROM mandates WHERE id = OLD.object_id)
        WHEN OLD.kind IN ('stranded', 'terms') THEN EXISTS (SELECT FROM template_clients WHERE id = OLD.object_id)
        WHEN OLD.kind = 'request' THEN EXISTS (SELECT FROM client_requests WHERE id = OLD.object_id)
        WHEN OLD.kind = 'mail' THEN EXISTS (SELECT FROM mails WHERE id = OLD.object_id)
        WHEN OLD.kind = 'promise' THEN EXISTS (SELECT FROM promises WHERE merchant_id = OLD.merchant_id AND id = OLD.object_id)
        ELSE EXISTS (SELECT FROM purchases WHERE id = OLD.object_id) END
        AND (OLD.kind <> 'idle' OR OLD.hidden_until <= product_today()) -- not before it was shown
    ON CONFLICT (merchant_id, object_id, kind)
    DO UPDATE SET cents = excluded.cents, currency = excluded.currency, solved_at = excluded.solved_at;
    RETURN NULL;
END $$;

-- The days under which a thing is counted: -infinity for all of its kind, and the day on which it began where pages ask
-- from a day on. All mails are never asked for.
CREATE OR REPLACE FUNCTION attention_days(kind text, at timestamptz, answered boolean) RETURNS TABLE (day date)
    LANGUAGE sql STABLE AS $$
    SELECT '-infinity'::date WHERE kind <> 'mail'
    UNION ALL SELECT (at AT TIME ZONE 'Africa/Johannesburg')::date WHERE kind = 'mail' OR answered $$;

CREATE OR REPLACE FUNCTION count_attention() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- What waits of a merchant, counted: all of each kind, and day by day from a day on. Several rows may be of one count.
CREATE OR REPLACE FUNCTION attention_counted(merchant uuid, since date)
    RETURNS TABLE (day date, kind text, owner_id uuid, hidden_until date, n bigint, cents numeric) LANGUAGE sql STABLE AS $$
    SELECT t.day, t.kind, t.owner_id, t.hidden_until, t.n, t.cents FROM attention_tallied(merchant, since) t
    WHERE t.kind NOT IN ('terms', 'replaced', 'idle', 'overdue', 'closed_day') $$;

CREATE OR REPLACE FUNCTION note_purchase_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
    VALUES (NEW.merchant_id, NEW.status, 1, CASE WHEN NEW.currency = 'ZAR' THEN NEW.total_cents ELSE 0 END);
    IF NEW.total_cents = 0 THEN
        INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
    END IF;
    IF NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0 OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.id);
    END IF;
    IF NEW.status = 'pending_charge' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = NEW.token_id AND t.state = 'blocked'
        UNION ALL
        SELECT NEW.merchant_id, NEW.id FROM mandates m WHERE m.id = NEW.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_purchase_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was_owed boolean := OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue');
    is_owed boolean := NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue');
BEGIN
    IF (OLD.total_cents = 0 OR NEW.total_cents = 0)
        AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.total_cents IS DISTINCT FROM NEW.total_cents)
    THEN
        IF NEW.total_cents = 0 THEN
            INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (NEW.merchant_id, NEW.status, 1);
        END IF;
        IF OLD.total_cents = 0 THEN
            INSERT INTO storing_count_deltas (merchant_id, status, delta) VALUES (OLD.merchant_id, OLD.status, -1);
        END IF;
    END IF;
    IF OLD.net_cents < 0 OR NEW.net_cents < 0
        OR OLD.status IN ('chargeback', 'pending_refund') OR NEW.status IN ('chargeback', 'pending_refund')
        OR OLD.total_cents <> NEW.total_cents OR OLD.currency <> NEW.currency
        OR was_owed AND (OLD.collection_count > 0 OR OLD.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
        OR is_owed AND (NEW.collection_count > 0 OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.id);
    END IF;
    IF (OLD.status = 'pending_charge' OR NEW.status = 'pending_charge')
            AND (OLD.status <> NEW.status OR OLD.token_id IS DISTINCT FROM NEW.token_id)
        OR was_owed <> is_owed AND (OLD.method <> '' OR NEW.method <> '')
    THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id IN (OLD.token_id, NEW.token_id) AND t.state = 'blocked'
        UNION ALL
        SELECT NEW.merchant_id, NEW.id FROM mandates m WHERE m.id = NEW.id AND m.state IN ('rejected', 'no_response', 'failed');
    END IF;
    IF was_owed <> is_owed THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT p.merchant_id, p.id FROM promises p
        WHERE p.merchant_id = NEW.merchant_id AND p.purchase_id = NEW.id AND p.state = 'open';
    END IF;
    IF OLD.status <> NEW.status AND (was_owed OR is_owed OR NEW.status = 'paid') THEN
        PERFORM note_promises_of_client(NEW.merchant_id, NEW.client_id);
    END IF;
    IF OLD.client_id <> NEW.client_id THEN -- as clients are merged, or separated again
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT NEW.merchant_id, NEW.id WHERE EXISTS (SELECT FROM promises p WHERE p.merchant_id = NEW.merchant_id
            AND p.client_id IN (OLD.client_id, NEW.client_id) AND p.purchase_id IS NULL AND p.state = 'open');
        PERFORM note_promises_of_client(NEW.merchant_id, OLD.client_id);
        PERFORM note_promises_of_client(NEW.merchant_id, NEW.client_id);
    END IF;
    IF NEW.subscriber_id IS NOT NULL
        AND (NEW.is_recurring_token AND NOT OLD.is_recurring_token OR NEW.marked_as_paid AND NOT OLD.marked_as_paid)
    THEN
        UPDATE template_clients SET stored_token = NEW.id, stored_at = NEW.updated_at, version = version + 1
        WHERE id = NEW.subscriber_id AND status <> 'inactive'
            AND (NEW.is_recurring_token OR status = 'pending' AND first_purchase_id = NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_debit_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO debit_day_deltas (merchant_id, state, day, at, currency, brand_id, method, stored, n, cents)
    VALUES (NEW.merchant_id, NEW.state, NEW.action_date, debit_day_at(NEW.state, NEW.submit_at, NEW.provisional_at),
        NEW.currency, NEW.brand_id, NEW.method, NEW.token_id <> NEW.purchase_id, 1, NEW.amount_cents);
    IF NEW.alerted_at IS NOT NULL OR NEW.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost') THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.purchase_id);
    END IF;
    RETURN NULL;
END $$;

-- A replacement, or a mandate, whose debits, purchases or subscribers have changed.
CREATE OR REPLACE FUNCTION note_replacement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE a amendments := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (a.merchant_id, a.purchase_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_token_in_use() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id) SELECT NEW.merchant_id, NEW.id
    WHERE NEW.method = 'debicheck' OR EXISTS (SELECT FROM amendments a WHERE a.purchase_id = NEW.id AND a.state = 'open');
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_mandate_of_debit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE c collections := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (c.merchant_id, c.mandate_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_mandate_of_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id = OLD.token_id AND t.method = 'debicheck';
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO attention_changes (merchant_id, object_id)
        SELECT t.merchant_id, t.id FROM tokens t WHERE t.id IN (NEW.token_id) AND t.method = 'debicheck';
    END IF;
    RETURN NULL;
END $$;

-- Debits that are planned for a day which is closed, or opened.
CREATE OR REPLACE FUNCTION note_closed_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT c.merchant_id, c.purchase_id FROM collections c WHERE c.state = 'scheduled'
        AND (TG_OP <> 'INSERT' AND c.action_date = OLD.day OR TG_OP <> 'DELETE' AND c.action_date = NEW.day);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_debit_on_closed_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT NEW.merchant_id, NEW.purchase_id WHERE EXISTS (SELECT FROM proclaimed_days d
        WHERE NOT d.open AND (d.day = NEW.action_date OR TG_OP = 'UPDATE' AND d.day = OLD.action_date));
    RETURN NULL;
END $$;

CREATE OR REPLACE VIEW attention_count_facts AS
    SELECT a.merchant_id, d.day, a.kind, coalesce(a.owner_id, '00000000-0000-0000-0000-000000000000') AS owner_id,
        a.hidden_until, count(*) AS n, sum(rands_of(a.currency, a.cents)) AS cents
    FROM attention a CROSS JOIN LATERAL attention_days(a.kind, a.at, a.answered) d GROUP BY 1, 2, 3, 4, 5;

CREATE OR REPLACE VIEW attention_more AS
    SELECT p.merchant_id, 'overdue' AS kind, p.id AS object_id, p.due AS at, false AS answered, p.total_cents AS cents,
        p.currency, '-infinity'::date AS from_day
    FROM purchases p WHERE p.status = 'overdue' AND p.collection_count = 0 AND p.total_cents > 0
        AND NOT lost_account(p.attempts) AND NOT EXISTS (SELECT FROM mandates m
            WHERE m.id = p.id AND m.kind = 'debicheck' AND m.state IN ('rejected', 'no_response', 'failed'))
    UNION ALL
    SELECT c.merchant_id, 'closed_day', c.purchase_id, c.action_date::timestamp AT TIME ZONE 'Africa/Johannesburg', false,
        c.amount_cents, c.currency, '-infinity'::date
    FROM collections c JOIN proclaimed_days d ON d.day = c.action_date AND NOT d.open
    WHERE c.state = 'scheduled'
    UNION ALL
    SELECT s.merchant_id, 'terms', s.id, coalesce(s.next_at, 'infinity'), false, 0, '', '-infinity'::date
    FROM template_clients s WHERE s.status = 'active' AND s.unfit <> ''
    UNION ALL
    SELECT t.merchant_id, 'replaced', t.id, t.updated_at, false, 0, '', '-infinity'::date
    FROM tokens t JOIN amendments a ON a.purchase_id = t.id AND a.merchant_id = t.merchant_id
    WHERE t.state = 'active' AND a.state = 'open'
    UNION ALL
    -- It waits from the day after the client confirmed it, or a week after the next debit of its rhythm could have run.
    SELECT m.merchant_id, 'idle', m.id, m.accepted_at, false, 0, '', CASE WHEN d.last IS NULL
        THEN (m.accepted_at AT TIME ZONE 'Africa/Johannesburg')::date + 1
        ELSE d.last + CASE m.period_units WHEN 'days' THEN 8 WHEN 'weeks' THEN 14 ELSE 38 END END
    FROM mandates m JOIN tokens t ON t.id = m.id AND t.state = 'active'
        CROSS JOIN LATERAL (SELECT max(c.action_date) AS last, bool_or(c.state IN ('scheduled', 'submitted', 'in_tracking'))
            AS planned FROM collections c WHERE c.mandate_id = m.id) d
    WHERE m.kind = 'debicheck' AND m.state IN ('active', 'registered_unauthenticated') AND NOT m.one_debit
        AND m.terms ->> 'debit_sequence' = 'RCUR' AND m.accepted_at IS NOT NULL AND d.planned IS NOT TRUE
        AND NOT EXISTS (SELECT FROM template_clients s WHERE s.token_id = m.id AND s.status <> 'inactive')
        AND NOT EXISTS (SELECT FROM template_clients s WHERE s.stored_token = m.id)
        AND NOT EXISTS (SELECT FROM amendments a WHERE a.purchase_id = m.id AND a.state = 'open');

-- Needs attention asks for what is still to be paid of a purchase, and shows what the client has back twice.
CREATE OR REPLACE VIEW attention_waits AS
    SELECT p.merchant_id, w.kind, p.id AS object_id, coalesce(w.at, p.updated_at) AS at,
        w.kind = 'failed' AND w.at IS NOT NULL AS answered, w.cents, p.currency
    FROM purchases p CROSS JOIN LATERAL (
        SELECT 'failed', c.result_at, greatest(p.total_cents - p.net_cents - p.refunded_cents, 0) FROM collections c
            WHERE is_owed(p.status) AND p.collection_count > 0 AND c.purchase_id = p.id AND c.attempt = p.collection_count
                AND c.merchant_id = p.merchant_id AND c.state IN ('unpaid', 'recalled')
        UNION ALL
        SELECT 'account_gone', p.updated_at, greatest(p.total_cents - p.net_cents - p.refunded_cents, 0)
            WHERE is_owed(p.status) AND lost_account(p.attempts)
        UNION ALL
        SELECT 'disputed', (SELECT c.result_at FROM collections c WHERE c.purchase_id = p.id AND c.attempt = p.collection_count),
            p.total_cents
            WHERE p.status = 'chargeback' AND (SELECT c.state FROM collections c
                WHERE c.purchase_id = p.id AND c.attempt = p.collection_count) IS DISTINCT FROM 'dispute_lost'
        UNION ALL
        SELECT 'twice', p.updated_at, greatest(-p.net_cents, p.overpaid_cents) WHERE p.net_cents < 0 OR p.overpaid_cents > 0
        UNION ALL
        SELECT 'refund', (SELECT min(r.created_at) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'),
            coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'), 0)::bigint
            WHERE p.status = 'pending_refund'
    ) AS w (kind, at, cents)
    WHERE may_wait(p.status, p.collection_count, p.attempts, p.net_cents) OR p.overpaid_cents > 0
    UNION ALL
    SELECT p.merchant_id, 'unconfirmed', p.id, m.updated_at, false, p.total_cents, p.currency
    FROM mandates m JOIN purchases p ON p.id = m.id AND p.merchant_id = m.merchant_id
    WHERE m.kind = 'debicheck' AND m.state IN ('rejected', 'no_response', 'failed') AND is_owed(p.status)
    UNION ALL
    SELECT p.merchant_id, 'silent', p.id, max(c.alerted_at), false, p.total_cents, p.currency
    FROM collections c JOIN purchases p ON p.id = c.purchase_id AND p.merchant_id = c.merchant_id
    WHERE c.state = 'submitted' AND c.alerted_at IS NOT NULL GROUP BY p.id
    UNION ALL
    SELECT t.merchant_id, 'blocked', t.id, t.updated_at, false, 0, ''
    FROM tokens t WHERE t.state = 'blocked' AND (
        EXISTS (SELECT FROM purchases w WHERE w.token_id = t.id AND w.status = 'pending_charge')
        OR EXISTS (SELECT FROM template_clients w WHERE w.token_id = t.id AND w.status = 'active'))
    UNION ALL
    SELECT m.merchant_id, 'suspended', m.id, m.updated_at, false, 0, ''
    FROM mandates m WHERE m.state = 'suspended' AND m.reason_code NOT IN ('MCOC', 'MCFC')
        AND EXISTS (SELECT FROM tokens old WHERE old.id = m.id AND old.state = 'blocked')
        AND NOT EXISTS (SELECT FROM tokens later WHERE later.client_id = m.client_id AND later.id > m.id
            AND later.state = 'active')
    UNION ALL
    SELECT s.merchant_id, 'stranded', s.id, coalesce(s.next_at, 'infinity'), false, 0, ''
    FROM template_clients s LEFT JOIN tokens t ON t.id = s.token_id AND t.merchant_id = s.merchant_id
    WHERE s.status = 'active' AND (s.token_id IS NULL OR is_unusable(t.state))
    UNION ALL
    SELECT f.merchant_id, 'mail', f.id, f.created_at, false, 0, ''
    FROM mails f WHERE f.state = 'failed' AND NOT EXISTS (SELECT FROM mails later
        WHERE later.object_id = f.object_id AND later.kind = f.kind AND later.attempt > f.attempt);

-- A plan is at work on a purchase until the day after its next step is due: before, nobody has to look at the failure.
-- A plan that is paused is at work on nothing, and neither is one that a person holds or that handed over.
CREATE OR REPLACE VIEW plans_at_work AS
    SELECT r.merchant_id, r.purchase_id, p.name AS plan, g.step, (g.step AT TIME ZONE 'Africa/Johannesburg')::date + 1 AS until
    FROM plan_runs r JOIN plans p ON p.id = r.plan_id AND p.state = 'active',
        LATERAL (SELECT plan_run_goes_on(r.state, r.due_at, r.held_until) AS step) g
    WHERE r.state IN ('waiting', 'held') AND g.step IS NOT NULL;

CREATE OR REPLACE FUNCTION plan_at_work_until(purchase uuid) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT until FROM plans_at_work WHERE purchase_id = purchase $$;

-- What clients asked for waits for an answer. The one definition of what waits, with requests in it.
CREATE OR REPLACE VIEW attention_facts AS
    SELECT w.merchant_id, w.kind, w.object_id, w.at, w.answered, w.cents, w.currency,
        greatest(w.from_day, CASE WHEN f.at = w.at THEN f.hidden_until ELSE '-infinity' END,
            CASE WHEN w.kind IN ('failed', 'account_gone', 'overdue') AND is_promised(w.merchant_id, w.object_id)
                THEN 'infinity'::date ELSE '-infinity' END,
            CASE WHEN w.kind = 'failed' THEN plan_at_work_until(w.object_id) END) AS hidden_until,
        o.owner_id
    FROM (
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, '-infinity'::date AS from_day FROM attention_waits
        UNION ALL
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, from_day FROM attention_more
        UNION ALL
        SELECT p.merchant_id, 'promise', p.id, p.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, p.amount_cents,
            p.currency, p.due_on + 1
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL AND NOT promise_paid(p)
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))
        UNION ALL
        SELECT r.merchant_id, 'request', r.id, r.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, 0, '',
            '-infinity'::date
        FROM client_requests r WHERE r.state = 'open') w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;

CREATE OR REPLACE TRIGGER note_needed_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN (OLD.status = 'pending_charge' OR (OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')) AND OLD.method <> '') EXECUTE FUNCTION note_needed();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON collections FOR EACH ROW
    WHEN ((OLD.alerted_at IS NOT NULL
        OR OLD.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost'))) EXECUTE FUNCTION note_of_purchase();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON collections FOR EACH ROW
    WHEN ((OLD.alerted_at IS NOT NULL
        OR OLD.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost')) OR (NEW.alerted_at IS NOT NULL
        OR NEW.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost')))
    EXECUTE FUNCTION note_of_purchase();
CREATE OR REPLACE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION note_of_purchase();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON client_requests FOR EACH ROW EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON client_requests FOR EACH ROW
    WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON client_requests FOR EACH ROW EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON mails FOR EACH ROW WHEN (OLD.state = 'failed') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON mails FOR EACH ROW
    WHEN (OLD.state = 'failed' OR NEW.state = 'failed') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON mails FOR EACH ROW WHEN (NEW.state = 'failed') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON mandates FOR EACH ROW
    WHEN (OLD.state IN ('rejected', 'no_response', 'failed', 'suspended')) EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (OLD.state IN ('rejected', 'no_response', 'failed', 'suspended') OR NEW.state IN ('rejected', 'no_response', 'failed', 'suspended')) EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON mandates FOR EACH ROW
    WHEN (NEW.state IN ('rejected', 'no_response', 'failed', 'suspended')) EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_usable AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (NEW.kind = 'debicheck' AND (OLD.kind, OLD.state, OLD.accepted_at, OLD.one_debit, OLD.terms)
            IS DISTINCT FROM (NEW.kind, NEW.state, NEW.accepted_at, NEW.one_debit, NEW.terms)
        AND (OLD.state IN ('active', 'registered_unauthenticated') OR NEW.state IN ('active', 'registered_unauthenticated')))
    EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN ((OLD.net_cents < 0 OR OLD.status IN ('chargeback', 'pending_refund')
        OR OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (OLD.collection_count > 0
                OR OLD.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))) EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_overdue AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.status = 'overdue') <> (NEW.status = 'overdue')
        OR NEW.status = 'overdue' AND (OLD.collection_count, OLD.total_cents, OLD.attempts)
            IS DISTINCT FROM (NEW.collection_count, NEW.total_cents, NEW.attempts)) EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_overdue_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN (OLD.status = 'overdue') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_unfit AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.unfit IS DISTINCT FROM NEW.unfit OR NEW.unfit <> '' AND OLD.next_at IS DISTINCT FROM NEW.next_at)
    EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON tokens FOR EACH ROW WHEN (OLD.state = 'blocked') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state = 'blocked' OR NEW.state = 'blocked') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON tokens FOR EACH ROW WHEN (NEW.state = 'blocked') EXECUTE FUNCTION note_itself();
CREATE OR REPLACE TRIGGER note_chargeable AFTER INSERT OR DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION note_token();
CREATE OR REPLACE TRIGGER note_chargeable_moved AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state <> NEW.state OR OLD.client_id IS DISTINCT FROM NEW.client_id) EXECUTE FUNCTION note_token();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON template_clients FOR EACH ROW
    WHEN (OLD.status = 'active') EXECUTE FUNCTION note_subscriber_token();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN ((OLD.status = 'active' OR NEW.status = 'active')
        AND (OLD.status <> NEW.status OR OLD.token_id IS DISTINCT FROM NEW.token_id))
    EXECUTE FUNCTION note_subscriber_token();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.status = 'active') EXECUTE FUNCTION note_subscriber_token();
CREATE OR REPLACE TRIGGER note_turn AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.status = 'active' AND NEW.status = 'active' AND OLD.next_at IS DISTINCT FROM NEW.next_at)
    EXECUTE FUNCTION note_subscriber_turn();
CREATE OR REPLACE TRIGGER note_earlier AFTER INSERT ON mails FOR EACH ROW WHEN (NEW.attempt > 1) EXECUTE FUNCTION note_earlier_mails();
CREATE OR REPLACE TRIGGER note_earlier_gone AFTER DELETE ON mails FOR EACH ROW WHEN (OLD.attempt > 1) EXECUTE FUNCTION note_earlier_mails();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON bank_items REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_items();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON bank_items REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION note_items();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON bank_items REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_items();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON bank_answers REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_answers();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON bank_answers REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_answers();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON bank_entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE OR REPLACE TRIGGER note_is AFTER UPDATE ON bank_entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON bank_entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE OR REPLACE TRIGGER note_was AFTER UPDATE ON bank_entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON bank_files_out FOR EACH ROW
    WHEN (OLD.ack_at IS NOT NULL) EXECUTE FUNCTION note_acknowledged();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON bank_files_out FOR EACH ROW
    WHEN ((OLD.ack_at IS NULL) <> (NEW.ack_at IS NULL)) EXECUTE FUNCTION note_acknowledged();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON bank_files_out FOR EACH ROW
    WHEN (NEW.ack_at IS NOT NULL) EXECUTE FUNCTION note_acknowledged();
CREATE OR REPLACE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON bank_statements FOR EACH ROW EXECUTE FUNCTION note_statement();
CREATE OR REPLACE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON promises FOR EACH ROW EXECUTE FUNCTION note_promise();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON plan_runs REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_runs();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON plan_runs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_runs();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON plan_runs REFERENCING OLD TABLE AS older NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_runs();
CREATE OR REPLACE TRIGGER note_runs AFTER UPDATE ON plans FOR EACH ROW
    WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION note_runs_of_plan();
CREATE OR REPLACE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON followups FOR EACH ROW EXECUTE FUNCTION note_object();
CREATE OR REPLACE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON owners FOR EACH ROW EXECUTE FUNCTION note_object();

DROP TRIGGER IF EXISTS note_solved ON attention;
CREATE CONSTRAINT TRIGGER note_solved AFTER DELETE ON attention DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_solved();
CREATE OR REPLACE TRIGGER count_gone AFTER DELETE ON attention REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION count_attention();
CREATE OR REPLACE TRIGGER count_moved AFTER UPDATE ON attention REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_attention();

-- Only the sweep waits for these triggers to be made.
CREATE OR REPLACE TRIGGER count_new AFTER INSERT ON attention REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_attention();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON purchases FOR EACH ROW EXECUTE FUNCTION note_purchase_new();
CREATE OR REPLACE TRIGGER note_moved AFTER UPDATE ON purchases FOR EACH ROW EXECUTE FUNCTION note_purchase_moved();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON collections FOR EACH ROW EXECUTE FUNCTION note_debit_new();
CREATE OR REPLACE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON amendments FOR EACH ROW EXECUTE FUNCTION note_replacement();
CREATE OR REPLACE TRIGGER note_in_use AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state <> NEW.state AND (OLD.state = 'active' OR NEW.state = 'active')) EXECUTE FUNCTION note_token_in_use();
CREATE OR REPLACE TRIGGER note_in_use_new AFTER INSERT ON tokens FOR EACH ROW
    WHEN (NEW.state = 'active') EXECUTE FUNCTION note_token_in_use();
CREATE OR REPLACE TRIGGER note_mandate_gone AFTER DELETE ON collections FOR EACH ROW
    WHEN (OLD.method = 'debicheck') EXECUTE FUNCTION note_mandate_of_debit();
CREATE OR REPLACE TRIGGER note_mandate_moved AFTER UPDATE ON collections FOR EACH ROW
    WHEN (NEW.method = 'debicheck' AND (OLD.action_date <> NEW.action_date
        OR (OLD.state IN ('scheduled', 'submitted', 'in_tracking')) <> (NEW.state IN ('scheduled', 'submitted', 'in_tracking'))))
    EXECUTE FUNCTION note_mandate_of_debit();
CREATE OR REPLACE TRIGGER note_mandate_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.method = 'debicheck') EXECUTE FUNCTION note_mandate_of_debit();
CREATE OR REPLACE TRIGGER note_mandate_gone AFTER DELETE ON template_clients FOR EACH ROW
    WHEN (OLD.token_id IS NOT NULL) EXECUTE FUNCTION note_mandate_of_token();
CREATE OR REPLACE TRIGGER note_mandate_moved AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.token_id IS DISTINCT FROM NEW.token_id OR (OLD.status = 'inactive') <> (NEW.status = 'inactive'))
    EXECUTE FUNCTION note_mandate_of_token();
CREATE OR REPLACE TRIGGER note_mandate_new AFTER INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.token_id IS NOT NULL) EXECUTE FUNCTION note_mandate_of_token();
CREATE OR REPLACE TRIGGER note_planned AFTER INSERT OR UPDATE OR DELETE ON proclaimed_days FOR EACH ROW EXECUTE FUNCTION note_closed_day();
CREATE OR REPLACE TRIGGER note_closed_moved AFTER UPDATE ON collections FOR EACH ROW
    WHEN ((OLD.state = 'scheduled' OR NEW.state = 'scheduled')
        AND (OLD.state <> NEW.state OR OLD.action_date <> NEW.action_date)) EXECUTE FUNCTION note_debit_on_closed_day();
CREATE OR REPLACE TRIGGER note_closed_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.state = 'scheduled') EXECUTE FUNCTION note_debit_on_closed_day();
