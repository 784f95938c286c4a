-- +goose Up
-- A second approver for settings that direct money: clearing accounts, the default account, webhooks. Whoever asks for
-- one anywhere is asked for one here, too.
ALTER TABLE merchants ADD COLUMN approve_settings boolean NOT NULL DEFAULT false;
UPDATE merchants SET approve_settings = true
    WHERE approve_deletions OR approve_batches_cents IS NOT NULL OR approve_files_cents IS NOT NULL;
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client', 'change_setting'));

-- +goose Down
DELETE FROM approvals WHERE kind = 'change_setting';
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client'));
ALTER TABLE merchants DROP COLUMN approve_settings;
