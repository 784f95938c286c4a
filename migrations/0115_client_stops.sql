-- +goose Up
-- "Stop everything" on a client: since when nothing is debited, on the client and on each of its tokens. What it
-- changed is kept, so that it can be undone.
ALTER TABLE clients ADD COLUMN stopped_at timestamptz;
ALTER TABLE tokens ADD COLUMN held_at timestamptz;
CREATE INDEX tokens_held ON tokens (id) WHERE held_at IS NOT NULL;

CREATE TABLE client_stops (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    state       text NOT NULL CHECK (state IN ('standing', 'undone')),
    changed     jsonb NOT NULL,              -- debits, subscribers and tokens that the stop changed
    reason      text NOT NULL,
    asked_by    uuid NOT NULL,
    asked_name  text NOT NULL,
    approval_id uuid,
    approver    text NOT NULL DEFAULT '',
    ended_by    uuid,
    ended_name  text NOT NULL DEFAULT '',
    ended_at    timestamptz,
    created_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX client_stops_one ON client_stops (merchant_id, client_id) WHERE state = 'standing';
CREATE INDEX client_stops_by_client ON client_stops (client_id);

ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client'));

-- +goose Down
DELETE FROM approvals WHERE kind = 'stop_client';
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe'));
DROP TABLE client_stops;
DROP INDEX tokens_held;
ALTER TABLE tokens DROP COLUMN held_at;
ALTER TABLE clients DROP COLUMN stopped_at;
