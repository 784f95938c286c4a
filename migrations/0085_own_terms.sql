-- +goose Up
-- The total of a subscriber's first period, as it was asked for (pro rata). It is null for those who pay the price of
-- every period from the first one on.
ALTER TABLE template_clients ADD COLUMN first_amount_cents bigint CHECK (first_amount_cents >= 0);

-- +goose Down
ALTER TABLE template_clients DROP COLUMN first_amount_cents;
