-- +goose Up
-- The figures that pages show are kept with the facts, so that no page counts or sums rows, however many there are.
--
-- Sums (ledger_days, ledger_months, debit_days): every change of a fact leaves its difference beside them, in the same
-- transaction; a sweep adds the differences up. So nobody waits for another's sum, and sum plus differences is exact.
--
-- Answers that several tables decide (attention, bank_days): every change notes what may have changed with it. A sweep
-- looks at what was noted and keeps the answer. Who reads takes the kept answer of what is not noted, and looks at the
-- facts of what is: exact at any moment.
--
-- SELECT * FROM check_figures() compares all of it with the facts and gives what differs; SELECT rebuild_figures()
-- computes it anew. Rows that were added while triggers were off need it. Neither keeps anybody waiting.

-- Money that moved, by what reports ask for.
CREATE TABLE ledger_days (
    merchant_id uuid     NOT NULL,
    day         date     NOT NULL,
    currency    text     NOT NULL,
    kind        text     NOT NULL,
    brand_id    uuid     NOT NULL,
    product     text     NOT NULL,
    method      text     NOT NULL,               -- of the debit; empty: it came by hand
    stored      boolean  NOT NULL,               -- from an account that was stored before
    sign        smallint NOT NULL,               -- 1: came in, -1: went out
    n           bigint   NOT NULL,
    cents       numeric  NOT NULL,               -- below zero for what went out
    PRIMARY KEY (merchant_id, day, currency, kind, brand_id, product, method, stored, sign)
);
CREATE TABLE ledger_months (LIKE ledger_days INCLUDING ALL); -- the day is the first of the month
CREATE TABLE ledger_day_deltas (
    LIKE ledger_days,
    id bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);

-- Debits by their date. What waits to be handed over also has the moment by which that is to be done, and what may be
-- returned the day on which it was paid.
CREATE TABLE debit_days (
    merchant_id uuid        NOT NULL,
    state       text        NOT NULL,
    day         date        NOT NULL,
    at          timestamptz NOT NULL,            -- -infinity in all other states
    currency    text        NOT NULL,
    brand_id    uuid        NOT NULL,
    method      text        NOT NULL,
    stored      boolean     NOT NULL,
    n           bigint      NOT NULL,
    cents       numeric     NOT NULL,
    PRIMARY KEY (merchant_id, state, day, at, currency, brand_id, method, stored)
);
CREATE TABLE debit_day_deltas (
    LIKE debit_days,
    id bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);

CREATE FUNCTION debit_day_at(state text, submit_at timestamptz, provisional_at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE AS $$
    SELECT CASE state WHEN 'scheduled' THEN submit_at
        WHEN 'provisional' THEN coalesce(date_trunc('day', provisional_at, 'Africa/Johannesburg'), '-infinity')
        ELSE '-infinity' END $$;

CREATE VIEW ledger_day_facts AS
    SELECT e.merchant_id, e.day, e.currency, e.kind,
        coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000') AS brand_id, coalesce(p.product, '') AS product,
        coalesce(d.method, '') AS method, d.token_id IS NOT NULL AND d.token_id <> e.purchase_id AS stored,
        sign(e.amount_cents)::smallint AS sign, count(*) AS n, sum(e.amount_cents) AS cents
    FROM ledger_entries e LEFT JOIN purchases p ON p.id = e.purchase_id LEFT JOIN collections d ON d.id = e.collection_id
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

CREATE VIEW debit_day_facts AS
    SELECT merchant_id, state, action_date AS day, debit_day_at(state, submit_at, provisional_at) AS at, currency,
        brand_id, method, token_id <> purchase_id AS stored, count(*) AS n, sum(amount_cents) AS cents
    FROM collections GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

-- +goose StatementBegin
CREATE FUNCTION sum_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- +goose StatementEnd
CREATE TRIGGER sum_new AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();
CREATE TRIGGER sum_gone AFTER DELETE ON ledger_entries REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();
CREATE TRIGGER sum_moved AFTER UPDATE ON ledger_entries REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();

-- +goose StatementBegin
CREATE FUNCTION sum_debits() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- +goose StatementEnd
CREATE TRIGGER sum_new AFTER INSERT ON collections REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_debits();
CREATE TRIGGER sum_gone AFTER DELETE ON collections REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION sum_debits();
CREATE TRIGGER sum_moved AFTER UPDATE ON collections REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION sum_debits();

-- Refunds since a day: what is to be taken off what may still be returned.
CREATE INDEX refunds_by_merchant ON refunds (merchant_id, created_at);

-- What waits for a person: one row for each thing and why.
CREATE TABLE attention (
    merchant_id uuid        NOT NULL,
    kind        text        NOT NULL,
    object_id   uuid        NOT NULL,
    at          timestamptz NOT NULL,            -- since when, as the list of it says
    answered    boolean     NOT NULL,            -- of a failed debit: at is the moment of the bank's answer
    cents       bigint      NOT NULL,
    currency    text        NOT NULL,
    PRIMARY KEY (merchant_id, object_id, kind)
);
CREATE INDEX attention_by_kind ON attention (merchant_id, kind, at) INCLUDE (object_id, answered, cents, currency);

-- What may have begun or ceased to wait since. A note stays until every transaction has ended that was under way when
-- it was written: one of them may have decided by what it could not see yet that it need not write a note itself.
CREATE TABLE attention_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    merchant_id uuid   NOT NULL,
    object_id   uuid   NOT NULL,                 -- of a purchase, token, mandate, subscriber or mail
    xact        xid8   NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, id)
);

-- Statuses in which a purchase is still to be paid.
CREATE FUNCTION is_owed(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT status IN ('created', 'sent', 'viewed', 'error', 'overdue') $$;
CREATE FUNCTION lost_account(attempts jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT coalesce(attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired', false) $$;
-- As far as its own row tells, a purchase may wait for a person.
CREATE FUNCTION may_wait(status text, collection_count integer, attempts jsonb, net_cents bigint) RETURNS boolean
    LANGUAGE sql IMMUTABLE AS
    $$ SELECT net_cents < 0 OR status IN ('chargeback', 'pending_refund')
        OR is_owed(status) AND (collection_count > 0 OR lost_account(attempts)) $$;
CREATE FUNCTION is_unusable(token_state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    $$ SELECT token_state IN ('pending', 'blocked', 'deleting', 'deleted', 'superseded') $$;

-- The one definition of what waits for a person.
--   failed        its newest debit failed, and it is still to be paid
--   account_gone  it lost the account it was to be debited from
--   unconfirmed   its DebiCheck mandate was not confirmed
--   disputed      its debit is disputed, until the dispute is decided
--   silent        the bank has not answered its debit in time
--   twice         it was refunded, and returned or disputed as well
--   refund        money waits to be paid back
--   blocked       a blocked account that scheduled purchases or subscribers still need
--   suspended     a mandate that the client's bank suspended, though it was to go on, without a newer account
--   stranded      an active subscriber whose account cannot be charged
--   mail          a mail that could not be delivered and that nobody has sent again
CREATE VIEW attention_facts AS
    SELECT p.merchant_id, w.kind, p.id AS object_id, coalesce(w.at, p.updated_at) AS at,
        w.kind = 'failed' AND w.at IS NOT NULL AS answered, w.cents, p.currency
    FROM purchases p CROSS JOIN LATERAL (
        SELECT 'failed', c.result_at, p.total_cents FROM collections c
            WHERE is_owed(p.status) AND p.collection_count > 0 AND c.purchase_id = p.id AND c.attempt = p.collection_count
                AND c.merchant_id = p.merchant_id AND c.state IN ('unpaid', 'recalled')
        UNION ALL
        SELECT 'account_gone', p.updated_at, p.total_cents WHERE is_owed(p.status) AND lost_account(p.attempts)
        UNION ALL
        SELECT 'disputed', (SELECT c.result_at FROM collections c WHERE c.purchase_id = p.id AND c.attempt = p.collection_count),
            p.total_cents
            WHERE p.status = 'chargeback' AND (SELECT c.state FROM collections c
                WHERE c.purchase_id = p.id AND c.attempt = p.collection_count) IS DISTINCT FROM 'dispute_lost'
        UNION ALL
        SELECT 'twice', p.updated_at, -p.net_cents WHERE p.net_cents < 0
        UNION ALL
        SELECT 'refund', (SELECT min(r.created_at) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'),
            coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.purchase_id = p.id AND r.state = 'pending'), 0)::bigint
            WHERE p.status = 'pending_refund'
    ) AS w (kind, at, cents)
    WHERE may_wait(p.status, p.collection_count, p.attempts, p.net_cents)
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

-- What a merchant's changed things come to now.
CREATE FUNCTION attention_changed(merchant uuid) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency
    FROM (SELECT DISTINCT object_id FROM attention_changes WHERE merchant_id = merchant) c CROSS JOIN LATERAL (
        SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = merchant OFFSET 0) f $$;

-- What waits of a kind now: what is kept and has not changed, and what changed.
CREATE FUNCTION attention_now(merchant uuid, what text) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT a.merchant_id, a.kind, a.object_id, a.at, a.answered, a.cents, a.currency FROM attention a
        WHERE a.merchant_id = merchant AND a.kind = what
            AND a.object_id NOT IN (SELECT object_id FROM attention_changes WHERE merchant_id = merchant)
    UNION ALL
    SELECT * FROM attention_changed(merchant) c WHERE c.kind = what $$;

-- Notes are written by these triggers. Where two tables decide together, at least one of them writes its note whatever
-- the other says; the other may look first.
-- +goose StatementBegin
-- Of what a purchase needs: its mandate when it begins or ceases to be owed, its account when it begins or ceases to be
-- scheduled.
CREATE FUNCTION note_needed() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION note_of_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.purchase_id);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.purchase_id);
    RETURN NULL;
END $$;
CREATE FUNCTION note_itself() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.id);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.id);
    RETURN NULL;
END $$;
-- An account that begins or ceases to be chargeable: the client's suspended mandates, and who is subscribed with it.
CREATE FUNCTION note_token() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION note_subscriber_token() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION note_subscriber_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT NEW.merchant_id, NEW.id WHERE NEW.token_id IS NULL
        OR EXISTS (SELECT FROM tokens t WHERE t.id = NEW.token_id AND is_unusable(t.state));
    RETURN NULL;
END $$;
-- A later mail about the same takes the place of one that failed.
CREATE FUNCTION note_earlier_mails() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE m mails := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT f.merchant_id, f.id FROM mails f
    WHERE f.object_id = m.object_id AND f.kind = m.kind AND f.attempt < m.attempt AND f.state = 'failed';
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The conditions are spelled out: a function in SQL would be read anew by every statement.
CREATE TRIGGER note_new AFTER INSERT ON purchases FOR EACH ROW
    WHEN ((NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0
                OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN ((OLD.net_cents < 0 OR OLD.status IN ('chargeback', 'pending_refund')
        OR OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (OLD.collection_count > 0
                OR OLD.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_moved AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.net_cents < 0 OR OLD.status IN ('chargeback', 'pending_refund')
        OR OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (OLD.collection_count > 0
                OR OLD.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))
        OR (NEW.net_cents < 0 OR NEW.status IN ('chargeback', 'pending_refund')
        OR NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')
            AND (NEW.collection_count > 0
                OR NEW.attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired'))
        OR OLD.total_cents <> NEW.total_cents OR OLD.currency <> NEW.currency) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_needed_new AFTER INSERT ON purchases FOR EACH ROW
    WHEN (NEW.status = 'pending_charge') EXECUTE FUNCTION note_needed();
CREATE TRIGGER note_needed_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN (OLD.status = 'pending_charge' OR (OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')) AND OLD.method <> '') EXECUTE FUNCTION note_needed();
CREATE TRIGGER note_needed_moved AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.status = 'pending_charge' OR NEW.status = 'pending_charge')
            AND (OLD.status <> NEW.status OR OLD.token_id IS DISTINCT FROM NEW.token_id)
        OR (OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue')) <> (NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue')) AND (OLD.method <> '' OR NEW.method <> ''))
    EXECUTE FUNCTION note_needed();

CREATE TRIGGER note_new AFTER INSERT ON collections FOR EACH ROW
    WHEN ((NEW.alerted_at IS NOT NULL
        OR NEW.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost'))) EXECUTE FUNCTION note_of_purchase();
CREATE TRIGGER note_gone AFTER DELETE ON collections FOR EACH ROW
    WHEN ((OLD.alerted_at IS NOT NULL
        OR OLD.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost'))) EXECUTE FUNCTION note_of_purchase();
CREATE TRIGGER note_moved AFTER UPDATE ON collections FOR EACH ROW
    WHEN ((OLD.alerted_at IS NOT NULL
        OR OLD.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost')) OR (NEW.alerted_at IS NOT NULL
        OR NEW.state IN ('unpaid', 'recalled', 'disputed', 'dispute_won', 'dispute_lost')))
    EXECUTE FUNCTION note_of_purchase();
CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION note_of_purchase();

CREATE TRIGGER note_new AFTER INSERT ON mandates FOR EACH ROW
    WHEN (NEW.state IN ('rejected', 'no_response', 'failed', 'suspended')) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_gone AFTER DELETE ON mandates FOR EACH ROW
    WHEN (OLD.state IN ('rejected', 'no_response', 'failed', 'suspended')) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_moved AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (OLD.state IN ('rejected', 'no_response', 'failed', 'suspended') OR NEW.state IN ('rejected', 'no_response', 'failed', 'suspended')) EXECUTE FUNCTION note_itself();

CREATE TRIGGER note_new AFTER INSERT ON tokens FOR EACH ROW WHEN (NEW.state = 'blocked') EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_gone AFTER DELETE ON tokens FOR EACH ROW WHEN (OLD.state = 'blocked') EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_moved AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state = 'blocked' OR NEW.state = 'blocked') EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_chargeable AFTER INSERT OR DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION note_token();
CREATE TRIGGER note_chargeable_moved AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state <> NEW.state OR OLD.client_id IS DISTINCT FROM NEW.client_id) EXECUTE FUNCTION note_token();

CREATE TRIGGER note_new AFTER INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.status = 'active') EXECUTE FUNCTION note_subscriber_token();
CREATE TRIGGER note_gone AFTER DELETE ON template_clients FOR EACH ROW
    WHEN (OLD.status = 'active') EXECUTE FUNCTION note_subscriber_token();
CREATE TRIGGER note_moved AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN ((OLD.status = 'active' OR NEW.status = 'active')
        AND (OLD.status <> NEW.status OR OLD.token_id IS DISTINCT FROM NEW.token_id))
    EXECUTE FUNCTION note_subscriber_token();
CREATE TRIGGER note_turn AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.status = 'active' AND NEW.status = 'active' AND OLD.next_at IS DISTINCT FROM NEW.next_at)
    EXECUTE FUNCTION note_subscriber_turn();

CREATE TRIGGER note_new AFTER INSERT ON mails FOR EACH ROW WHEN (NEW.state = 'failed') EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_gone AFTER DELETE ON mails FOR EACH ROW WHEN (OLD.state = 'failed') EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_moved AFTER UPDATE ON mails FOR EACH ROW
    WHEN (OLD.state = 'failed' OR NEW.state = 'failed') EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_earlier AFTER INSERT ON mails FOR EACH ROW WHEN (NEW.attempt > 1) EXECUTE FUNCTION note_earlier_mails();
CREATE TRIGGER note_earlier_gone AFTER DELETE ON mails FOR EACH ROW WHEN (OLD.attempt > 1) EXECUTE FUNCTION note_earlier_mails();

-- These served only the searches for what waits.
DROP INDEX IF EXISTS purchases_debited_owed, purchases_account_gone, purchases_below_zero, collections_failed_last,
    collections_failed, collections_alerted, template_clients_no_account;

-- What became of each day at the bank: its debits, what went back, what was booked.
CREATE TABLE bank_days (
    merchant_id   uuid    NOT NULL,
    day           date    NOT NULL,
    handed_n      bigint  NOT NULL,
    handed        numeric NOT NULL,
    ack_n         bigint  NOT NULL,
    ack           numeric NOT NULL,
    open_n        bigint  NOT NULL,
    open          numeric NOT NULL,
    paid_n        bigint  NOT NULL,
    paid          numeric NOT NULL,
    back_n        bigint  NOT NULL,
    back          numeric NOT NULL,
    booked_n      bigint  NOT NULL,
    booked        numeric NOT NULL,
    moved         bigint  NOT NULL,
    told          boolean NOT NULL,
    PRIMARY KEY (merchant_id, day)
);
CREATE TABLE bank_day_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    xact        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, id)
);

-- The parts of a day, as the lists behind them have them.
CREATE VIEW bank_day_facts AS
    SELECT merchant_id, day, sum(handed_n)::bigint AS handed_n, sum(handed) AS handed, sum(ack_n)::bigint AS ack_n,
        sum(ack) AS ack, sum(open_n)::bigint AS open_n, sum(open) AS open, sum(paid_n)::bigint AS paid_n, sum(paid) AS paid,
        sum(back_n)::bigint AS back_n, sum(back) AS back, sum(booked_n)::bigint AS booked_n, sum(booked) AS booked,
        sum(moved)::bigint AS moved, bool_or(told) AS told
    FROM (
        SELECT i.merchant_id, i.action_date AS day,
            count(*) FILTER (WHERE i.message_id IS NOT NULL) AS handed_n,
            coalesce(sum(i.amount_cents) FILTER (WHERE i.message_id IS NOT NULL), 0) AS handed,
            count(*) FILTER (WHERE m.ack_at IS NOT NULL) AS ack_n,
            coalesce(sum(i.amount_cents) FILTER (WHERE m.ack_at IS NOT NULL), 0) AS ack,
            count(*) FILTER (WHERE i.message_id IS NOT NULL AND i.state = 'sent' AND i.outcome IN ('', 'in_tracking')) AS open_n,
            coalesce(sum(i.amount_cents) FILTER (WHERE i.message_id IS NOT NULL AND i.state = 'sent'
                AND i.outcome IN ('', 'in_tracking')), 0) AS open,
            count(*) FILTER (WHERE i.outcome IN ('provisional', 'successful')) AS paid_n,
            coalesce(sum(i.amount_cents) FILTER (WHERE i.outcome IN ('provisional', 'successful')), 0) AS paid,
            0 AS back_n, 0 AS back, 0 AS booked_n, 0 AS booked, 0 AS moved, false AS told
        FROM bank_items i LEFT JOIN bank_files_out m ON m.id = i.message_id WHERE i.kind = 'debits' GROUP BY 1, 2
        UNION ALL
        SELECT i.merchant_id, i.action_date, 0, 0, 0, 0, 0, 0, count(*), sum(i.amount_cents), 0, 0, 0, 0, 0, false
        FROM bank_items i WHERE i.kind = 'debits' AND i.outcome IN ('unpaid', 'disputed') AND (
            EXISTS (SELECT FROM bank_answers a WHERE a.item_id = i.id AND a.kind IN ('provisional', 'successful'))
            OR EXISTS (SELECT FROM bank_entries e WHERE e.item_id = i.id AND e.state = 'matched')) GROUP BY 1, 2
        UNION ALL
        SELECT i.merchant_id, i.outcome_on, 0, 0, 0, 0, 0, 0, 0, 0, count(*), sum(i.amount_cents), 0, 0, 0, false
        FROM bank_items i WHERE i.outcome IN ('unpaid', 'disputed', 'refund_settled') AND (i.kind = 'refunds'
            OR i.kind = 'debits' AND i.outcome IN ('unpaid', 'disputed') AND (
            EXISTS (SELECT FROM bank_answers a WHERE a.item_id = i.id AND a.kind IN ('provisional', 'successful'))
            OR EXISTS (SELECT FROM bank_entries e WHERE e.item_id = i.id AND e.state = 'matched'))) GROUP BY 1, 2
        UNION ALL
        SELECT e.merchant_id, e.booked_on, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*) FILTER (WHERE e.state = 'matched'),
            coalesce(sum(CASE WHEN e.credit THEN e.amount_cents ELSE -e.amount_cents END) FILTER (WHERE e.state = 'matched'), 0),
            count(*), false
        FROM bank_entries e WHERE e.merchant_id IS NOT NULL GROUP BY 1, 2
        UNION ALL
        SELECT DISTINCT merchant_id, day, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true FROM bank_statements
    ) AS parts WHERE day IS NOT NULL GROUP BY merchant_id, day;

-- +goose StatementBegin
CREATE FUNCTION bank_days_now(merchant uuid, first date, last date) RETURNS SETOF bank_days LANGUAGE sql STABLE AS $$
    SELECT * FROM bank_days b WHERE b.merchant_id = merchant AND b.day BETWEEN first AND last
        AND b.day NOT IN (SELECT day FROM bank_day_changes WHERE merchant_id = merchant)
    UNION ALL
    SELECT f.* FROM (SELECT DISTINCT day FROM bank_day_changes WHERE merchant_id = merchant AND day BETWEEN first AND last) c
        CROSS JOIN LATERAL (SELECT * FROM bank_day_facts d WHERE d.merchant_id = merchant AND d.day = c.day OFFSET 0) f $$;

CREATE FUNCTION note_items() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION note_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT DISTINCT i.merchant_id, d.day FROM changed c JOIN bank_items i ON i.id = c.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;
CREATE FUNCTION note_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT e.merchant_id, e.booked_on FROM changed e WHERE e.merchant_id IS NOT NULL
    UNION
    SELECT i.merchant_id, d.day FROM changed e JOIN bank_items i ON i.id = e.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;
CREATE FUNCTION note_acknowledged() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE m bank_files_out := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT DISTINCT i.merchant_id, i.action_date FROM bank_items i WHERE i.message_id = m.id AND i.action_date IS NOT NULL;
    RETURN NULL;
END $$;
CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO bank_day_changes (merchant_id, day) VALUES (OLD.merchant_id, OLD.day);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO bank_day_changes (merchant_id, day) VALUES (NEW.merchant_id, NEW.day);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER note_new AFTER INSERT ON bank_items REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_items();
CREATE TRIGGER note_gone AFTER DELETE ON bank_items REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_items();
CREATE TRIGGER note_moved AFTER UPDATE ON bank_items REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION note_items();
CREATE TRIGGER note_new AFTER INSERT ON bank_answers REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_answers();
CREATE TRIGGER note_gone AFTER DELETE ON bank_answers REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_answers();
CREATE TRIGGER note_new AFTER INSERT ON bank_entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE TRIGGER note_gone AFTER DELETE ON bank_entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE TRIGGER note_was AFTER UPDATE ON bank_entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE TRIGGER note_is AFTER UPDATE ON bank_entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_movement();
CREATE TRIGGER note_moved AFTER UPDATE ON bank_files_out FOR EACH ROW
    WHEN ((OLD.ack_at IS NULL) <> (NEW.ack_at IS NULL)) EXECUTE FUNCTION note_acknowledged();
CREATE TRIGGER note_new AFTER INSERT ON bank_files_out FOR EACH ROW
    WHEN (NEW.ack_at IS NOT NULL) EXECUTE FUNCTION note_acknowledged();
CREATE TRIGGER note_gone AFTER DELETE ON bank_files_out FOR EACH ROW
    WHEN (OLD.ack_at IS NOT NULL) EXECUTE FUNCTION note_acknowledged();
CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON bank_statements FOR EACH ROW EXECUTE FUNCTION note_statement();

-- What the sweep saw when it came by last, and a number above all transactions that had begun by then.
CREATE TABLE figure_sweep (
    one  boolean     PRIMARY KEY CHECK (one),
    seen pg_snapshot NOT NULL,
    ends xid8        NOT NULL
);
INSERT INTO figure_sweep VALUES (true, pg_current_snapshot(), pg_current_xact_id());

-- Of the notes that a sweep may work off: it saw them when it came by before, and since then every transaction has
-- ended that was under way at that time. Notes that came with a copy of a database bear numbers of transactions that
-- this server has not given out yet, and may be worked off at once.
CREATE FUNCTION is_settled(xact xid8, seen pg_snapshot) RETURNS boolean LANGUAGE sql STABLE AS
    $$ SELECT pg_visible_in_snapshot(xact, seen) OR xact >= pg_snapshot_xmax(pg_current_snapshot()) $$;

-- fold_figures adds up to "most" differences of each kind to the sums, works off as many notes, and tells how many
-- there were. One process folds at a time.
-- +goose StatementBegin
CREATE FUNCTION fold_figures(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
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
            SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency
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
CREATE FUNCTION check_figures() RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text)
    LANGUAGE sql STABLE AS $$
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
    WHERE (a.at, a.answered, a.cents, a.currency) IS DISTINCT FROM (f.at, f.answered, f.cents, f.currency)
        AND (a.kind IS NULL OR a.kind <> 'mail' OR a.at > now() - interval '35 days')
        AND coalesce(a.object_id, f.object_id) NOT IN (SELECT object_id FROM attention_changes)
    UNION ALL
    SELECT 'bank days', coalesce(b.merchant_id, f.merchant_id), coalesce(b.day, f.day)::text, b::text, f::text
    FROM bank_days b FULL JOIN bank_day_facts f ON (f.merchant_id, f.day) = (b.merchant_id, b.day)
    WHERE b::text IS DISTINCT FROM f::text
        AND (coalesce(b.merchant_id, f.merchant_id), coalesce(b.day, f.day)) NOT IN (SELECT c.merchant_id, c.day FROM bank_day_changes c)
$$;

-- rebuild_figures computes every figure anew. What it finds wrong it corrects by a difference, as any other change does,
-- so that it holds up nobody and nothing is lost that happens meanwhile.
CREATE FUNCTION rebuild_figures() RETURNS void LANGUAGE plpgsql AS $$
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
    PERFORM fold_figures(2147483647);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER note_changed ON bank_statements;
DROP TRIGGER note_gone ON bank_files_out;
DROP TRIGGER note_new ON bank_files_out;
DROP TRIGGER note_moved ON bank_files_out;
DROP TRIGGER note_is ON bank_entries;
DROP TRIGGER note_was ON bank_entries;
DROP TRIGGER note_gone ON bank_entries;
DROP TRIGGER note_new ON bank_entries;
DROP TRIGGER note_gone ON bank_answers;
DROP TRIGGER note_new ON bank_answers;
DROP TRIGGER note_moved ON bank_items;
DROP TRIGGER note_gone ON bank_items;
DROP TRIGGER note_new ON bank_items;
DROP TRIGGER note_earlier_gone ON mails;
DROP TRIGGER note_earlier ON mails;
DROP TRIGGER note_moved ON mails;
DROP TRIGGER note_gone ON mails;
DROP TRIGGER note_new ON mails;
DROP TRIGGER note_turn ON template_clients;
DROP TRIGGER note_moved ON template_clients;
DROP TRIGGER note_gone ON template_clients;
DROP TRIGGER note_new ON template_clients;
DROP TRIGGER note_chargeable_moved ON tokens;
DROP TRIGGER note_chargeable ON tokens;
DROP TRIGGER note_moved ON tokens;
DROP TRIGGER note_gone ON tokens;
DROP TRIGGER note_new ON tokens;
DROP TRIGGER note_moved ON mandates;
DROP TRIGGER note_gone ON mandates;
DROP TRIGGER note_new ON mandates;
DROP TRIGGER note_changed ON refunds;
DROP TRIGGER note_moved ON collections;
DROP TRIGGER note_gone ON collections;
DROP TRIGGER note_new ON collections;
DROP TRIGGER note_needed_moved ON purchases;
DROP TRIGGER note_needed_gone ON purchases;
DROP TRIGGER note_needed_new ON purchases;
DROP TRIGGER note_moved ON purchases;
DROP TRIGGER note_gone ON purchases;
DROP TRIGGER note_new ON purchases;
DROP TRIGGER sum_moved ON collections;
DROP TRIGGER sum_gone ON collections;
DROP TRIGGER sum_new ON collections;
DROP TRIGGER sum_moved ON ledger_entries;
DROP TRIGGER sum_gone ON ledger_entries;
DROP TRIGGER sum_new ON ledger_entries;
DROP FUNCTION check_figures, rebuild_figures, fold_figures, is_settled, bank_days_now, attention_now, attention_changed;
DROP VIEW bank_day_facts, attention_facts, debit_day_facts, ledger_day_facts;
DROP TABLE figure_sweep, bank_day_changes, bank_days, attention_changes, attention, debit_day_deltas, debit_days,
    ledger_day_deltas, ledger_months, ledger_days;
DROP FUNCTION debit_day_at, sum_ledger, sum_debits, is_owed, lost_account, may_wait, is_unusable, note_needed, note_of_purchase, note_itself, note_token, note_subscriber_token, note_subscriber_turn, note_earlier_mails, note_items, note_answers, note_movement, note_acknowledged, note_statement;
DROP INDEX refunds_by_merchant;
CREATE INDEX collections_failed ON collections (merchant_id, result_at) WHERE state = 'unpaid';
CREATE INDEX collections_alerted ON collections (merchant_id) WHERE state = 'submitted' AND alerted_at IS NOT NULL;
CREATE INDEX purchases_account_gone ON purchases (merchant_id, id)
    WHERE attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired' AND status IN ('created', 'sent', 'viewed', 'error', 'overdue');
CREATE INDEX template_clients_no_account ON template_clients (merchant_id, id) WHERE status = 'active' AND token_id IS NULL;
CREATE INDEX purchases_below_zero ON purchases (merchant_id) WHERE net_cents < 0;
CREATE INDEX collections_failed_last ON collections (merchant_id, purchase_id, attempt) INCLUDE (result_at)
    WHERE state IN ('unpaid', 'recalled');
CREATE INDEX purchases_debited_owed ON purchases (merchant_id, id) INCLUDE (collection_count, currency, total_cents)
    WHERE collection_count > 0 AND status IN ('created', 'sent', 'viewed', 'error', 'overdue');
