-- +goose Up
-- What the package calls the tax of a sale at the standard rate, for its sales invoices.
ALTER TABLE book_settings ADD COLUMN sales_tax text NOT NULL DEFAULT 'Standard Rate Sales';

-- +goose Down
ALTER TABLE book_settings DROP COLUMN sales_tax;
