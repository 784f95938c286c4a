-- +goose Up
-- A payer who does not let the account be stored gives a mandate for one debit.
ALTER TABLE mandates ADD COLUMN one_debit boolean NOT NULL DEFAULT false;

-- The mail of an invoice waits for the debit that its batch plans, so that it can name it.
CREATE INDEX batch_rows_to_charge ON batch_rows (purchase_id) WHERE state = 'sent' AND charge = 'wanted';

-- What a person had typed when the session ended, for the sign-in that follows.
CREATE TABLE kept_forms (
    name       text PRIMARY KEY,             -- random
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    sealed     bytea NOT NULL,               -- bound to the person: bank and identity numbers may be in it
    created_at timestamptz NOT NULL          -- real time
);
CREATE INDEX kept_forms_by_person ON kept_forms (user_id, created_at);

-- +goose Down
DROP TABLE kept_forms;
DROP INDEX batch_rows_to_charge;
ALTER TABLE mandates DROP COLUMN one_debit;
