-- +goose Up
-- A debit keeps the rows of the rulebook by which it can be disputed, and the last day of it: rules have dates, and what
-- was decided by one is never decided again by the next. dispute_deadline stays the last day on which a dispute is
-- refunded without questions; a late one keeps the day until which the mandate can be proven. The release before writes
-- none of the three; its debits are judged when they are collected, or read by the rules of their day.
SET LOCAL lock_timeout = '10s';
ALTER TABLE collections ADD COLUMN dispute_until date, ADD COLUMN dispute_rows text NOT NULL DEFAULT '',
    ADD COLUMN proof_until date;

-- +goose Down
ALTER TABLE collections DROP COLUMN proof_until, DROP COLUMN dispute_rows, DROP COLUMN dispute_until;
