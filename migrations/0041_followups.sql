-- +goose Up
-- What staff do about what needs attention: notes and calls, promises to pay, who looks after it, until when it is put
-- off, and why it was closed.

-- A note, or a call: a note with an outcome.
CREATE TABLE notes (
    id          uuid        NOT NULL,
    merchant_id uuid        NOT NULL REFERENCES merchants (id),
    object_type text        NOT NULL,              -- what it is about: client, purchase, debit, mandate, token, invoice …
    object_id   uuid        NOT NULL,
    client_id   uuid,                              -- whose page shows it
    purchase_id uuid,                              -- on whose page it is shown as well
    text        text        NOT NULL,
    outcome     text        NOT NULL DEFAULT '',   -- of a call: reached, no_answer …
    phone       text        NOT NULL DEFAULT '',   -- that was called
    author_id   uuid,
    author      text        NOT NULL,              -- their name
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, id)
);
CREATE INDEX notes_by_object ON notes (merchant_id, object_id, id);
CREATE INDEX notes_by_client ON notes (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX notes_by_purchase ON notes (merchant_id, purchase_id, id) WHERE purchase_id IS NOT NULL;

-- What a client promised to pay. That of a purchase is over when the purchase is paid.
CREATE TABLE promises (
    id           uuid        NOT NULL,
    merchant_id  uuid        NOT NULL REFERENCES merchants (id),
    client_id    uuid,
    purchase_id  uuid,
    amount_cents bigint      NOT NULL CHECK (amount_cents > 0),
    currency     text        NOT NULL,
    due_on       date        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('open', 'kept', 'broken', 'withdrawn')),
    text         text        NOT NULL DEFAULT '',
    author_id    uuid,
    author       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, id)
);
CREATE INDEX promises_by_day ON promises (merchant_id, due_on, id);
CREATE INDEX promises_by_client ON promises (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX promises_open ON promises (merchant_id, purchase_id) WHERE state = 'open' AND purchase_id IS NOT NULL;

-- Who looks after a client, a purchase, an account …
CREATE TABLE owners (
    merchant_id uuid        NOT NULL REFERENCES merchants (id),
    object_id   uuid        NOT NULL,
    object_type text        NOT NULL,
    owner_id    uuid        NOT NULL,              -- somebody of the team
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, object_id)
);
CREATE INDEX owners_by_person ON owners (merchant_id, owner_id);

-- What was put off or closed of what needs attention. It holds for what waited at that time: what happens anew is shown
-- again.
CREATE TABLE followups (
    merchant_id  uuid        NOT NULL REFERENCES merchants (id),
    object_id    uuid        NOT NULL,
    kind         text        NOT NULL,             -- as in attention
    at           timestamptz NOT NULL,             -- as attention had it
    state        text        NOT NULL CHECK (state IN ('open', 'snoozed', 'closed')),
    hidden_until date        NOT NULL,             -- infinity: it was closed
    reason       text        NOT NULL DEFAULT '',  -- why it was closed
    actor_id     uuid,
    actor        text        NOT NULL,             -- their name
    acted_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, object_id, kind)
);
CREATE INDEX followups_by_moment ON followups (merchant_id, acted_at);

-- What waits is kept with its owner, and with the day from which it is shown.
ALTER TABLE attention ADD COLUMN hidden_until date NOT NULL DEFAULT '-infinity', ADD COLUMN owner_id uuid;
DROP INDEX attention_by_kind;
CREATE INDEX attention_by_kind ON attention (merchant_id, kind, at)
    INCLUDE (object_id, answered, cents, currency, hidden_until, owner_id);
CREATE INDEX attention_by_day ON attention (merchant_id, kind, hidden_until, at, object_id)
    INCLUDE (answered, cents, currency, owner_id);
CREATE INDEX attention_by_owner ON attention (merchant_id, owner_id, kind, hidden_until, at, object_id)
    INCLUDE (answered, cents, currency);

-- What waits for a person, whoever looks after it: the one definition, see the view.
ALTER VIEW attention_facts RENAME TO attention_waits;

-- The one definition of what waits, from which day on, and for whom. A promise of a client waits from its day on; until it
-- is settled, what was promised does not wait itself.
CREATE VIEW attention_facts AS
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

-- The day on the product's clock.
CREATE FUNCTION product_today() RETURNS date LANGUAGE sql STABLE AS $$
    SELECT ((now() + offset_micros * interval '1 microsecond') AT TIME ZONE 'Africa/Johannesburg')::date FROM sandbox_clock $$;

CREATE OR REPLACE FUNCTION attention_changed(merchant uuid) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id
    FROM (SELECT DISTINCT object_id FROM attention_changes WHERE merchant_id = merchant) c CROSS JOIN LATERAL (
        SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = merchant OFFSET 0) f $$;
-- What waits of a kind now is neither snoozed nor closed today.
CREATE OR REPLACE FUNCTION attention_now(merchant uuid, what text) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT a.merchant_id, a.kind, a.object_id, a.at, a.answered, a.cents, a.currency, a.hidden_until, a.owner_id FROM attention a
        WHERE a.merchant_id = merchant AND a.kind = what AND a.hidden_until <= (SELECT product_today())
            AND a.object_id NOT IN (SELECT object_id FROM attention_changes WHERE merchant_id = merchant)
    UNION ALL
    SELECT * FROM attention_changed(merchant) c WHERE c.kind = what AND c.hidden_until <= (SELECT product_today()) $$;

-- The sweep keeps both as well, and the check compares them.
-- +goose StatementBegin
DO $$
DECLARE
    part record;
    was text;
BEGIN
    FOR part IN SELECT * FROM (VALUES
        ('fold_figures(integer)', 'f.answered, f.cents, f.currency', 'f.answered, f.cents, f.currency, f.hidden_until, f.owner_id'),
        ('check_figures()', '(a.at, a.answered, a.cents, a.currency) IS DISTINCT FROM (f.at, f.answered, f.cents, f.currency)',
            '(a.at, a.answered, a.cents, a.currency, a.hidden_until, a.owner_id)
            IS DISTINCT FROM (f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id)')
    ) AS p (name, old, new) LOOP
        was := pg_get_functiondef(part.name::regprocedure);
        IF position(part.old IN was) = 0 THEN
            RAISE EXCEPTION '% has another form', part.name;
        END IF;
        EXECUTE replace(was, part.old, part.new);
    END LOOP;
END $$;

-- A promise, and what was promised.
CREATE FUNCTION note_promise() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE p promises := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT p.merchant_id, p.id UNION ALL SELECT p.merchant_id, p.purchase_id WHERE p.purchase_id IS NOT NULL;
    RETURN NULL;
END $$;
-- The promises of a purchase that begins or ceases to be owed.
CREATE FUNCTION note_promises_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attention_changes (merchant_id, object_id)
    SELECT p.merchant_id, p.id FROM promises p
    WHERE p.merchant_id = NEW.merchant_id AND p.purchase_id = NEW.id AND p.state = 'open';
    RETURN NULL;
END $$;
CREATE FUNCTION note_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO attention_changes (merchant_id, object_id) VALUES (OLD.merchant_id, OLD.object_id);
        RETURN NULL;
    END IF;
    INSERT INTO attention_changes (merchant_id, object_id) VALUES (NEW.merchant_id, NEW.object_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON promises FOR EACH ROW EXECUTE FUNCTION note_promise();
CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON owners FOR EACH ROW EXECUTE FUNCTION note_object();
CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON followups FOR EACH ROW EXECUTE FUNCTION note_object();
CREATE TRIGGER note_promised AFTER UPDATE ON purchases FOR EACH ROW
    WHEN ((OLD.status IN ('created', 'sent', 'viewed', 'error', 'overdue'))
        <> (NEW.status IN ('created', 'sent', 'viewed', 'error', 'overdue'))) EXECUTE FUNCTION note_promises_of();

-- +goose Down
DROP TRIGGER note_promised ON purchases;
-- +goose StatementBegin
DO $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT * FROM (VALUES
        ('fold_figures(integer)', ', f.hidden_until, f.owner_id', ''),
        ('check_figures()', '(a.at, a.answered, a.cents, a.currency, a.hidden_until, a.owner_id)
            IS DISTINCT FROM (f.at, f.answered, f.cents, f.currency, f.hidden_until, f.owner_id)',
            '(a.at, a.answered, a.cents, a.currency) IS DISTINCT FROM (f.at, f.answered, f.cents, f.currency)')
    ) AS p (name, new, old) LOOP
        EXECUTE replace(pg_get_functiondef(part.name::regprocedure), part.new, part.old);
    END LOOP;
END $$;
-- +goose StatementEnd
DROP VIEW attention_facts;
ALTER VIEW attention_waits RENAME TO attention_facts;
DELETE FROM attention WHERE kind = 'promise';
DROP INDEX attention_by_owner, attention_by_day, attention_by_kind;
ALTER TABLE attention DROP COLUMN hidden_until, DROP COLUMN owner_id;
CREATE INDEX attention_by_kind ON attention (merchant_id, kind, at) INCLUDE (object_id, answered, cents, currency);
CREATE OR REPLACE FUNCTION attention_changed(merchant uuid) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT f.merchant_id, f.kind, f.object_id, f.at, f.answered, f.cents, f.currency
    FROM (SELECT DISTINCT object_id FROM attention_changes WHERE merchant_id = merchant) c CROSS JOIN LATERAL (
        SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = merchant OFFSET 0) f $$;
CREATE OR REPLACE FUNCTION attention_now(merchant uuid, what text) RETURNS SETOF attention LANGUAGE sql STABLE AS $$
    SELECT a.merchant_id, a.kind, a.object_id, a.at, a.answered, a.cents, a.currency FROM attention a
        WHERE a.merchant_id = merchant AND a.kind = what
            AND a.object_id NOT IN (SELECT object_id FROM attention_changes WHERE merchant_id = merchant)
    UNION ALL
    SELECT * FROM attention_changed(merchant) c WHERE c.kind = what $$;
DROP TABLE followups, owners, promises, notes;
DROP FUNCTION product_today, note_promise, note_promises_of, note_object;
