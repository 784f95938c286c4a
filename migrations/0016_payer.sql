-- +goose Up
-- A payer who does not let the account be stored gives a mandate for one debit.
ALTER TABLE mandates ADD COLUMN one_debit boolean NOT NULL DEFAULT false;

-- The mail of an invoice waits for the debit that its batch plans, so that it can name it.
CREATE INDEX batch_rows_to_charge ON batch_rows (purchase_id) WHERE state = 'sent' AND charge = 'wanted';

-- +goose Down
DROP INDEX batch_rows_to_charge;
ALTER TABLE mandates DROP COLUMN one_debit;
