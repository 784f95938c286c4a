-- +goose Up
-- Money that clients paid by EFT: what of a bank movement was booked on which purchase. A payment that was taken back
-- keeps its row.
SET LOCAL lock_timeout = '10s';

ALTER TABLE bank_entries
    ADD COLUMN paid_cents bigint NOT NULL DEFAULT 0, -- of the amount, booked on purchases
    ADD CONSTRAINT bank_entries_paid CHECK (paid_cents BETWEEN 0 AND amount_cents) NOT VALID;

CREATE TABLE bank_payments (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    entry_id     uuid NOT NULL,
    purchase_id  uuid NOT NULL,
    amount_cents bigint NOT NULL CHECK (amount_cents > 0),
    currency     text NOT NULL,
    by_name      text NOT NULL,
    created_at   timestamptz NOT NULL,
    undone_by    text NOT NULL DEFAULT '',
    undone_at    timestamptz -- null: it stands
);
CREATE INDEX bank_payments_of_entry ON bank_payments (entry_id, id);
CREATE INDEX bank_payments_of_purchase ON bank_payments (purchase_id) WHERE undone_at IS NULL;
CREATE INDEX bank_payments_by_merchant ON bank_payments (merchant_id, id);

-- +goose Down
DROP TABLE bank_payments;
ALTER TABLE bank_entries DROP COLUMN paid_cents;
