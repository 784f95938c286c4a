-- +goose Up
-- What a plan is at work on waits for nobody until the day after its next step. What is under way is looked at anew.
SET LOCAL lock_timeout = '10s';

INSERT INTO attention_changes (merchant_id, object_id)
SELECT merchant_id, purchase_id FROM plan_runs WHERE state = 'waiting';
-- +goose Down
INSERT INTO attention_changes (merchant_id, object_id)
SELECT merchant_id, purchase_id FROM plan_runs WHERE state = 'waiting';
