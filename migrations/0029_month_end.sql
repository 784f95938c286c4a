-- +goose NO TRANSACTION
-- +goose Up
-- Many debits are due at one moment: those that are handed over next are found in their
-- order, without sorting all of them. Nothing is locked while the index is made.
DROP INDEX CONCURRENTLY IF EXISTS collections_to_hand_over;
CREATE INDEX CONCURRENTLY collections_to_hand_over ON collections (submit_at, id) WHERE state = 'scheduled';
DROP INDEX CONCURRENTLY IF EXISTS collections_to_submit;
-- The sandbox bank writes an order and its answers at once, so nothing needs to look for
-- the order of each answer.
ALTER TABLE sandbox_answers DROP CONSTRAINT IF EXISTS sandbox_answers_instruction_id_fkey;

-- +goose Down
ALTER TABLE sandbox_answers ADD FOREIGN KEY (instruction_id) REFERENCES sandbox_instructions (id);
DROP INDEX CONCURRENTLY IF EXISTS collections_to_submit;
CREATE INDEX CONCURRENTLY collections_to_submit ON collections (submit_at) WHERE state = 'scheduled';
DROP INDEX CONCURRENTLY IF EXISTS collections_to_hand_over;
