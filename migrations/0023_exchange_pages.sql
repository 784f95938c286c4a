-- +goose Up
-- What the pages of the bank exchange look for.

-- The days at the bank are summed from the index alone.
DROP INDEX bank_items_by_day;
CREATE INDEX bank_items_by_day ON bank_items (merchant_id, action_date)
    INCLUDE (outcome, state, message_id, amount_cents, id) WHERE kind = 'debits';
CREATE INDEX bank_findings_open ON bank_findings (merchant_id, id DESC) WHERE closed_at IS NULL;
-- The answers in one document: their ids begin with its hash.
CREATE INDEX bank_answers_of_document ON bank_answers (left(id, 16));
CREATE INDEX bank_entries_of_document ON bank_entries (arrival_id);
CREATE INDEX audit_entries_of_bank_message ON audit_entries (merchant_id, object_id) WHERE object_type = 'bank_message';

-- +goose Down
DROP INDEX audit_entries_of_bank_message, bank_entries_of_document, bank_answers_of_document, bank_findings_open,
    bank_items_by_day;
CREATE INDEX bank_items_by_day ON bank_items (merchant_id, action_date) WHERE kind = 'debits';
