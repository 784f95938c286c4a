-- +goose Up
-- Structured invoices: whether a brand writes them beside its PDF files, and where the brand and its clients receive
-- theirs.
SET LOCAL lock_timeout = '10s';

ALTER TABLE brands ADD COLUMN structured_invoices text NOT NULL DEFAULT ''
    CHECK (structured_invoices IN ('', 'ubl')); -- empty: off
ALTER TABLE brands ADD COLUMN electronic_address text NOT NULL DEFAULT ''; -- scheme:number
ALTER TABLE clients ADD COLUMN electronic_address text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE clients DROP COLUMN electronic_address;
ALTER TABLE brands DROP COLUMN electronic_address;
ALTER TABLE brands DROP COLUMN structured_invoices;
