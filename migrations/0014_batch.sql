-- +goose Up
-- A batch does what was reviewed: decisions about clients that nobody knows yet, what a
-- debit will do, and a fingerprint of everything that is sent.

ALTER TABLE batches
    ADD COLUMN revision    integer NOT NULL DEFAULT 0,  -- grows with every change of a row
    ADD COLUMN fingerprint bytea NOT NULL DEFAULT '';   -- of the rows that are ready; kept as it was when it was sent

ALTER TABLE batch_rows
    ADD COLUMN decision      text NOT NULL DEFAULT '' CHECK (decision IN ('', 'create', 'client')), -- who is billed when nobody is known by the row
    ADD COLUMN chosen_client uuid,                         -- of the decision client
    ADD COLUMN client_hash   bytea,                        -- equal for the same person
    ADD COLUMN digest        bytea,                        -- of everything that the row does; none: it was checked before there were digests
    ADD COLUMN revision      integer NOT NULL DEFAULT 0,   -- of the batch when the row changed last
    ADD COLUMN mailed        boolean NOT NULL DEFAULT true, -- its invoice goes out by mail
    ADD COLUMN usual_cents   bigint,                       -- what is usual, where the amount is far from it
    ADD COLUMN confirmed     boolean NOT NULL DEFAULT false, -- somebody ticked that the unusual amount is right
    ADD COLUMN token_id      uuid,                         -- what will be debited
    ADD COLUMN debit_method  text NOT NULL DEFAULT '',
    ADD COLUMN debit_date    date,
    ADD COLUMN disputable    text[] NOT NULL DEFAULT '{}'; -- why the client could dispute the debit

-- What is checked and not sent is checked again, so that it has its fingerprint. A
-- request for a second person over such a batch is withdrawn when it gets one.
UPDATE batch_rows r SET state = 'new' FROM batches b WHERE b.id = r.batch_id AND b.state = 'checked' AND r.state IN ('ready', 'bad');
UPDATE batches SET state = 'checking' WHERE state = 'checked';

-- +goose Down
ALTER TABLE batch_rows DROP COLUMN decision, DROP COLUMN chosen_client, DROP COLUMN client_hash, DROP COLUMN digest, DROP COLUMN revision, DROP COLUMN mailed,
    DROP COLUMN usual_cents, DROP COLUMN confirmed, DROP COLUMN token_id, DROP COLUMN debit_method, DROP COLUMN debit_date, DROP COLUMN disputable;
ALTER TABLE batches DROP COLUMN revision, DROP COLUMN fingerprint;
