-- +goose Up
-- Tables that are kept by month have been swapped; new ones begin that way.
DROP FUNCTION IF EXISTS history_swap(text, text, text[]), history_check(text), history_begin(text, text), history_lock(text);

-- +goose Down
