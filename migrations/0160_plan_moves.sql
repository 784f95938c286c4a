-- +goose Up
-- What is under way can move to a later version of its plan. The steps that are over keep their numbers, and those of the
-- later version follow: the number of a step in its run is no longer its place in the version.
SET LOCAL lock_timeout = '10s';

ALTER TABLE plan_runs ADD COLUMN shift integer NOT NULL DEFAULT 0; -- steps that are over, less their place in the version
-- +goose Down
ALTER TABLE plan_runs DROP COLUMN shift;
