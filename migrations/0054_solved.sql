-- +goose NO TRANSACTION
-- +goose Up
-- What needed attention and does not any more is listed for the day on which that came about, so that nothing leaves the
-- list unseen; and what is about to run out is found by when it does. Each part can be taken again after it was broken off.

-- What ceased to wait because it was solved, whoever or whatever solved it. One row for each thing and why it waited.
CREATE TABLE IF NOT EXISTS attention_solved (
    merchant_id uuid        NOT NULL,
    object_id   uuid        NOT NULL,
    kind        text        NOT NULL,              -- as in attention
    cents       bigint      NOT NULL,              -- as attention had them
    currency    text        NOT NULL,
    solved_at   timestamptz NOT NULL,              -- the product's clock, when the sweep came by
    PRIMARY KEY (merchant_id, object_id, kind)
);
CREATE INDEX IF NOT EXISTS attention_solved_by_moment ON attention_solved (merchant_id, solved_at);

-- The moment on the product's clock.
CREATE OR REPLACE FUNCTION product_now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT now() + offset_micros * interval '1 microsecond' FROM sandbox_clock $$;

-- The sweep takes what may have changed out of attention and puts back what still waits. What is not back when it ends
-- was solved, unless the thing itself is gone.
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
-- Only the sweep writes attention, and waits for this trigger to be made.
DROP TRIGGER IF EXISTS note_solved ON attention;
CREATE CONSTRAINT TRIGGER note_solved AFTER DELETE ON attention DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_solved();

-- What people looked after who have left since is nobody's again.
DELETE FROM owners o WHERE NOT EXISTS (SELECT FROM memberships m
    WHERE m.merchant_id = o.merchant_id AND m.user_id = o.owner_id AND m.disabled_at IS NULL);

-- Links that can no longer be paid after a moment, and requests to confirm a mandate, by when they run out.
DROP INDEX CONCURRENTLY IF EXISTS purchases_expiring;
CREATE INDEX CONCURRENTLY purchases_expiring ON purchases (merchant_id, pass_at) WHERE due_strict AND pass_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS mandate_authentications_expiring;
CREATE INDEX CONCURRENTLY mandate_authentications_expiring ON mandate_authentications (merchant_id, expires_at)
    WHERE state IN ('sent', 'delivered') AND method <> 'REALTIME';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS mandate_authentications_expiring;
DROP INDEX CONCURRENTLY IF EXISTS purchases_expiring;
DROP TRIGGER IF EXISTS note_solved ON attention;
DROP FUNCTION IF EXISTS note_solved, product_now;
DROP TABLE IF EXISTS attention_solved;
