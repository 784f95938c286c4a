-- +goose Up
-- A second approver for files to the bank above an amount.

ALTER TABLE merchants ADD COLUMN approve_files_cents bigint; -- files above this; null: none
ALTER TABLE bank_files_out
    ADD COLUMN made_by_id uuid,                              -- the person who cut; null: the clock
    ADD COLUMN approve_by timestamptz,                       -- when a held file must be approved
    ADD COLUMN decided_at timestamptz,
    ADD COLUMN decided_by text NOT NULL DEFAULT '',          -- who approved or refused it here
    ADD COLUMN declined   boolean NOT NULL DEFAULT false;    -- refused here: it never left
CREATE INDEX bank_files_out_held ON bank_files_out (made_at) WHERE state = 'held';

-- +goose Down
DROP INDEX bank_files_out_held;
ALTER TABLE bank_files_out DROP COLUMN made_by_id, DROP COLUMN approve_by, DROP COLUMN decided_at,
    DROP COLUMN decided_by, DROP COLUMN declined;
ALTER TABLE merchants DROP COLUMN approve_files_cents;
