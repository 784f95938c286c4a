-- +goose Up
-- A payer who does not let the account be stored gives a mandate for one debit.
ALTER TABLE mandates ADD COLUMN one_debit boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE mandates DROP COLUMN one_debit;
