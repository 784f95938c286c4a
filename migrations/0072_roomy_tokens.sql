-- +goose Up
-- Each debit writes on its token when it was last used. Room in the pages keeps that change beside the token, where it
-- touches no index.
SET LOCAL lock_timeout = '10s';
ALTER TABLE tokens SET (fillfactor = 80);

-- +goose Down
ALTER TABLE tokens RESET (fillfactor);
