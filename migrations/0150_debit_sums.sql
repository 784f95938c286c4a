-- +goose Up
-- What debits come to by day is kept in two tables: sums, and the changes that are not folded into them yet. Who reads
-- them asks for both together, here.
SET LOCAL lock_timeout = '10s';

CREATE VIEW debit_sums AS
    SELECT merchant_id, state, day, at, currency, brand_id, method, stored, n, cents FROM debit_days
    UNION ALL
    SELECT merchant_id, state, day, at, currency, brand_id, method, stored, n, cents FROM debit_day_deltas;

-- +goose Down
DROP VIEW debit_sums;
