-- +goose Up
-- What clients asked for waits for an answer. The one definition of what waits, with requests in it.
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
            p.currency, p.due_on + 1
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))
        UNION ALL
        SELECT r.merchant_id, 'request', r.id, r.due_on::timestamp AT TIME ZONE 'Africa/Johannesburg', false, 0, '',
            '-infinity'::date
        FROM client_requests r WHERE r.state = 'open') w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;
CREATE TRIGGER note_new AFTER INSERT ON client_requests FOR EACH ROW EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_moved AFTER UPDATE ON client_requests FOR EACH ROW
    WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION note_itself();
CREATE TRIGGER note_gone AFTER DELETE ON client_requests FOR EACH ROW EXECUTE FUNCTION note_itself();

-- What ceased to wait was solved, unless the thing itself is gone.
-- +goose StatementBegin
DO $$
DECLARE
    was text := pg_get_functiondef('note_solved()'::regprocedure);
    old text := 'WHEN OLD.kind = ''mail''';
BEGIN
    IF position(old IN was) = 0 THEN
        RAISE EXCEPTION 'note_solved() has another form';
    END IF;
    EXECUTE replace(was, old, 'WHEN OLD.kind = ''request'' THEN EXISTS (SELECT FROM client_requests WHERE id = OLD.object_id)
        ' || old);
END $$;
-- +goose StatementEnd
INSERT INTO attention_changes (merchant_id, object_id) SELECT merchant_id, id FROM client_requests WHERE state = 'open';

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('note_solved()'::regprocedure),
        'WHEN OLD.kind = ''request'' THEN EXISTS (SELECT FROM client_requests WHERE id = OLD.object_id)
        ', '');
END $$;
-- +goose StatementEnd
DROP TRIGGER note_gone ON client_requests;
DROP TRIGGER note_moved ON client_requests;
DROP TRIGGER note_new ON client_requests;
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
            p.currency, p.due_on + 1
        FROM promises p WHERE p.state = 'open' AND (p.purchase_id IS NULL
            OR EXISTS (SELECT FROM purchases owed WHERE owed.id = p.purchase_id AND is_owed(owed.status)))) w
    LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id AND f.kind = w.kind
    LEFT JOIN owners o ON o.merchant_id = w.merchant_id AND o.object_id = w.object_id;
DELETE FROM attention WHERE kind = 'request';
INSERT INTO attention_changes (merchant_id, object_id) SELECT merchant_id, id FROM client_requests WHERE state = 'open';
