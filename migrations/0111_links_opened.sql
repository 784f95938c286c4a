-- +goose Up
-- When the client last opened the page to pay. viewed_at stays the moment at which the purchase turned viewed.
ALTER TABLE purchases ADD COLUMN opened_at timestamptz;

-- +goose Down
ALTER TABLE purchases DROP COLUMN opened_at;
