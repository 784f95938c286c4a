-- +goose Up
-- A client says that it did not agree to be debited under one mandate: nothing is debited from that account until staff
-- let it go on, and what a plan does about it ends in the same transaction.
SET LOCAL lock_timeout = '10s';

ALTER TABLE tokens ADD COLUMN objected_at timestamptz; -- with held_at; null: the client said no such thing

-- +goose StatementBegin
CREATE FUNCTION plan_follow_objection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL, end_reason = 'objected',
        ended_at = NEW.objected_at, updated_at = NEW.objected_at
    WHERE token_id = NEW.id AND state <> 'ended';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER plan_follow_objection AFTER UPDATE ON tokens FOR EACH ROW
    WHEN (OLD.objected_at IS NULL AND NEW.objected_at IS NOT NULL)
    EXECUTE FUNCTION plan_follow_objection();
-- +goose Down
DROP TRIGGER plan_follow_objection ON tokens;
DROP FUNCTION plan_follow_objection();
ALTER TABLE tokens DROP COLUMN objected_at;
