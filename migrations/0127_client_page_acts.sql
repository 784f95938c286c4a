-- +goose Up
-- What a client asked for on the page: it is done once the code is entered that was mailed to the address on file.
CREATE TABLE client_page_acts (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    brand_id    uuid NOT NULL,
    link_id     uuid,                        -- by whose session it was asked; null once the link is deleted
    kind        text NOT NULL,               -- promise, invoice, day, stop, pause, account, details, privacy
    object_id   uuid,                        -- the purchase, the subscription or the token
    wish        jsonb NOT NULL,              -- what was typed
    state       text NOT NULL CHECK (state IN ('asked', 'done', 'over')),
    code_hash   bytea,                       -- null when it is done or over
    tries       smallint NOT NULL DEFAULT 0, -- wrong codes
    asked_at    timestamptz NOT NULL,        -- real time, as the next two
    expires_at  timestamptz NOT NULL,
    done_at     timestamptz,
    made_id     uuid                         -- what came of it: a promise, the purchase that takes the new account, a request
);
-- One code lives at a time.
CREATE UNIQUE INDEX client_page_acts_one ON client_page_acts (merchant_id, client_id) WHERE state = 'asked';
CREATE INDEX client_page_acts_by_client ON client_page_acts (merchant_id, client_id, asked_at);
CREATE INDEX client_page_acts_of_object ON client_page_acts (merchant_id, object_id) WHERE state = 'done';

-- +goose Down
DROP TABLE client_page_acts;
