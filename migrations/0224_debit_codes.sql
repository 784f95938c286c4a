-- +goose Up
-- Why debits failed is a trait of theirs, too: the bank's code.
ALTER TABLE debit_trait_deltas ADD COLUMN code text NOT NULL DEFAULT '';
INSERT INTO debit_traits_due SELECT now() WHERE EXISTS (SELECT FROM collections);

-- +goose Down
DELETE FROM debit_trait_days WHERE trait IN ('code', 'code by month');
ALTER TABLE debit_trait_deltas DROP COLUMN code;
