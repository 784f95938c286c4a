-- +goose Up
-- Long work of a merchant: an export of a long list, many subscribers at once. It goes on without the page on which
-- it was asked for. All moments are of real time.

CREATE TABLE tasks (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    kind         text NOT NULL,                      -- who does it
    title        text NOT NULL,                      -- in words
    needs        text NOT NULL,                      -- the permission to ask, cancel and download
    asker_id     uuid NOT NULL,
    asker        jsonb NOT NULL,                     -- as they were when they asked
    input_sealed bytea,                              -- what was asked for
    state        text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'cancelled', 'failed')),
    stopping     boolean NOT NULL DEFAULT false,     -- somebody cancelled it; it ends after the piece under way
    stopped_by   text NOT NULL DEFAULT '',
    position     jsonb NOT NULL DEFAULT '{}',        -- where it goes on
    total        bigint NOT NULL DEFAULT 0,          -- rows; 0: not known
    done         bigint NOT NULL DEFAULT 0,          -- rows that are done with, the failed ones too
    failed       bigint NOT NULL DEFAULT 0,
    tries        integer NOT NULL DEFAULT 0,         -- of the piece that is next
    note         text NOT NULL DEFAULT '',           -- how it ended, for a person
    file_name    text NOT NULL DEFAULT '',
    file_type    text NOT NULL DEFAULT '',
    file_bytes   bigint NOT NULL DEFAULT 0,
    chunks       integer NOT NULL DEFAULT 0,
    downloads    integer NOT NULL DEFAULT 0,
    claim        uuid,                               -- who is at it
    claimed_until timestamptz,
    created_at   timestamptz NOT NULL,
    began_at     timestamptz,
    ended_at     timestamptz,
    kept_until   timestamptz,                        -- the file is deleted then
    updated_at   timestamptz NOT NULL
);
CREATE INDEX tasks_by_merchant ON tasks (merchant_id, id);
CREATE INDEX tasks_by_asker ON tasks (merchant_id, asker_id, updated_at);
CREATE INDEX tasks_open ON tasks (id) WHERE state IN ('waiting', 'running');
CREATE INDEX tasks_kept ON tasks (kept_until) WHERE chunks > 0;

-- The file of a task, in the order in which it was written.
CREATE TABLE task_chunks (
    task_id     uuid NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    n           integer NOT NULL,
    merchant_id uuid NOT NULL,
    content     bytea NOT NULL,                      -- sealed
    PRIMARY KEY (task_id, n)
);
ALTER TABLE task_chunks ALTER COLUMN content SET STORAGE EXTERNAL; -- what is sealed cannot be compressed

-- +goose Down
DROP TABLE task_chunks, tasks;
