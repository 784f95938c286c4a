-- +goose NO TRANSACTION
-- +goose Up
-- One search for everything: words are found without their accents, tokens by the last digits of the account, and a
-- person's own last pages come first. People can turn single keys off.

-- What a person opened last, for that person alone.
CREATE TABLE IF NOT EXISTS recently_opened (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    object_id   uuid NOT NULL,
    kind        text NOT NULL,                        -- client, purchase, mandate, token, batch, template
    opened_at   timestamptz NOT NULL,                 -- real time
    PRIMARY KEY (merchant_id, user_id, object_id)
);

ALTER TABLE users ADD COLUMN IF NOT EXISTS keys_off boolean NOT NULL DEFAULT false;

DROP INDEX CONCURRENTLY IF EXISTS tokens_of_digits;
CREATE INDEX CONCURRENTLY tokens_of_digits ON tokens (merchant_id, right(account_mask, 4), id);

-- Words with accents are found without them, too. Only rows that have such words are written.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION without_accents(words tsvector) RETURNS tsvector LANGUAGE sql AS $$
    SELECT words || array_to_tsvector(ARRAY(SELECT plain FROM unnest(tsvector_to_array(words)) AS word,
        regexp_replace(normalize(word, NFD), '[\u0300-\u036f]', '', 'g') AS plain WHERE plain <> word AND plain <> ''))
$$;
-- +goose StatementEnd
UPDATE clients SET search = without_accents(search) WHERE search::text ~ '[^\u0001-\u007f]' AND search <> without_accents(search);
UPDATE purchases SET search = without_accents(search) WHERE search::text ~ '[^\u0001-\u007f]' AND search <> without_accents(search);
DROP FUNCTION without_accents;

-- +goose Down
DROP INDEX tokens_of_digits;
ALTER TABLE users DROP COLUMN keys_off;
DROP TABLE recently_opened;
