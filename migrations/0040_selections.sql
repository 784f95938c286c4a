-- +goose Up
-- What a person chose in a list, so that an act hits exactly the rows that were counted: the filters, the moment, the
-- rows that were there then, and those that the person took out again.

CREATE TABLE selections (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    asker_id     uuid NOT NULL,                      -- it is theirs alone
    list         text NOT NULL,                      -- of which list
    arg          text NOT NULL DEFAULT '',           -- what the list is of, such as a template
    query_sealed bytea,                              -- its filters; a search may hold a name or a number
    moment       timestamptz NOT NULL,               -- by the product's clock: rows that came later are not in it
    chosen       bytea NOT NULL,                     -- ids, when each last changed, and amounts in cents: 32 bytes a row
    excluded     bytea NOT NULL,                     -- ids that were taken out again: 16 bytes a row
    n            bigint NOT NULL,
    cents        bigint NOT NULL,
    created_at   timestamptz NOT NULL                -- by real time
);
CREATE INDEX selections_by_asker ON selections (merchant_id, asker_id, id);
CREATE INDEX selections_by_age ON selections (created_at);
ALTER TABLE selections ALTER COLUMN chosen SET STORAGE EXTERNAL; -- ids hardly shrink

-- +goose Down
DROP TABLE selections;
