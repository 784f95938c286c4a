-- +goose Up
-- The few SMS that did not arrive lead to their list, as the mails that were given up do.
CREATE INDEX sms_messages_unsent ON sms_messages (merchant_id, id) WHERE state IN ('failed', 'expired', 'skipped');

-- +goose Down
DROP INDEX sms_messages_unsent;
