-- +goose Up
-- Who had a hand in a batch, what was changed in its rows and can be undone, and when it was looked at.

ALTER TABLE batches
    ADD COLUMN hands      jsonb NOT NULL DEFAULT '[]',  -- the people who made it what it is: none of them approves it
    ADD COLUMN checked_at timestamptz,                  -- when all its rows were checked together; null: by an older release
    ADD COLUMN paced_at   timestamptz,                  -- when sending last began or went on
    ADD COLUMN paced_sent integer NOT NULL DEFAULT 0;   -- rows sent by then
ALTER TABLE batch_rows
    ADD COLUMN numbers    jsonb;                        -- the columns, from 0, whose cells are numbers in the workbook

-- Each change that a person makes in the rows of a draft, with the rows as they were. Gone when the batch is sent.
CREATE TABLE batch_mends (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL,
    batch_id    uuid NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    revision    integer NOT NULL,                       -- of the batch: their order
    text        text NOT NULL,                          -- what was done, in words without names
    who         text NOT NULL,
    rows        jsonb NOT NULL,                         -- their numbers
    was_sealed  bytea NOT NULL,                         -- the rows before
    created_at  timestamptz NOT NULL
);
CREATE INDEX batch_mends_of_batch ON batch_mends (merchant_id, batch_id, revision);

-- +goose Down
DROP TABLE batch_mends;
ALTER TABLE batch_rows DROP COLUMN numbers;
ALTER TABLE batches DROP COLUMN hands, DROP COLUMN checked_at, DROP COLUMN paced_at, DROP COLUMN paced_sent;
