-- +goose Up
-- What a person records of fees and payouts: how much of it goes to which role, above zero a debit. A row is never
-- changed: what was wrong is taken back by a row of its own.
SET LOCAL lock_timeout = '10s';

CREATE TABLE book_records (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    kind        text NOT NULL CHECK (kind IN ('fee', 'payout', 'released', 'taken_back')),
    undoes      uuid UNIQUE REFERENCES book_records (id),
    movement_id uuid, -- of the bank, which it was recorded from
    day         date NOT NULL,
    currency    text NOT NULL,
    clr_cents   bigint NOT NULL, -- collections in transit
    bank_cents  bigint NOT NULL,
    fee_cents   bigint NOT NULL,
    vati_cents  bigint NOT NULL, -- input VAT
    ret_cents   bigint NOT NULL, -- held back by the provider
    what        text NOT NULL, -- what for, who paid, or why it was taken back
    reference   text NOT NULL,
    by_name     text NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT book_records_sum_zero CHECK (clr_cents + bank_cents + fee_cents + vati_cents + ret_cents = 0),
    CONSTRAINT book_records_undo CHECK ((kind = 'taken_back') = (undoes IS NOT NULL))
);
CREATE INDEX book_records_by_merchant ON book_records (merchant_id, day DESC, id DESC);
CREATE INDEX book_records_of_movement ON book_records (movement_id) WHERE movement_id IS NOT NULL;

ALTER TABLE journal_entries
    ADD COLUMN vati bigint NOT NULL DEFAULT 0, -- input VAT
    ADD COLUMN ret bigint NOT NULL DEFAULT 0, -- held back by the provider
    DROP CONSTRAINT journal_entries_sum_zero,
    ADD CONSTRAINT journal_entries_sum_zero
        CHECK (ar + clr + bank + rev + vato + vatd + fee + refp + unap + bad + rec + open + vati + ret = 0)
        NOT VALID; -- 0200 looks through what is posted, while others post

-- +goose Down
ALTER TABLE journal_entries
    DROP CONSTRAINT journal_entries_sum_zero,
    DROP COLUMN vati,
    DROP COLUMN ret,
    ADD CONSTRAINT journal_entries_sum_zero
        CHECK (ar + clr + bank + rev + vato + vatd + fee + refp + unap + bad + rec + open = 0);
DROP TABLE book_records CASCADE; -- the view of what is posted goes with it
DROP FUNCTION IF EXISTS post_records();
