-- +goose Up
-- What clients ask of the business, by whatever channel: privacy requests, which the law wants answered within 30 days
-- (POPIA), and what they may ask for on their own page. A request stays until a person has answered it.
CREATE TABLE client_requests (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    client_id    uuid NOT NULL REFERENCES clients (id),
    kind         text NOT NULL,              -- objection, correction, deletion, access; day, stop, pause, account
    channel      text NOT NULL,              -- page, phone, mail, letter, person
    object_id    uuid,                       -- the purchase, subscription or token that it is about
    about        text NOT NULL DEFAULT '',   -- what that is called, and the day that was asked for
    text         text NOT NULL DEFAULT '',   -- what the client said
    received_on  date NOT NULL,
    due_on       date NOT NULL,
    state        text NOT NULL CHECK (state IN ('open', 'answered', 'withdrawn')),
    answer       text NOT NULL DEFAULT '',
    answered_on  date,
    answered_by  text NOT NULL DEFAULT '',
    answerer_id  uuid,
    recorded_by  text NOT NULL,              -- the client, or the person of the team who wrote it down
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX client_requests_open ON client_requests (merchant_id, due_on, id) WHERE state = 'open';
CREATE INDEX client_requests_by_client ON client_requests (merchant_id, client_id, id);
CREATE INDEX client_requests_newest ON client_requests (merchant_id, id);

-- +goose Down
DROP TABLE client_requests;
