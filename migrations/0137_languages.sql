-- +goose Up
-- The language in which a client reads, as staff set it and as the client chose it itself; empty: that of the purchase.
ALTER TABLE clients
    ADD COLUMN language        text NOT NULL DEFAULT '',
    ADD COLUMN chosen_language text NOT NULL DEFAULT '';
-- The languages besides English in which a brand writes to its clients, separated by commas.
ALTER TABLE brands ADD COLUMN offered_languages text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE brands DROP COLUMN offered_languages;
ALTER TABLE clients DROP COLUMN chosen_language, DROP COLUMN language;
