-- +goose Up
-- More of what can be collected or is owed waits for a person, so that nothing drops out of sight:
--   terms       an active subscriber whose next period the mandate does not allow; why stands in the row
--   replaced    an account that the client confirmed in the place of another, and that nobody took over
--   idle        a recurring DebiCheck mandate on which nothing is planned
--   overdue     a purchase that is overdue and was never debited
--   closed_day  a planned debit that lies on a day which was proclaimed closed since

-- Why the next period of a subscriber cannot be debited, as the product found when it last looked; empty: it can. It
-- looks again where fit_due says so: the terms of a mandate are judged by one rule, which is not here.
ALTER TABLE template_clients ADD COLUMN unfit text NOT NULL DEFAULT '', ADD COLUMN fit_due boolean NOT NULL DEFAULT false;
CREATE INDEX template_clients_to_judge ON template_clients (id) WHERE fit_due;

-- +goose StatementBegin
CREATE FUNCTION judge_subscriber() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.fit_due := NEW.status = 'active' AND EXISTS (SELECT FROM tokens t WHERE t.id = NEW.token_id AND t.method = 'debicheck');
    IF NOT NEW.fit_due THEN
        NEW.unfit := '';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION judge_subscribers_of_template() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_clients s SET fit_due = true WHERE s.merchant_id = NEW.merchant_id AND s.template_id = NEW.id
        AND s.status = 'active' AND EXISTS (SELECT FROM tokens t WHERE t.id = s.token_id AND t.method = 'debicheck');
    RETURN NULL;
END $$;
CREATE FUNCTION judge_subscribers_of_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_clients s SET fit_due = true WHERE s.token_id = NEW.id AND s.status = 'active';
    RETURN NULL;
END $$;

-- A replacement, or a mandate, whose debits, purchases or subscribers have changed.
CREATE FUNCTION note_replacement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE a amendments := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (a.merchant_id, a.purchase_id);
    RETURN NULL;
END $$;
CREATE FUNCTION note_token_in_use() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id) SELECT NEW.merchant_id, NEW.id
    WHERE NEW.method = 'debicheck' OR EXISTS (SELECT FROM amendments a WHERE a.purchase_id = NEW.id AND a.state = 'open');
    RETURN NULL;
END $$;
CREATE FUNCTION note_mandate_of_debit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE c collections := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (c.merchant_id, c.mandate_id);
    RETURN NULL;
END $$;
CREATE FUNCTION note_mandate_of_token() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION note_closed_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT c.merchant_id, c.purchase_id FROM collections c WHERE c.state = 'scheduled'
        AND (TG_OP <> 'INSERT' AND c.action_date = OLD.day OR TG_OP <> 'DELETE' AND c.action_date = NEW.day);
    RETURN NULL;
END $$;
CREATE FUNCTION note_debit_on_closed_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT NEW.merchant_id, NEW.purchase_id WHERE EXISTS (SELECT FROM proclaimed_days d
        WHERE NOT d.open AND (d.day = NEW.action_date OR TG_OP = 'UPDATE' AND d.day = OLD.action_date));
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER judge_new BEFORE INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.status = 'active' AND NEW.token_id IS NOT NULL) EXECUTE FUNCTION judge_subscriber();
CREATE TRIGGER judge_moved BEFORE UPDATE ON template_clients FOR EACH ROW
    WHEN ((OLD.status, OLD.token_id, OLD.override, OLD.next_at, OLD.whitelist, OLD.switches)
        IS DISTINCT FROM (NEW.status, NEW.token_id, NEW.override, NEW.next_at, NEW.whitelist, NEW.switches))
    EXECUTE FUNCTION judge_subscriber();
CREATE TRIGGER judge_subscribers AFTER UPDATE ON billing_templates FOR EACH ROW
    WHEN (OLD.total_cents <> NEW.total_cents OR OLD.details IS DISTINCT FROM NEW.details
        OR OLD.due_period <> NEW.due_period OR OLD.due_units <> NEW.due_units)
    EXECUTE FUNCTION judge_subscribers_of_template();
CREATE TRIGGER judge_subscribers AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (NEW.kind = 'debicheck' AND (OLD.state <> NEW.state OR OLD.terms IS DISTINCT FROM NEW.terms))
    EXECUTE FUNCTION judge_subscribers_of_mandate();
CREATE TRIGGER note_unfit AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.unfit IS DISTINCT FROM NEW.unfit OR NEW.unfit <> '' AND OLD.next_at IS DISTINCT FROM NEW.next_at)
    EXECUTE FUNCTION note_itself();

CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON amendments FOR EACH ROW EXECUTE FUNCTION note_replacement();
CREATE TRIGGER note_in_use_new AFTER INSERT ON tokens FOR EACH ROW
    WHEN (NEW.state = 'active') EXECUTE FUNCTION note_token_in_use();
CREATE TRIGGER note_in_use AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.state <> NEW.state AND (OLD.state = 'active' OR NEW.state = 'active')) EXECUTE FUNCTION note_token_in_use();
CREATE TRIGGER note_usable AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (NEW.kind = 'debicheck' AND (OLD.kind, OLD.state, OLD.accepted_at, OLD.one_debit, OLD.terms)
            IS DISTINCT FROM (NEW.kind, NEW.state, NEW.accepted_at, NEW.one_debit, NEW.terms)
        AND (OLD.state IN ('active', 'registered_unauthenticated') OR NEW.state IN ('active', 'registered_unauthenticated')))
    EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_mandate_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.method = 'debicheck') EXECUTE FUNCTION note_mandate_of_debit();
CREATE TRIGGER note_mandate_gone AFTER DELETE ON collections FOR EACH ROW
    WHEN (OLD.method = 'debicheck') EXECUTE FUNCTION note_mandate_of_debit();
CREATE TRIGGER note_mandate_moved AFTER UPDATE ON collections FOR EACH ROW
    WHEN (NEW.method = 'debicheck' AND (OLD.action_date <> NEW.action_date
        OR (OLD.state IN ('scheduled', 'submitted', 'in_tracking')) <> (NEW.state IN ('scheduled', 'submitted', 'in_tracking'))))
    EXECUTE FUNCTION note_mandate_of_debit();
CREATE TRIGGER note_mandate_new AFTER INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.token_id IS NOT NULL) EXECUTE FUNCTION note_mandate_of_token();
CREATE TRIGGER note_mandate_gone AFTER DELETE ON template_clients FOR EACH ROW
    WHEN (OLD.token_id IS NOT NULL) EXECUTE FUNCTION note_mandate_of_token();
CREATE TRIGGER note_mandate_moved AFTER UPDATE ON template_clients FOR EACH ROW
    WHEN (OLD.token_id IS DISTINCT FROM NEW.token_id OR (OLD.status = 'inactive') <> (NEW.status = 'inactive'))
    EXECUTE FUNCTION note_mandate_of_token();
CREATE TRIGGER note_planned AFTER INSERT OR UPDATE OR DELETE ON proclaimed_days FOR EACH ROW EXECUTE FUNCTION note_closed_day();
CREATE TRIGGER note_closed_new AFTER INSERT ON collections FOR EACH ROW
    WHEN (NEW.state = 'scheduled') EXECUTE FUNCTION note_debit_on_closed_day();
CREATE TRIGGER note_closed_moved AFTER UPDATE ON collections FOR EACH ROW
    WHEN ((OLD.state = 'scheduled' OR NEW.state = 'scheduled')
        AND (OLD.state <> NEW.state OR OLD.action_date <> NEW.action_date)) EXECUTE FUNCTION note_debit_on_closed_day();
CREATE TRIGGER note_overdue AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.status = 'overdue') <> (NEW.status = 'overdue')
        OR NEW.status = 'overdue' AND (OLD.collection_count, OLD.total_cents, OLD.attempts)
            IS DISTINCT FROM (NEW.collection_count, NEW.total_cents, NEW.attempts)) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_overdue_gone AFTER DELETE ON purchases FOR EACH ROW
    WHEN (OLD.status = 'overdue') EXECUTE FUNCTION note_itself();

CREATE VIEW attention_more AS
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

-- The one definition of what waits, from which day on, and for whom. A promise of a client waits from its day on; until it
-- is settled, what was promised does not wait itself.
CREATE OR REPLACE VIEW attention_facts AS
    SELECT w.merchant_id, w.kind, w.object_id, w.at, w.answered, w.cents, w.currency,
        greatest(w.from_day, CASE WHEN f.at = w.at THEN f.hidden_until ELSE '-infinity' END,
            CASE WHEN w.kind IN ('failed', 'account_gone', 'overdue') AND EXISTS (SELECT FROM promises p
                WHERE p.merchant_id = w.merchant_id AND p.purchase_id = w.object_id AND p.state = 'open')
                THEN 'infinity'::date ELSE '-infinity' END) AS hidden_until,
        o.owner_id
    FROM (
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, '-infinity'::date AS from_day FROM attention_waits
        UNION ALL
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, from_day FROM attention_more
        UNION ALL
        SELECT p.merchant_id, 'promise', p.id, p.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, p.amount_cents,
            p.currency, p.due_on
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))) w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;

-- What waits of a merchant, counted, as attention_counted told it. The release before this one knows fewer kinds, and
-- goes on asking attention_counted, which leaves the new ones out.
ALTER FUNCTION attention_counted(uuid, date) RENAME TO attention_tallied;
CREATE FUNCTION attention_counted(merchant uuid, since date)
    RETURNS TABLE (day date, kind text, owner_id uuid, hidden_until date, n bigint, cents numeric) LANGUAGE sql STABLE AS $$
    SELECT t.day, t.kind, t.owner_id, t.hidden_until, t.n, t.cents FROM attention_tallied(merchant, since) t
    WHERE t.kind NOT IN ('terms', 'replaced', 'idle', 'overdue', 'closed_day') $$;

-- What ceased to wait was solved, unless the thing itself is gone.
-- +goose StatementBegin
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
        WHEN OLD.kind = 'mail' THEN EXISTS (SELECT FROM mails WHERE id = OLD.object_id)
        WHEN OLD.kind = 'promise' THEN EXISTS (SELECT FROM promises WHERE merchant_id = OLD.merchant_id AND id = OLD.object_id)
        ELSE EXISTS (SELECT FROM purchases WHERE id = OLD.object_id) END
        AND (OLD.kind <> 'idle' OR OLD.hidden_until <= product_today()) -- not before it was shown
    ON CONFLICT (merchant_id, object_id, kind)
    DO UPDATE SET cents = excluded.cents, currency = excluded.currency, solved_at = excluded.solved_at;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What waits already.
UPDATE template_clients s SET fit_due = true FROM tokens t
    WHERE t.id = s.token_id AND t.method = 'debicheck' AND s.status = 'active';
INSERT INTO attention_changes (merchant_id, object_id) SELECT DISTINCT merchant_id, object_id FROM attention_more;

-- +goose Down
DROP FUNCTION attention_counted;
ALTER FUNCTION attention_tallied(uuid, date) RENAME TO attention_counted;
DELETE FROM attention WHERE kind IN ('terms', 'replaced', 'idle', 'overdue', 'closed_day');
CREATE OR REPLACE VIEW attention_facts AS
    SELECT w.merchant_id, w.kind, w.object_id, w.at, w.answered, w.cents, w.currency,
        greatest(w.from_day, CASE WHEN f.at = w.at THEN f.hidden_until ELSE '-infinity' END,
            CASE WHEN w.kind IN ('failed', 'account_gone') AND EXISTS (SELECT FROM promises p WHERE p.merchant_id = w.merchant_id
                AND p.purchase_id = w.object_id AND p.state = 'open') THEN 'infinity'::date ELSE '-infinity' END) AS hidden_until,
        o.owner_id
    FROM (
        SELECT merchant_id, kind, object_id, at, answered, cents, currency, '-infinity'::date AS from_day FROM attention_waits
        UNION ALL
        SELECT p.merchant_id, 'promise', p.id, p.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, p.amount_cents,
            p.currency, p.due_on
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))) w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_solved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM attention a WHERE a.merchant_id = OLD.merchant_id AND a.object_id = OLD.object_id AND a.kind = OLD.kind)
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO attention_solved AS s (merchant_id, object_id, kind, cents, currency, solved_at)
    SELECT OLD.merchant_id, OLD.object_id, OLD.kind, OLD.cents, OLD.currency, product_now()
    WHERE CASE OLD.kind WHEN 'blocked' THEN EXISTS (SELECT FROM tokens WHERE id = OLD.object_id)
        WHEN 'suspended' THEN EXISTS (SELECT FROM mandates WHERE id = OLD.object_id)
        WHEN 'stranded' THEN EXISTS (SELECT FROM template_clients WHERE id = OLD.object_id)
        WHEN 'mail' THEN EXISTS (SELECT FROM mails WHERE id = OLD.object_id)
        WHEN 'promise' THEN EXISTS (SELECT FROM promises WHERE merchant_id = OLD.merchant_id AND id = OLD.object_id)
        ELSE EXISTS (SELECT FROM purchases WHERE id = OLD.object_id) END
    ON CONFLICT (merchant_id, object_id, kind)
    DO UPDATE SET cents = excluded.cents, currency = excluded.currency, solved_at = excluded.solved_at;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP VIEW attention_more;
DROP TRIGGER note_overdue_gone ON purchases;
DROP TRIGGER note_overdue ON purchases;
DROP TRIGGER note_closed_moved ON collections;
DROP TRIGGER note_closed_new ON collections;
DROP TRIGGER note_planned ON proclaimed_days;
DROP TRIGGER note_mandate_moved ON template_clients;
DROP TRIGGER note_mandate_gone ON template_clients;
DROP TRIGGER note_mandate_new ON template_clients;
DROP TRIGGER note_mandate_moved ON collections;
DROP TRIGGER note_mandate_gone ON collections;
DROP TRIGGER note_mandate_new ON collections;
DROP TRIGGER note_usable ON mandates;
DROP TRIGGER note_in_use ON tokens;
DROP TRIGGER note_in_use_new ON tokens;
DROP TRIGGER note_changed ON amendments;
DROP TRIGGER note_unfit ON template_clients;
DROP TRIGGER judge_subscribers ON mandates;
DROP TRIGGER judge_subscribers ON billing_templates;
DROP TRIGGER judge_moved ON template_clients;
DROP TRIGGER judge_new ON template_clients;
DROP FUNCTION judge_subscriber, judge_subscribers_of_template, judge_subscribers_of_mandate, note_replacement, note_token_in_use,
    note_mandate_of_debit, note_mandate_of_token, note_closed_day, note_debit_on_closed_day;
DROP INDEX template_clients_to_judge;
ALTER TABLE template_clients DROP COLUMN unfit, DROP COLUMN fit_due;
