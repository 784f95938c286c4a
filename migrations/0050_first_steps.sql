-- +goose Up
-- A person may hide the first steps on Home, in each business of theirs.
ALTER TABLE memberships ADD COLUMN first_steps_hidden boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE memberships DROP COLUMN first_steps_hidden;
