-- +goose Up
-- Purchases that were debited and are still to be paid: those whose debit failed
-- are among them, and they do not vanish from sight as their status goes on.
CREATE INDEX purchases_debited_owed ON purchases (merchant_id, id)
    WHERE collection_count > 0 AND status IN ('created', 'sent', 'viewed', 'error', 'overdue');
-- Purchases that lost the account they were to be debited from.
CREATE INDEX purchases_account_gone ON purchases (merchant_id, id)
    WHERE attempts -> 0 -> 'error' ->> 'code' = 'recurring_token_expired' AND status IN ('created', 'sent', 'viewed', 'error', 'overdue');
-- Active subscribers without an account.
CREATE INDEX template_clients_no_account ON template_clients (merchant_id, id) WHERE status = 'active' AND token_id IS NULL;

-- +goose Down
DROP INDEX template_clients_no_account, purchases_account_gone, purchases_debited_owed;
