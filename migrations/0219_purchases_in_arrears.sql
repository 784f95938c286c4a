-- +goose Up
-- What is to be paid, with what its arrears are counted from: of a large merchant it is a small part of all purchases,
-- whose rows are large. The condition is the one of the report (InArrears).
-- Takes 3 s for each million rows of purchases; writes to them wait.
SET LOCAL lock_timeout = '10s';
CREATE INDEX purchases_in_arrears ON purchases (merchant_id, due)
    INCLUDE (client_id, currency, status, total_cents, net_cents, refunded_cents, overpaid_cents, id)
    WHERE status IN ('created', 'sent', 'viewed', 'error', 'overdue', 'pending_charge', 'pending_execute', 'chargeback')
        AND total_cents > 0 AND client_id IS NOT NULL;

-- +goose Down
DROP INDEX purchases_in_arrears;
