-- +goose Up
-- Words by which a business groups its clients. They are found by the search, which keeps its words beside them.
SET LOCAL lock_timeout = '10s';

ALTER TABLE clients ADD COLUMN tags text[] NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE clients DROP COLUMN tags;
