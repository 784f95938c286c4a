-- +goose Up
-- The journal: each document and each movement of money posts one entry, in the transaction that writes its row. An
-- entry is one row with one amount for each role, and the amounts of a row come to zero. Which account of the
-- merchant's package a role means is a mapping. A month that was closed stays as it is: what becomes known later is
-- posted on the first open day, and true_day says when it was.
SET LOCAL lock_timeout = '10s';

CREATE TABLE book_settings (
    merchant_id uuid     PRIMARY KEY REFERENCES merchants (id),
    year_starts smallint NOT NULL DEFAULT 3 CHECK (year_starts BETWEEN 1 AND 12), -- month of the financial year
    tax_rate    text     NOT NULL DEFAULT 'No VAT'   -- what the package calls a line without tax
);
CREATE TABLE book_accounts (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    role        text NOT NULL,
    brand_id    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- zero: every brand
    code        text NOT NULL,
    name        text NOT NULL,
    PRIMARY KEY (merchant_id, role, brand_id)
);
-- Months that were closed, with what each role came to by then. A reopened one stays as a record.
CREATE TABLE book_closings (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    month         date NOT NULL CHECK (extract(day FROM month) = 1),
    entries       bigint NOT NULL,               -- of all time until then
    balances      jsonb NOT NULL,                -- {"ZAR": {"clr": 64900, ...}}
    closed_at     timestamptz NOT NULL,
    closed_by     text NOT NULL,
    reopened_at   timestamptz,
    reopened_by   text NOT NULL DEFAULT '',
    reopen_reason text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX book_closings_in_force ON book_closings (merchant_id, month) WHERE reopened_at IS NULL;

CREATE TABLE journal_entries (
    n           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid     NOT NULL,
    kind        text     NOT NULL,
    source_id   uuid     NOT NULL,                -- the ledger entry, document or refund that it is of
    turn        smallint NOT NULL DEFAULT 1,      -- a refund may be dropped and asked for again
    brand_id    uuid     NOT NULL,
    purchase_id uuid     NOT NULL,
    day         date     NOT NULL,                -- it is booked on; always in an open month
    true_day    date     NOT NULL,                -- it was
    at          timestamptz NOT NULL,
    currency    text     NOT NULL,
    code        text     NOT NULL DEFAULT '',     -- the bank's
    -- Cents by role: above zero is a debit, below zero a credit.
    ar          bigint   NOT NULL DEFAULT 0,      -- debtors
    clr         bigint   NOT NULL DEFAULT 0,      -- collections in transit
    bank        bigint   NOT NULL DEFAULT 0,      -- paid outside the debit orders
    rev         bigint   NOT NULL DEFAULT 0,      -- revenue
    vato        bigint   NOT NULL DEFAULT 0,      -- output VAT
    vatd        bigint   NOT NULL DEFAULT 0,      -- VAT not yet due
    fee         bigint   NOT NULL DEFAULT 0,      -- fees
    refp        bigint   NOT NULL DEFAULT 0,      -- refunds payable
    unap        bigint   NOT NULL DEFAULT 0,      -- received, not allocated
    bad         bigint   NOT NULL DEFAULT 0,      -- bad debts
    rec         bigint   NOT NULL DEFAULT 0,      -- bad debts recovered
    open        bigint   NOT NULL DEFAULT 0,      -- take-on
    CONSTRAINT journal_entries_sum_zero
        CHECK (ar + clr + bank + rev + vato + vatd + fee + refp + unap + bad + rec + open = 0),
    UNIQUE (source_id, kind, turn)
);
CREATE INDEX journal_entries_by_day ON journal_entries (merchant_id, day, n);
CREATE INDEX journal_entries_by_purchase ON journal_entries (purchase_id) INCLUDE (ar, unap);

CREATE FUNCTION books_locked_until(of uuid) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT (max(month) + interval '1 month - 1 day')::date FROM book_closings
    WHERE merchant_id = of AND reopened_at IS NULL $$;

-- Whoever posts holds the month open until the end of the transaction, and whoever closes it waits for that.
CREATE FUNCTION books_turn(of uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT hashtextextended('books ' || of, 0) $$;

-- What a client owes for a purchase is split as it stands: above zero it is with the debtors, below zero it is money
-- that no document asks for. The caller gives the whole change as ar.
-- +goose StatementBegin
CREATE FUNCTION post_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    owed bigint;
    turns bigint := NEW.ar;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(books_turn(NEW.merchant_id));
    NEW.day := greatest(NEW.true_day, books_locked_until(NEW.merchant_id) + 1);
    IF turns <> 0 THEN
        SELECT coalesce(sum(ar + unap), 0) INTO owed FROM journal_entries WHERE purchase_id = NEW.purchase_id;
        NEW.ar := greatest(owed + turns, 0) - greatest(owed, 0);
        NEW.unap := turns - NEW.ar;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION keep_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'an entry of the journal does not change';
    ELSIF OLD.day <= books_locked_until(OLD.merchant_id) THEN
        RAISE EXCEPTION 'the month of this entry is closed';
    END IF;
    RETURN OLD;
END $$;
-- +goose StatementEnd

-- What a movement of money means: a refund pays what was owed back, unless it was paid before, which the client owes
-- then. A refund that a person paid did not go through the debit orders.
CREATE FUNCTION posting_of_movement(entry uuid, refund uuid, kind text, cents bigint, at timestamptz)
    RETURNS TABLE (owed bigint, clr bigint, bank bigint, refp bigint) LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN pays THEN 0 ELSE -cents END, CASE WHEN outside THEN 0 ELSE cents END,
        CASE WHEN outside THEN cents ELSE 0 END, CASE WHEN pays THEN -cents ELSE 0 END
    FROM (SELECT f.pays, kind = 'paid_by_hand' OR f.pays AND coalesce((SELECT r.channel FROM refunds r
                WHERE r.id = refund), 'person') = 'person' AS outside
        FROM (SELECT kind = 'refunded' AND NOT EXISTS (SELECT FROM ledger_entries b WHERE b.refund_id = refund
            AND b.kind = 'refunded' AND (b.at, b.id) < (posting_of_movement.at, entry)) AS pays) AS f) AS said $$;
CREATE INDEX ledger_entries_of_refund ON ledger_entries (refund_id) WHERE refund_id IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION post_movements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, code,
        ar, clr, bank, refp)
    SELECT e.merchant_id, e.kind, e.id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'), e.purchase_id,
        e.day, e.at, e.currency, e.code, m.owed, m.clr, m.bank, m.refp
    FROM newer e LEFT JOIN purchases p ON p.id = e.purchase_id
        CROSS JOIN LATERAL posting_of_movement(e.id, e.refund_id, e.kind, e.amount_cents, e.at) m
    WHERE e.amount_cents <> 0 ORDER BY e.at, e.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION post_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency,
        ar, rev, vato)
    SELECT i.merchant_id, i.kind, i.id, i.brand_id, i.purchase_id, i.issued, i.created_at, i.currency,
        s.sign * i.total_cents, -s.sign * (i.total_cents - coalesce(i.vat_cents, 0)), -s.sign * coalesce(i.vat_cents, 0)
    FROM newer i CROSS JOIN LATERAL (SELECT CASE i.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign) s
    WHERE i.total_cents <> 0 OR i.vat_cents <> 0 ORDER BY i.created_at, i.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION post_refunds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, ar, refp)
        SELECT r.merchant_id, 'refund_asked', r.id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            r.purchase_id, sast_day(r.created_at), r.created_at, r.currency, r.amount_cents, -r.amount_cents
        FROM newer r LEFT JOIN purchases p ON p.id = r.purchase_id WHERE r.state <> 'dropped'
        ORDER BY r.created_at, r.id;
        RETURN NULL;
    END IF;
    INSERT INTO journal_entries (merchant_id, kind, source_id, turn, brand_id, purchase_id, true_day, at, currency,
        ar, refp)
    SELECT r.merchant_id, m.kind, r.id, (SELECT count(*) + 1 FROM journal_entries j WHERE j.source_id = r.id
            AND j.kind = m.kind), coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
        r.purchase_id, sast_day(r.updated_at), r.updated_at, r.currency, m.sign * r.amount_cents, -m.sign * r.amount_cents
    FROM newer r JOIN older o ON o.id = r.id LEFT JOIN purchases p ON p.id = r.purchase_id
        CROSS JOIN LATERAL (SELECT CASE r.state WHEN 'dropped' THEN 'refund_dropped' ELSE 'refund_asked' END AS kind,
            CASE r.state WHEN 'dropped' THEN -1 ELSE 1 END AS sign) m
    WHERE (o.state = 'dropped') <> (r.state = 'dropped') ORDER BY r.updated_at, r.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER post_new AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_movements();
CREATE TRIGGER post_new AFTER INSERT ON invoices REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_documents();
CREATE TRIGGER post_new AFTER INSERT ON refunds REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_refunds();
CREATE TRIGGER post_moved AFTER UPDATE ON refunds REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_refunds();

-- What the rows of before mean, as the triggers would have posted them.
CREATE VIEW journal_facts AS
    SELECT e.merchant_id, e.kind, e.id AS source_id, e.purchase_id, e.day AS true_day, e.at, e.currency, e.code,
        m.owed, m.clr, m.bank, 0::bigint AS rev, 0::bigint AS vato, m.refp
    FROM ledger_entries e
        CROSS JOIN LATERAL posting_of_movement(e.id, e.refund_id, e.kind, e.amount_cents, e.at) m
    WHERE e.amount_cents <> 0
    UNION ALL
    SELECT i.merchant_id, i.kind, i.id, i.purchase_id, i.issued, i.created_at, i.currency, '',
        s.sign * i.total_cents, 0, 0, -s.sign * (i.total_cents - coalesce(i.vat_cents, 0)),
        -s.sign * coalesce(i.vat_cents, 0), 0
    FROM invoices i CROSS JOIN LATERAL (SELECT CASE i.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign) s
    WHERE i.total_cents <> 0 OR i.vat_cents <> 0
    UNION ALL
    SELECT r.merchant_id, 'refund_asked', r.id, r.purchase_id, sast_day(r.created_at), r.created_at, r.currency, '',
        r.amount_cents, 0, 0, 0, 0, -r.amount_cents
    FROM refunds r
    UNION ALL
    SELECT r.merchant_id, 'refund_dropped', r.id, r.purchase_id, sast_day(r.updated_at), r.updated_at, r.currency, '',
        -r.amount_cents, 0, 0, 0, 0, r.amount_cents
    FROM refunds r WHERE r.state = 'dropped';

-- Posts what no entry is there for; a second time it posts nothing.
CREATE FUNCTION post_missing() RETURNS bigint LANGUAGE sql AS $$
    WITH posted AS (
        INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, code,
            ar, clr, bank, rev, vato, refp)
        SELECT f.merchant_id, f.kind, f.source_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            f.purchase_id, f.true_day, f.at, f.currency, f.code, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp
        FROM journal_facts f LEFT JOIN purchases p ON p.id = f.purchase_id
        WHERE NOT EXISTS (SELECT FROM journal_entries j WHERE j.source_id = f.source_id AND j.kind = f.kind)
        ORDER BY f.at, f.kind, f.source_id
        RETURNING 1)
    SELECT count(*) FROM posted $$;
CREATE TRIGGER post BEFORE INSERT ON journal_entries FOR EACH ROW EXECUTE FUNCTION post_entry();
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON journal_entries FOR EACH ROW EXECUTE FUNCTION keep_entry();
SELECT post_missing();

-- Each difference between the journal and the rows that it is of, of one merchant or of all.
CREATE FUNCTION check_journal(of uuid)
    RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text) LANGUAGE sql STABLE AS $$
    SELECT 'journal', coalesce(j.merchant_id, f.merchant_id), coalesce(j.kind, f.kind) || ' ' ||
            coalesce(j.source_id, f.source_id),
        coalesce(concat_ws(' ', j.true_day, j.currency, j.ar + j.unap, j.clr, j.bank, j.rev, j.vato, j.refp), 'no entry'),
        coalesce(concat_ws(' ', f.true_day, f.currency, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp), 'no row')
    FROM (SELECT * FROM journal_entries WHERE of IS NULL OR journal_entries.merchant_id = of) j
        FULL JOIN (SELECT * FROM journal_facts WHERE of IS NULL OR journal_facts.merchant_id = of) f
            ON f.source_id = j.source_id AND f.kind = j.kind
    WHERE coalesce(j.kind, '') NOT LIKE 'refund\_%' AND coalesce(f.kind, '') NOT LIKE 'refund\_%' AND
        (j.true_day, j.currency, j.ar + j.unap, j.clr, j.bank, j.rev, j.vato, j.refp) IS DISTINCT FROM
        (f.true_day, f.currency, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp)
    UNION ALL
    SELECT 'refunds payable', coalesce(j.merchant_id, r.merchant_id), coalesce(j.currency, r.currency),
        coalesce(j.cents, 0)::text, coalesce(r.cents, 0)::text
    FROM (SELECT e.merchant_id, e.currency, -sum(e.refp) AS cents FROM journal_entries e
            WHERE of IS NULL OR e.merchant_id = of GROUP BY 1, 2) j
        FULL JOIN (SELECT e.merchant_id, e.currency, sum(e.amount_cents) AS cents FROM refunds e
            WHERE e.state = 'pending' AND (of IS NULL OR e.merchant_id = of) GROUP BY 1, 2) r
            ON r.merchant_id = j.merchant_id AND r.currency = j.currency
    WHERE coalesce(j.cents, 0) <> coalesce(r.cents, 0)
    UNION ALL
    SELECT 'sum of an entry', e.merchant_id, e.kind || ' ' || e.source_id, (e.ar + e.clr + e.bank + e.rev + e.vato +
        e.vatd + e.fee + e.refp + e.unap + e.bad + e.rec + e.open)::text, '0' FROM journal_entries e
    WHERE (of IS NULL OR e.merchant_id = of) AND
        e.ar + e.clr + e.bank + e.rev + e.vato + e.vatd + e.fee + e.refp + e.unap + e.bad + e.rec + e.open <> 0
    UNION ALL
    SELECT 'transit', coalesce(j.merchant_id, l.merchant_id), coalesce(j.true_day, l.day) || ' ' ||
            coalesce(j.currency, l.currency), coalesce(j.cents, 0)::text, coalesce(l.cents, 0)::text
    FROM (SELECT e.merchant_id, e.true_day, e.currency, sum(e.clr + e.bank) AS cents FROM journal_entries e
            WHERE of IS NULL OR e.merchant_id = of GROUP BY 1, 2, 3) j
        FULL JOIN (SELECT d.merchant_id, d.day, d.currency, sum(d.cents) AS cents FROM (
                SELECT a.merchant_id, a.day, a.currency, a.cents FROM ledger_days a UNION ALL
                SELECT b.merchant_id, b.day, b.currency, b.cents FROM ledger_day_deltas b) d
            WHERE of IS NULL OR d.merchant_id = of GROUP BY 1, 2, 3) l
            ON l.merchant_id = j.merchant_id AND l.day = j.true_day AND l.currency = j.currency
    WHERE coalesce(j.cents, 0) <> coalesce(l.cents, 0)
    UNION ALL
    SELECT 'closed month', c.merchant_id, to_char(c.month, 'YYYY-MM'), c.entries::text, n.entries::text
    FROM book_closings c CROSS JOIN LATERAL (SELECT count(*) AS entries FROM journal_entries e
        WHERE e.merchant_id = c.merchant_id AND e.day < c.month + interval '1 month') n
    WHERE c.reopened_at IS NULL AND (of IS NULL OR c.merchant_id = of) AND n.entries <> c.entries
$$;

-- +goose Down
DROP FUNCTION check_journal;
DROP FUNCTION post_missing;
DROP VIEW journal_facts;
DROP TRIGGER post_moved ON refunds;
DROP TRIGGER post_new ON refunds;
DROP TRIGGER post_new ON invoices;
DROP TRIGGER post_new ON ledger_entries;
DROP INDEX ledger_entries_of_refund;
DROP TABLE journal_entries, book_closings, book_accounts, book_settings;
DROP FUNCTION post_refunds, post_documents, post_movements, posting_of_movement, keep_entry, post_entry, books_turn,
    books_locked_until;
