-- +goose Up
-- Two of anything at once leave the books as one after the other would: who posts for a purchase waits for others who
-- do, so that what the client owes is split as it stands, and who takes an entry away holds the month as who posts.
SET LOCAL lock_timeout = '10s';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    owed bigint;
    turns bigint := NEW.ar;
BEGIN
    IF turns <> 0 THEN
        PERFORM FROM purchases WHERE id = NEW.purchase_id FOR NO KEY UPDATE;
    END IF;
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
-- +goose StatementEnd

-- +goose Down
SELECT 1; -- the functions of before work with the same rows, and so do these with the step before
