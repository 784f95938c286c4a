-- Whether the terms of a mandate cover what a template bills.

CREATE OR REPLACE FUNCTION judge_subscriber() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.fit_due := NEW.status = 'active' AND EXISTS (SELECT FROM tokens t WHERE t.id = NEW.token_id AND t.method = 'debicheck');
    IF NOT NEW.fit_due THEN
        NEW.unfit := '';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION judge_subscribers_of_template() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_clients s SET fit_due = true WHERE s.merchant_id = NEW.merchant_id AND s.template_id = NEW.id
        AND s.status = 'active' AND EXISTS (SELECT FROM tokens t WHERE t.id = s.token_id AND t.method = 'debicheck');
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION judge_subscribers_of_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_clients s SET fit_due = true WHERE s.token_id = NEW.id AND s.status = 'active';
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER judge_moved BEFORE UPDATE ON template_clients FOR EACH ROW
    WHEN ((OLD.status, OLD.token_id, OLD.override, OLD.next_at, OLD.whitelist, OLD.switches)
        IS DISTINCT FROM (NEW.status, NEW.token_id, NEW.override, NEW.next_at, NEW.whitelist, NEW.switches))
    EXECUTE FUNCTION judge_subscriber();
CREATE OR REPLACE TRIGGER judge_new BEFORE INSERT ON template_clients FOR EACH ROW
    WHEN (NEW.status = 'active' AND NEW.token_id IS NOT NULL) EXECUTE FUNCTION judge_subscriber();
CREATE OR REPLACE TRIGGER judge_price_change AFTER UPDATE ON billing_templates FOR EACH ROW
    WHEN (OLD.price_change IS DISTINCT FROM NEW.price_change) EXECUTE FUNCTION judge_subscribers_of_template();
CREATE OR REPLACE TRIGGER judge_subscribers AFTER UPDATE ON billing_templates FOR EACH ROW
    WHEN (OLD.total_cents <> NEW.total_cents OR OLD.details IS DISTINCT FROM NEW.details
        OR OLD.due_period <> NEW.due_period OR OLD.due_units <> NEW.due_units)
    EXECUTE FUNCTION judge_subscribers_of_template();
CREATE OR REPLACE TRIGGER judge_subscribers AFTER UPDATE ON mandates FOR EACH ROW
    WHEN (NEW.kind = 'debicheck' AND (OLD.state <> NEW.state OR OLD.terms IS DISTINCT FROM NEW.terms))
    EXECUTE FUNCTION judge_subscribers_of_mandate();
