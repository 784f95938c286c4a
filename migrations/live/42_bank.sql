-- Days of the bank: what was expected and what moved.

CREATE OR REPLACE FUNCTION bank_days_now(merchant uuid, first date, last date) RETURNS SETOF bank_days LANGUAGE sql STABLE AS $$
    SELECT * FROM bank_days b WHERE b.merchant_id = merchant AND b.day BETWEEN first AND last
        AND b.day NOT IN (SELECT day FROM bank_day_changes WHERE merchant_id = merchant)
    UNION ALL
    SELECT f.* FROM (SELECT DISTINCT day FROM bank_day_changes WHERE merchant_id = merchant AND day BETWEEN first AND last) c
        CROSS JOIN LATERAL (SELECT * FROM bank_day_facts d WHERE d.merchant_id = merchant AND d.day = c.day OFFSET 0) f $$;

-- The release before gives the hash of the bytes alone, as sha256.
CREATE OR REPLACE FUNCTION own_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.content_sha256 := coalesce(NEW.content_sha256, NEW.sha256);
    NEW.sha256 := CASE WHEN NEW.merchant_id = '00000000-0000-0000-0000-000000000000' THEN NEW.content_sha256
        ELSE sha256(uuid_send(NEW.merchant_id) || NEW.content_sha256) END;
    RETURN NEW;
END $$;

CREATE OR REPLACE VIEW bank_day_facts AS
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
        FROM bank_items i WHERE i.kind = 'debits' AND i.outcome IN ('unpaid', 'disputed', 'paid_again')
            AND came_before(i.id, i.outcome, i.back_on) GROUP BY 1, 2
        UNION ALL
        SELECT i.merchant_id, i.outcome_on, 0, 0, 0, 0, 0, 0, count(*), sum(i.amount_cents), 0, 0, 0, 0, 0, false
        FROM bank_items i WHERE i.kind = 'debits' AND i.outcome = 'paid_again' GROUP BY 1, 2
        UNION ALL
        SELECT i.merchant_id, CASE WHEN i.outcome = 'paid_again' THEN i.back_on ELSE i.outcome_on END,
            0, 0, 0, 0, 0, 0, 0, 0, count(*), sum(i.amount_cents), 0, 0, 0, false
        FROM bank_items i WHERE i.outcome IN ('unpaid', 'disputed', 'refund_settled', 'paid_again') AND (i.kind = 'refunds'
            OR i.kind = 'debits' AND came_before(i.id, i.outcome, i.back_on)) GROUP BY 1, 2
        UNION ALL
        SELECT e.merchant_id, e.booked_on, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*) FILTER (WHERE e.state = 'matched'),
            coalesce(sum(CASE WHEN e.credit THEN e.amount_cents - e.fee_cents ELSE e.fee_cents - e.amount_cents END) FILTER (WHERE e.state = 'matched'), 0),
            count(*), false
        FROM bank_entries e WHERE e.merchant_id IS NOT NULL GROUP BY 1, 2
        UNION ALL
        SELECT DISTINCT merchant_id, day, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true FROM bank_statements
    ) AS parts WHERE day IS NOT NULL GROUP BY merchant_id, day;

CREATE OR REPLACE TRIGGER own_document BEFORE INSERT ON bank_files_in FOR EACH ROW EXECUTE FUNCTION own_document();
