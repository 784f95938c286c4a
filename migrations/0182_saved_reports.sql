-- +goose Up
-- A question about how debits went that a person keeps under a name, and may have answered by mail each month.
CREATE TABLE saved_reports (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    owner_id    uuid NOT NULL,
    name        text NOT NULL,
    period      text NOT NULL CHECK (period IN ('month', 'quarter', 'year', 'so_far')),
    than        text NOT NULL CHECK (than IN ('before', 'year', 'none')),
    method      text NOT NULL DEFAULT '',
    brand_id    uuid, -- null: any
    monthly     boolean NOT NULL DEFAULT false, -- it is mailed to its owner
    settled_on  date NOT NULL, -- the first day of the last month in which it was mailed, or need not or could not be
    note        text NOT NULL DEFAULT '', -- why nothing was mailed in that month
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX saved_reports_of_owner ON saved_reports (merchant_id, owner_id, id);
CREATE INDEX saved_reports_monthly ON saved_reports (settled_on, id) WHERE monthly;

-- +goose Down
DROP TABLE saved_reports;
