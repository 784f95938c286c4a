-- +goose Up
-- What a client owed elsewhere before the business came here: a purchase without an invoice of ours. The journal opens
-- it against the take-on account, for its revenue and its VAT were booked before.
SET LOCAL lock_timeout = '10s';

ALTER TABLE purchases ADD COLUMN taken_over boolean NOT NULL DEFAULT false;

-- +goose StatementBegin
CREATE FUNCTION post_taken_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, ar, open)
    VALUES (NEW.merchant_id, 'taken_over', NEW.id, NEW.brand_id, NEW.id, sast_day(NEW.created_at), NEW.created_at,
        NEW.currency, NEW.total_cents, -NEW.total_cents);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_taken_over AFTER INSERT ON purchases FOR EACH ROW WHEN (NEW.taken_over)
    EXECUTE FUNCTION post_taken_over();

CREATE OR REPLACE VIEW journal_facts AS
    SELECT e.merchant_id, e.kind, e.id AS source_id, e.purchase_id, e.day AS true_day, e.at, e.currency, e.code,
        m.owed, m.clr, m.bank, 0::bigint AS rev, 0::bigint AS vato, m.refp, 0::bigint AS bad
    FROM ledger_entries e
        CROSS JOIN LATERAL posting_of_movement(e.id, e.refund_id, e.kind, e.amount_cents, e.at) m
    WHERE e.amount_cents <> 0
    UNION ALL
    SELECT i.merchant_id, i.kind, i.id, i.purchase_id, i.issued, i.created_at, i.currency, '',
        s.sign * i.total_cents, 0, 0, -s.sign * (i.total_cents - coalesce(i.vat_cents, 0)),
        -s.sign * coalesce(i.vat_cents, 0), 0, 0
    FROM invoices i CROSS JOIN LATERAL (SELECT CASE i.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign) s
    WHERE i.total_cents <> 0 OR i.vat_cents <> 0
    UNION ALL
    SELECT r.merchant_id, 'refund_asked', r.id, r.purchase_id, sast_day(r.created_at), r.created_at, r.currency, '',
        r.amount_cents, 0, 0, 0, 0, -r.amount_cents, 0
    FROM refunds r
    UNION ALL
    SELECT r.merchant_id, 'refund_dropped', r.id, r.purchase_id, sast_day(r.updated_at), r.updated_at, r.currency, '',
        -r.amount_cents, 0, 0, 0, 0, r.amount_cents, 0
    FROM refunds r WHERE r.state = 'dropped'
    UNION ALL
    SELECT w.merchant_id, 'written_off', w.id, w.purchase_id, w.day, w.created_at, w.currency, '',
        -w.amount_cents, 0, 0, 0, w.vat_cents, 0, w.amount_cents - w.vat_cents
    FROM write_offs w
    UNION ALL
    SELECT p.merchant_id, 'taken_over', p.id, p.id, sast_day(p.created_at), p.created_at, p.currency, '',
        p.total_cents, 0, 0, 0, 0, 0, 0
    FROM purchases p WHERE p.taken_over;

CREATE OR REPLACE FUNCTION post_missing() RETURNS bigint LANGUAGE sql AS $$
    WITH posted AS (
        INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, code,
            ar, clr, bank, rev, vato, refp, bad, open)
        SELECT f.merchant_id, f.kind, f.source_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            f.purchase_id, f.true_day, f.at, f.currency, f.code, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp, f.bad,
            CASE f.kind WHEN 'taken_over' THEN -f.owed ELSE 0 END
        FROM journal_facts f LEFT JOIN purchases p ON p.id = f.purchase_id
        WHERE NOT EXISTS (SELECT FROM journal_entries j WHERE j.source_id = f.source_id AND j.kind = f.kind)
        ORDER BY f.at, f.kind, f.source_id
        RETURNING 1)
    SELECT count(*) FROM posted $$;

-- +goose Down
DROP TRIGGER post_taken_over ON purchases;
CREATE OR REPLACE VIEW journal_facts AS
    SELECT e.merchant_id, e.kind, e.id AS source_id, e.purchase_id, e.day AS true_day, e.at, e.currency, e.code,
        m.owed, m.clr, m.bank, 0::bigint AS rev, 0::bigint AS vato, m.refp, 0::bigint AS bad
    FROM ledger_entries e
        CROSS JOIN LATERAL posting_of_movement(e.id, e.refund_id, e.kind, e.amount_cents, e.at) m
    WHERE e.amount_cents <> 0
    UNION ALL
    SELECT i.merchant_id, i.kind, i.id, i.purchase_id, i.issued, i.created_at, i.currency, '',
        s.sign * i.total_cents, 0, 0, -s.sign * (i.total_cents - coalesce(i.vat_cents, 0)),
        -s.sign * coalesce(i.vat_cents, 0), 0, 0
    FROM invoices i CROSS JOIN LATERAL (SELECT CASE i.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign) s
    WHERE i.total_cents <> 0 OR i.vat_cents <> 0
    UNION ALL
    SELECT r.merchant_id, 'refund_asked', r.id, r.purchase_id, sast_day(r.created_at), r.created_at, r.currency, '',
        r.amount_cents, 0, 0, 0, 0, -r.amount_cents, 0
    FROM refunds r
    UNION ALL
    SELECT r.merchant_id, 'refund_dropped', r.id, r.purchase_id, sast_day(r.updated_at), r.updated_at, r.currency, '',
        -r.amount_cents, 0, 0, 0, 0, r.amount_cents, 0
    FROM refunds r WHERE r.state = 'dropped'
    UNION ALL
    SELECT w.merchant_id, 'written_off', w.id, w.purchase_id, w.day, w.created_at, w.currency, '',
        -w.amount_cents, 0, 0, 0, w.vat_cents, 0, w.amount_cents - w.vat_cents
    FROM write_offs w;
CREATE OR REPLACE FUNCTION post_missing() RETURNS bigint LANGUAGE sql AS $$
    WITH posted AS (
        INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, code,
            ar, clr, bank, rev, vato, refp, bad)
        SELECT f.merchant_id, f.kind, f.source_id, coalesce(p.brand_id, '00000000-0000-0000-0000-000000000000'),
            f.purchase_id, f.true_day, f.at, f.currency, f.code, f.owed, f.clr, f.bank, f.rev, f.vato, f.refp, f.bad
        FROM journal_facts f LEFT JOIN purchases p ON p.id = f.purchase_id
        WHERE NOT EXISTS (SELECT FROM journal_entries j WHERE j.source_id = f.source_id AND j.kind = f.kind)
        ORDER BY f.at, f.kind, f.source_id
        RETURNING 1)
    SELECT count(*) FROM posted $$;
DROP FUNCTION post_taken_over;
ALTER TABLE purchases DROP COLUMN taken_over;
