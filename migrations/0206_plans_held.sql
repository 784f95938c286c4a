-- +goose Up
-- A plan that is held until a day goes on without anybody: what it is at work on is looked at anew.
SET LOCAL lock_timeout = '10s';

INSERT INTO attention_changes (merchant_id, object_id)
SELECT merchant_id, purchase_id FROM plan_runs WHERE state = 'held' AND held_until IS NOT NULL;
-- +goose Down
INSERT INTO attention_changes (merchant_id, object_id)
SELECT merchant_id, purchase_id FROM plan_runs WHERE state = 'held' AND held_until IS NOT NULL;
