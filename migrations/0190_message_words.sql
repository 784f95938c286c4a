-- +goose Up
-- What a business adds to a kind of message to its clients, in one language. Each save is a row; the newest counts.
CREATE TABLE message_words (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    brand_id    uuid NOT NULL REFERENCES brands (id),
    kind        text NOT NULL,
    language    text NOT NULL,
    version     int NOT NULL,
    opening     text NOT NULL, -- before the text of the house; empty: nothing
    closing     text NOT NULL, -- after it
    created_by  text NOT NULL,
    created_at  timestamptz NOT NULL,
    UNIQUE (merchant_id, brand_id, kind, language, version)
);
CREATE INDEX message_words_of_brand ON message_words (brand_id, kind, language, version DESC);

-- +goose Down
DROP TABLE message_words;
