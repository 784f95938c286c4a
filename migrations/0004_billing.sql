-- +goose Up
-- Invoices: their serial numbers have no gaps, per brand, kind and year.

CREATE TABLE invoice_series (
    brand_id uuid NOT NULL REFERENCES brands (id),
    kind     text NOT NULL,
    year     integer NOT NULL,
    next     bigint NOT NULL,                      -- held until the commit of who takes numbers
    PRIMARY KEY (brand_id, kind, year)
);
CREATE TABLE invoices (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    brand_id     uuid NOT NULL,
    client_id    uuid,
    purchase_id  uuid NOT NULL REFERENCES purchases (id),
    kind         text NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year         integer NOT NULL,
    serial       bigint NOT NULL,
    number       text NOT NULL,                    -- INV-2026-000123
    issued       date NOT NULL,
    currency     text NOT NULL,
    total_cents  bigint NOT NULL,
    vat_cents    bigint,                           -- null: the brand charged no VAT
    vat_number   text NOT NULL DEFAULT '',         -- the brand's on that day
    particulars  jsonb NOT NULL,                   -- issuer and recipient as they were then
    created_at   timestamptz NOT NULL,
    UNIQUE (brand_id, kind, year, serial),
    UNIQUE (purchase_id, kind)
);
CREATE INDEX invoices_by_purchase ON invoices (merchant_id, kind, purchase_id);
CREATE INDEX invoices_by_serial ON invoices (merchant_id, serial);

-- A mail is handed over just before its last byte leaves the house: who dies after
-- that does not send it again.
ALTER TABLE mails ADD COLUMN handed_at timestamptz;
CREATE INDEX mails_handed ON mails (claimed_until) WHERE state = 'queued' AND handed_at IS NOT NULL;

-- +goose Down
ALTER TABLE mails DROP COLUMN handed_at;
DROP TABLE invoices, invoice_series;
