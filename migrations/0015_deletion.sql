-- +goose Up
-- What was chosen for the debits and subscriptions that hang on the tokens: purchase or
-- subscriber id -> {"do", "to"}. It happens when the deletion is final.
ALTER TABLE token_deletions ADD COLUMN choices jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE token_deletions DROP COLUMN choices;
