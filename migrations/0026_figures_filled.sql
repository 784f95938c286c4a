-- +goose Up
-- The figures of what is there already. It waits for nobody and nobody waits for it: the triggers of the step before
-- keep up with what happens meanwhile.
SELECT rebuild_figures();

-- +goose Down
SELECT 1; -- the tables go with the step before
