-- The journal: each movement of money and each document posts one balanced entry.

CREATE OR REPLACE FUNCTION books_locked_until(of uuid) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT (max(month) + interval '1 month - 1 day')::date FROM book_closings
    WHERE merchant_id = of AND reopened_at IS NULL $$;

-- Whoever posts holds the month open until the end of the transaction, and whoever closes it waits for that.
CREATE OR REPLACE FUNCTION books_turn(of uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT hashtextextended('books ' || of, 0) $$;

-- What a client owes for a purchase is split as it stands: above zero it is with the debtors, below zero it is money
-- that no document asks for. The caller gives the whole change as ar, and the VAT of a document as vato. Money that
-- comes after a write-off recovers it, and money that goes back again takes the recovery back.
CREATE OR REPLACE FUNCTION post_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    paper CONSTANT boolean := NEW.kind IN ('invoice', 'credit_note', 'written_off');
    turns bigint := NEW.ar;
    back bigint; -- recovered by this entry
    b record;
BEGIN
    IF turns <> 0 OR NEW.vato <> 0 THEN
        PERFORM FROM purchases WHERE id = NEW.purchase_id FOR NO KEY UPDATE;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(books_turn(NEW.merchant_id));
    NEW.day := greatest(NEW.true_day, books_locked_until(NEW.merchant_id) + 1);
    IF turns = 0 AND NEW.vato = 0 THEN
        RETURN NEW;
    END IF;
    SELECT * INTO b FROM books_of_purchase(NEW.purchase_id);
    NEW.deferred := CASE NEW.kind WHEN 'invoice' THEN books_on_payments(NEW.merchant_id, NEW.day) ELSE b.deferred END;
    IF paper THEN
        b.asked := b.asked + turns;
        b.vat := b.vat - NEW.vato;
    ELSE
        IF turns < 0 THEN
            back := least(greatest(-(b.owed + turns), 0) - greatest(-b.owed, 0), b.off - b.back);
        ELSE
            back := -least(greatest(turns - greatest(-b.owed, 0), 0), b.back);
        END IF;
        turns := turns + back;
        NEW.vato := b.back_vat - coalesce(cents_share(b.off_vat, b.back + back, b.off), 0);
        NEW.rec := -back - NEW.vato;
    END IF;
    NEW.ar := greatest(b.owed + turns, 0) - greatest(b.owed, 0);
    NEW.unap := turns - NEW.ar;
    IF NEW.deferred THEN
        NEW.vatd := -vat_not_due(b.vat, b.owed + turns, b.asked) - b.vatd;
        NEW.vato := NEW.vato - NEW.vatd;
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION keep_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'an entry of the journal does not change';
    END IF;
    PERFORM pg_advisory_xact_lock_shared(books_turn(OLD.merchant_id));
    IF OLD.day <= books_locked_until(OLD.merchant_id) THEN
        RAISE EXCEPTION 'the month of this entry is closed';
    END IF;
    RETURN OLD;
END $$;

-- What a movement of money means: a refund pays what was owed back, unless it was paid before, which the client owes
-- then. A refund that a person paid did not go through the debit orders.
CREATE OR REPLACE FUNCTION posting_of_movement(entry uuid, refund uuid, kind text, cents bigint, at timestamptz)
    RETURNS TABLE (owed bigint, clr bigint, bank bigint, refp bigint) LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN pays THEN 0 ELSE -cents END, CASE WHEN outside THEN 0 ELSE cents END,
        CASE WHEN outside THEN cents ELSE 0 END, CASE WHEN pays THEN -cents ELSE 0 END
    FROM (SELECT f.pays, kind = 'paid_by_hand' OR f.pays AND coalesce((SELECT r.channel FROM refunds r
                WHERE r.id = refund), 'person') = 'person' AS outside
        FROM (SELECT kind = 'refunded' AND NOT EXISTS (SELECT FROM ledger_entries b WHERE b.refund_id = refund
            AND b.kind = 'refunded' AND (b.at, b.id) < (posting_of_movement.at, entry)) AS pays) AS f) AS said $$;

CREATE OR REPLACE FUNCTION post_movements() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- What a credit note takes back is not a bad debt: it takes the write-off of the same money back first.
CREATE OR REPLACE FUNCTION post_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO write_offs (id, merchant_id, purchase_id, amount_cents, vat_cents, currency, day, reason, by_name,
        created_at)
    SELECT gen_random_uuid(), c.merchant_id, c.purchase_id, -x.cents, -cents_share(b.off_vat - b.back_vat, x.cents,
        b.off - b.back), c.currency, c.issued, 'Credit note ' || c.number, 'Debitdesk', c.created_at
    FROM (SELECT DISTINCT ON (n.purchase_id) n.*, sum(n.total_cents) OVER (PARTITION BY n.purchase_id) AS all_cents
            FROM newer n WHERE n.kind = 'credit_note' AND EXISTS (SELECT FROM write_offs w
                WHERE w.purchase_id = n.purchase_id) ORDER BY n.purchase_id, n.created_at, n.id) c
        CROSS JOIN LATERAL books_of_purchase(c.purchase_id) b
        CROSS JOIN LATERAL (SELECT least(c.all_cents, b.off - b.back)::bigint AS cents) x
    WHERE x.cents > 0;
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency,
        ar, rev, vato)
    SELECT i.merchant_id, i.kind, i.id, i.brand_id, i.purchase_id, i.issued, i.created_at, i.currency,
        s.sign * i.total_cents, -s.sign * (i.total_cents - coalesce(i.vat_cents, 0)), -s.sign * coalesce(i.vat_cents, 0)
    FROM newer i CROSS JOIN LATERAL (SELECT CASE i.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign) s
    WHERE i.total_cents <> 0 OR i.vat_cents <> 0 ORDER BY i.created_at, i.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION post_refunds() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Posts what no entry is there for; a second time it posts nothing.
CREATE OR REPLACE FUNCTION post_missing() RETURNS bigint LANGUAGE sql AS $$
    WITH posted AS (
        INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, code,
            ar, clr, bank, rev, vato, refp, bad, fee, vati, ret, open)
        SELECT f.merchant_id, f.kind, f.source_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            f.purchase_id, f.true_day, f.at, f.currency, f.code, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp, f.bad,
            f.fee, f.vati, f.ret, CASE f.kind WHEN 'taken_over' THEN -f.owed ELSE 0 END
        FROM journal_facts f LEFT JOIN purchases p ON p.id = f.purchase_id
        WHERE NOT EXISTS (SELECT FROM journal_entries j WHERE j.source_id = f.source_id AND j.kind = f.kind)
        ORDER BY f.at, f.kind, f.source_id
        RETURNING 1)
    SELECT count(*) FROM posted $$;

-- Each difference between the journal and the rows that it is of, of one merchant or of all. Of a movement, what the
-- client owes includes what it recovers; of a document, its VAT is due or not yet.
CREATE OR REPLACE FUNCTION check_journal(of uuid)
    RETURNS TABLE (figure text, merchant_id uuid, what text, kept text, facts text) LANGUAGE sql STABLE AS $$
    SELECT 'journal', coalesce(j.merchant_id, f.merchant_id), coalesce(j.kind, f.kind) || ' ' ||
            coalesce(j.source_id, f.source_id),
        coalesce(concat_ws(' ', j.true_day, j.currency, j.owed, j.clr, j.bank, j.rev, j.vat, j.refp, j.bad, j.fee,
            j.vati, j.ret), 'no entry'),
        coalesce(concat_ws(' ', f.true_day, f.currency, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp, f.bad, f.fee,
            f.vati, f.ret), 'no row')
    FROM (SELECT e.*, e.ar + e.unap + e.rec + CASE WHEN p.paper THEN 0 ELSE e.vato + e.vatd END AS owed,
                CASE WHEN p.paper THEN e.vato + e.vatd ELSE 0 END AS vat
            FROM journal_entries e CROSS JOIN LATERAL
                (SELECT e.kind IN ('invoice', 'credit_note', 'written_off') AS paper) p
            WHERE of IS NULL OR e.merchant_id = of) j
        FULL JOIN (SELECT * FROM journal_facts WHERE of IS NULL OR journal_facts.merchant_id = of) f
            ON f.source_id = j.source_id AND f.kind = j.kind
    WHERE coalesce(j.kind, '') NOT LIKE 'refund\_%' AND coalesce(f.kind, '') NOT LIKE 'refund\_%' AND
        (j.true_day, j.currency, j.owed, j.clr, j.bank, j.rev, j.vat, j.refp, j.bad, j.fee, j.vati, j.ret)
        IS DISTINCT FROM
        (f.true_day, f.currency, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp, f.bad, f.fee, f.vati, f.ret)
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
        e.vatd + e.fee + e.refp + e.unap + e.bad + e.rec + e.open + e.vati + e.ret)::text, '0' FROM journal_entries e
    WHERE (of IS NULL OR e.merchant_id = of) AND e.ar + e.clr + e.bank + e.rev + e.vato + e.vatd + e.fee + e.refp +
        e.unap + e.bad + e.rec + e.open + e.vati + e.ret <> 0
    UNION ALL
    SELECT 'debtors and VAT not yet due', p.merchant_id, 'purchase ' || p.purchase_id, concat_ws(' ', b.ar, b.vatd),
        concat_ws(' ', greatest(b.owed, 0), w.vatd)
    FROM (SELECT DISTINCT e.merchant_id, e.purchase_id FROM journal_entries e WHERE (of IS NULL OR e.merchant_id = of)
            AND e.purchase_id <> '00000000-0000-0000-0000-000000000000') p
        CROSS JOIN LATERAL books_of_purchase(p.purchase_id) b
        CROSS JOIN LATERAL (SELECT CASE WHEN b.deferred THEN -vat_not_due(b.vat, b.owed, b.asked) ELSE 0 END AS vatd) w
    WHERE b.ar <> greatest(b.owed, 0) OR b.vatd <> w.vatd
    UNION ALL
    SELECT 'transit', coalesce(j.merchant_id, l.merchant_id), coalesce(j.true_day, l.day) || ' ' ||
            coalesce(j.currency, l.currency), coalesce(j.cents, 0)::text, coalesce(l.cents, 0)::text
    FROM (SELECT e.merchant_id, e.true_day, e.currency, sum(e.clr + e.bank) AS cents FROM journal_entries e
            WHERE of IS NULL OR e.merchant_id = of GROUP BY 1, 2, 3) j
        FULL JOIN (SELECT d.merchant_id, d.day, d.currency, sum(d.cents) AS cents FROM (
                SELECT a.merchant_id, a.day, a.currency, a.cents FROM ledger_days a UNION ALL
                SELECT b.merchant_id, b.day, b.currency, b.cents FROM ledger_day_deltas b UNION ALL
                SELECT c.merchant_id, c.day, c.currency, c.clr_cents + c.bank_cents FROM book_records c) d
            WHERE of IS NULL OR d.merchant_id = of GROUP BY 1, 2, 3) l
            ON l.merchant_id = j.merchant_id AND l.day = j.true_day AND l.currency = j.currency
    WHERE coalesce(j.cents, 0) <> coalesce(l.cents, 0)
    UNION ALL
    SELECT 'closed month', c.merchant_id, to_char(c.month, 'YYYY-MM'), concat_ws(' ', c.entries, c.balances),
        concat_ws(' ', n.entries, n.balances)
    FROM book_closings c CROSS JOIN LATERAL (SELECT coalesce(sum(t.entries), 0) AS entries,
            coalesce(jsonb_object_agg(t.currency, t.balances) FILTER (WHERE t.currency IS NOT NULL), '{}') AS balances
        FROM (SELECT e.currency, count(*) AS entries, jsonb_strip_nulls(jsonb_build_object('ar', nullif(sum(e.ar), 0),
                'clr', nullif(sum(e.clr), 0), 'bank', nullif(sum(e.bank), 0), 'rev', nullif(sum(e.rev), 0),
                'vato', nullif(sum(e.vato), 0), 'vatd', nullif(sum(e.vatd), 0), 'fee', nullif(sum(e.fee), 0),
                'refp', nullif(sum(e.refp), 0), 'unap', nullif(sum(e.unap), 0), 'bad', nullif(sum(e.bad), 0),
                'rec', nullif(sum(e.rec), 0), 'open', nullif(sum(e.open), 0), 'vati', nullif(sum(e.vati), 0),
                'ret', nullif(sum(e.ret), 0))) AS balances
            FROM journal_entries e WHERE e.merchant_id = c.merchant_id AND e.day < c.month + interval '1 month'
            GROUP BY 1) t) n
    WHERE c.reopened_at IS NULL AND (of IS NULL OR c.merchant_id = of)
        AND (n.entries <> c.entries OR n.balances <> c.balances)
$$;

CREATE OR REPLACE FUNCTION books_on_payments(of uuid, on_day date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT payments FROM book_vat_bases WHERE merchant_id = of AND from_day <= on_day
        ORDER BY from_day DESC LIMIT 1), false) $$;

-- What was posted for a purchase, in cents: owed by the client (below zero: too much was paid), asked for by documents
-- and not written off, the VAT of that, written off with its VAT, and what of that came in later.
CREATE OR REPLACE FUNCTION books_of_purchase(of uuid)
    RETURNS TABLE (ar bigint, owed bigint, vatd bigint, deferred boolean, asked bigint, vat bigint, off bigint,
        off_vat bigint, back bigint, back_vat bigint) LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(e.ar), 0)::bigint, coalesce(sum(e.ar + e.unap), 0)::bigint, coalesce(sum(e.vatd), 0)::bigint,
        coalesce(bool_or(e.deferred), false), coalesce(sum(e.ar + e.unap) FILTER (WHERE k.paper), 0)::bigint,
        coalesce(-sum(e.vato + e.vatd) FILTER (WHERE k.paper), 0)::bigint,
        coalesce(-sum(e.ar + e.unap) FILTER (WHERE e.kind = 'written_off'), 0)::bigint,
        coalesce(sum(e.vato + e.vatd) FILTER (WHERE e.kind = 'written_off'), 0)::bigint,
        coalesce(-sum(e.rec + e.vato + e.vatd) FILTER (WHERE NOT k.paper), 0)::bigint,
        coalesce(-sum(e.vato + e.vatd) FILTER (WHERE NOT k.paper), 0)::bigint
    FROM journal_entries e
        CROSS JOIN LATERAL (SELECT e.kind IN ('invoice', 'credit_note', 'written_off') AS paper) k
    WHERE e.purchase_id = of $$;

CREATE OR REPLACE FUNCTION post_write_offs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency,
        ar, vato, bad)
    SELECT w.merchant_id, 'written_off', w.id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
        w.purchase_id, w.day, w.created_at, w.currency, -w.amount_cents, w.vat_cents, w.amount_cents - w.vat_cents
    FROM newer w LEFT JOIN purchases p ON p.id = w.purchase_id ORDER BY w.created_at, w.id;
    RETURN NULL;
END $$;

-- A fee or payout is of no purchase and no brand.
CREATE OR REPLACE FUNCTION post_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency,
        clr, bank, fee, vati, ret)
    SELECT c.merchant_id, c.kind, c.id, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000',
        c.day, c.created_at, c.currency, c.clr_cents, c.bank_cents, c.fee_cents, c.vati_cents, c.ret_cents
    FROM newer c ORDER BY c.created_at, c.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION post_taken_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, ar, open)
    VALUES (NEW.merchant_id, 'taken_over', NEW.id, NEW.brand_id, NEW.id, sast_day(NEW.created_at), NEW.created_at,
        NEW.currency, NEW.total_cents, -NEW.total_cents);
    RETURN NULL;
END $$;

CREATE OR REPLACE VIEW journal_facts AS
    SELECT e.merchant_id, e.kind, e.id AS source_id, e.purchase_id, e.day AS true_day, e.at, e.currency, e.code,
        m.owed, m.clr, m.bank, 0::bigint AS rev, 0::bigint AS vato, m.refp, 0::bigint AS bad, 0::bigint AS fee,
        0::bigint AS vati, 0::bigint AS ret
    FROM ledger_entries e
        CROSS JOIN LATERAL posting_of_movement(e.id, e.refund_id, e.kind, e.amount_cents, e.at) m
    WHERE e.amount_cents <> 0
    UNION ALL
    SELECT i.merchant_id, i.kind, i.id, i.purchase_id, i.issued, i.created_at, i.currency, '',
        s.sign * i.total_cents, 0, 0, -s.sign * (i.total_cents - coalesce(i.vat_cents, 0)),
        -s.sign * coalesce(i.vat_cents, 0), 0, 0, 0, 0, 0
    FROM invoices i CROSS JOIN LATERAL (SELECT CASE i.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign) s
    WHERE i.total_cents <> 0 OR i.vat_cents <> 0
    UNION ALL
    SELECT r.merchant_id, 'refund_asked', r.id, r.purchase_id, sast_day(r.created_at), r.created_at, r.currency, '',
        r.amount_cents, 0, 0, 0, 0, -r.amount_cents, 0, 0, 0, 0
    FROM refunds r
    UNION ALL
    SELECT r.merchant_id, 'refund_dropped', r.id, r.purchase_id, sast_day(r.updated_at), r.updated_at, r.currency, '',
        -r.amount_cents, 0, 0, 0, 0, r.amount_cents, 0, 0, 0, 0
    FROM refunds r WHERE r.state = 'dropped'
    UNION ALL
    SELECT w.merchant_id, 'written_off', w.id, w.purchase_id, w.day, w.created_at, w.currency, '',
        -w.amount_cents, 0, 0, 0, w.vat_cents, 0, w.amount_cents - w.vat_cents, 0, 0, 0
    FROM write_offs w
    UNION ALL
    SELECT p.merchant_id, 'taken_over', p.id, p.id, sast_day(p.created_at), p.created_at, p.currency, '',
        p.total_cents, 0, 0, 0, 0, 0, 0, 0, 0, 0
    FROM purchases p WHERE p.taken_over
    UNION ALL
    SELECT c.merchant_id, c.kind, c.id, '00000000-0000-0000-0000-000000000000', c.day, c.created_at, c.currency, '',
        0, c.clr_cents, c.bank_cents, 0, 0, 0, 0, c.fee_cents, c.vati_cents, c.ret_cents
    FROM book_records c;

CREATE OR REPLACE TRIGGER post BEFORE INSERT ON journal_entries FOR EACH ROW EXECUTE FUNCTION post_entry();
CREATE OR REPLACE TRIGGER keep BEFORE UPDATE OR DELETE ON journal_entries FOR EACH ROW EXECUTE FUNCTION keep_entry();
CREATE OR REPLACE TRIGGER post_new AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_movements();
CREATE OR REPLACE TRIGGER post_new AFTER INSERT ON invoices REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_documents();
CREATE OR REPLACE TRIGGER post_moved AFTER UPDATE ON refunds REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_refunds();
CREATE OR REPLACE TRIGGER post_new AFTER INSERT ON refunds REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_refunds();
CREATE OR REPLACE TRIGGER post_new AFTER INSERT ON write_offs REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_write_offs();
CREATE OR REPLACE TRIGGER post_new AFTER INSERT ON book_records REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION post_records();
CREATE OR REPLACE TRIGGER post_taken_over AFTER INSERT ON purchases FOR EACH ROW WHEN (NEW.taken_over)
    EXECUTE FUNCTION post_taken_over();
