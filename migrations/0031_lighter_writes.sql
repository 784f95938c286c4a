-- +goose NO TRANSACTION
-- +goose Up
-- A function in SQL is read and planned anew for every row that it gives a default; one
-- in PL/pgSQL once a connection.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_turn() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN pg_current_xact_id()::text::bigint + (SELECT base FROM audit_turns);
END $$;
-- +goose StatementEnd

-- purchases_by_token finds the same few purchases.
DROP INDEX CONCURRENTLY IF EXISTS purchases_waiting;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS purchases_waiting ON purchases (token_id) WHERE status = 'pending_charge';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_turn() RETURNS bigint LANGUAGE sql STABLE AS
    $$ SELECT pg_current_xact_id()::text::bigint + base FROM audit_turns $$;
-- +goose StatementEnd
