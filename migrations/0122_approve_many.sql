-- +goose Up
-- A second approver for what bills or debits many together above the limit of a business: adding subscribers, debiting
-- again. What was asked for is sealed beside the request, and gone when the request is over.
ALTER TABLE approvals ADD COLUMN input_sealed bytea;
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client', 'change_setting', 'do_many'));

-- +goose Down
DELETE FROM approvals WHERE kind = 'do_many';
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client', 'change_setting'));
ALTER TABLE approvals DROP COLUMN input_sealed;
