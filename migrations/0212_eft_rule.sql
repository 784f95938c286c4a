-- +goose Up
-- A rule that books money by EFT without a person, for businesses that switch it on.
-- Takes 1 s for each million rows of bank_entries; writes to them wait.
SET LOCAL lock_timeout = '10s';

ALTER TABLE merchants
    ADD COLUMN eft_rule_since timestamptz, -- null: it is off
    ADD COLUMN eft_rule_by text NOT NULL DEFAULT '';
ALTER TABLE bank_entries
    ADD COLUMN judged_at timestamptz; -- when the rule or a person decided about it: the rule looks at it once
CREATE INDEX bank_entries_to_judge ON bank_entries (merchant_id, id)
    WHERE state = 'unmatched' AND credit AND judged_at IS NULL;
ALTER TABLE bank_payments
    ADD COLUMN by_rule boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE bank_payments DROP COLUMN by_rule;
DROP INDEX bank_entries_to_judge;
ALTER TABLE bank_entries DROP COLUMN judged_at;
ALTER TABLE merchants DROP COLUMN eft_rule_since, DROP COLUMN eft_rule_by;
