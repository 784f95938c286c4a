-- +goose Up
-- What the bank's answers come to by day and by what the debits have in common: the bank, the template, the age of the
-- mandate. Differences are noted with all three, and folded into one sum for each.
SET LOCAL lock_timeout = '10s';

CREATE TABLE debit_trait_days (
    merchant_id uuid NOT NULL,
    trait       text NOT NULL, -- bank, template, age; the same by month, of the first day of each
    day         date NOT NULL,
    outcome     text NOT NULL, -- collected, failed, disputed
    value       text NOT NULL,
    currency    text NOT NULL,
    brand_id    uuid NOT NULL,
    method      text NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    PRIMARY KEY (merchant_id, trait, day, outcome, value, currency, brand_id, method)
);
CREATE TABLE debit_trait_deltas (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    outcome     text NOT NULL,
    currency    text NOT NULL,
    brand_id    uuid NOT NULL,
    method      text NOT NULL,
    bank        text NOT NULL,
    template    text NOT NULL,
    age         text NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);
-- A row as long as the sums of earlier debits are still to be made, which the next fold does.
CREATE TABLE debit_traits_due (since timestamptz NOT NULL);
INSERT INTO debit_traits_due SELECT now() WHERE EXISTS (SELECT FROM collections);

-- +goose Down
DROP TABLE debit_traits_due, debit_trait_deltas, debit_trait_days;
