-- +goose Up
-- Entries of a kind that is rare stand among millions of others.
-- Takes 2 s for each million rows of journal_entries; writes to them wait.
SET LOCAL lock_timeout = '10s';
CREATE INDEX journal_entries_by_kind ON journal_entries (merchant_id, kind, day, n);

-- +goose Down
DROP INDEX journal_entries_by_kind;
