-- +goose Up
-- Of a movement: what of its amount is the bank's own fee (below zero where the bank kept it back), whose day stands for
-- a booking day that the bank left out, in which kinds of documents it is told, and by what it is known again there.
ALTER TABLE bank_entries ADD COLUMN fee_cents bigint NOT NULL DEFAULT 0, ADD COLUMN booked_by text NOT NULL DEFAULT '',
    ADD COLUMN entry_key text NOT NULL DEFAULT '', ADD COLUMN entry_cents bigint NOT NULL DEFAULT 0,
    ADD COLUMN note text NOT NULL DEFAULT '';
CREATE INDEX bank_entries_by_account ON bank_entries (account_hash, booked_on);
CREATE INDEX bank_entries_by_entry ON bank_entries (entry_key) WHERE entry_key <> '';
CREATE INDEX bank_entries_of_group ON bank_entries (message_id, booked_on) WHERE message_id IS NOT NULL;
CREATE INDEX bank_entries_unmatched ON bank_entries (merchant_id, amount_cents) WHERE state = 'unmatched';

-- Each place in a document that tells of a movement, so that two kinds of documents tell of one movement and two places
-- in one document of two.
CREATE TABLE bank_tellings (
    key      text PRIMARY KEY,      -- the place: the same after every reading
    alike    text NOT NULL,         -- account, day, direction, amount and currency
    entry_id uuid NOT NULL,
    told     text NOT NULL          -- report, statement or notice
);
CREATE INDEX bank_tellings_alike ON bank_tellings (alike);
CREATE INDEX bank_tellings_of_entry ON bank_tellings (entry_id);

-- A debit can be named by its mandate alone.
CREATE INDEX mandates_by_bank_reference ON mandates (bank_reference) WHERE bank_reference <> '';
CREATE INDEX mandates_by_contract_reference ON mandates (contract_reference);

-- What waits for a person holds silence.
CREATE INDEX bank_findings_of_item ON bank_findings (item_id) WHERE closed_at IS NULL AND item_id IS NOT NULL;
CREATE INDEX bank_findings_of_message ON bank_findings (message_id) WHERE closed_at IS NULL AND message_id IS NOT NULL;

-- The day on which a debit went back that was paid again since.
ALTER TABLE bank_items ADD COLUMN back_on date;

-- That the money of a debit came before it went back: the bank said so, or booked it. A movement that is told twice is
-- explained by the other telling, and is of its debit all the same.
-- +goose StatementBegin
CREATE FUNCTION came_before(item uuid, outcome text, back_on date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM bank_answers a WHERE a.item_id = item AND a.kind IN ('provisional', 'successful'))
        OR EXISTS (SELECT FROM bank_entries e WHERE e.item_id = item AND e.state IN ('matched', 'explained')
            AND (outcome <> 'paid_again' OR e.booked_on <= back_on)) $$;
-- +goose StatementEnd

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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT DISTINCT i.merchant_id, d.day FROM changed c JOIN bank_items i ON i.id = c.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on), (i.back_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed', 'paid_again') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
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
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT DISTINCT i.merchant_id, d.day FROM changed c JOIN bank_items i ON i.id = c.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank_day_changes (merchant_id, day)
    SELECT e.merchant_id, e.booked_on FROM changed e WHERE e.merchant_id IS NOT NULL
    UNION
    SELECT i.merchant_id, d.day FROM changed e JOIN bank_items i ON i.id = e.item_id
        CROSS JOIN LATERAL (VALUES (i.action_date), (i.outcome_on)) AS d (day)
    WHERE i.outcome IN ('unpaid', 'disputed') AND d.day IS NOT NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd

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
DROP FUNCTION came_before;
ALTER TABLE bank_items DROP COLUMN back_on;
DROP INDEX mandates_by_contract_reference, mandates_by_bank_reference;
DROP INDEX bank_findings_of_message, bank_findings_of_item;
DROP TABLE bank_tellings;
DROP INDEX bank_entries_unmatched, bank_entries_of_group, bank_entries_by_entry, bank_entries_by_account;
ALTER TABLE bank_entries DROP COLUMN note, DROP COLUMN entry_cents, DROP COLUMN entry_key, DROP COLUMN booked_by,
    DROP COLUMN fee_cents;
