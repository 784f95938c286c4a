-- +goose Up
-- Accounts whose last debit failed are few, and looked for among all of a business.
CREATE INDEX tokens_failing ON tokens (merchant_id) WHERE failures > 0;
