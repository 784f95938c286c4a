-- +goose Up
-- Bringing a book in: the clients, accounts, mandates and subscriptions that a business has elsewhere. The rows are the
-- truth; what the import counts is counted from them in the transaction that changes them.
CREATE TABLE book_imports (
    id           uuid PRIMARY KEY,
    merchant_id  uuid        NOT NULL REFERENCES merchants (id),
    brand_id     uuid        NOT NULL REFERENCES brands (id),
    name         text        NOT NULL,             -- of the file, as a person sees it
    state        text        NOT NULL CHECK (state IN ('mapping', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'discarded')),
    format       jsonb       NOT NULL,             -- how the file was read, with its heading
    mapping      jsonb       NOT NULL,             -- which column means what
    header_hash  bytea       NOT NULL,             -- finds the mapping of the same heading again
    content_hash bytea       NOT NULL,             -- finds the same file again
    cut_over     date        NOT NULL,             -- the first day on which this product may debit what came in
    counts       jsonb       NOT NULL DEFAULT '{}', -- counted from the rows
    total_rows   integer     NOT NULL DEFAULT 0,
    check_sum    text        NOT NULL DEFAULT '',  -- what the line of totals says against the rows
    revision     integer     NOT NULL DEFAULT 0,   -- grows with every change of a row
    fingerprint  bytea       NOT NULL DEFAULT '',  -- of what was rehearsed, once it is checked
    templates    jsonb       NOT NULL DEFAULT '[]', -- that it made
    live         jsonb       NOT NULL DEFAULT '[]', -- groups that were switched on
    kept         jsonb       NOT NULL DEFAULT '[]', -- what undoing left, and why
    note         text        NOT NULL DEFAULT '',
    creator      jsonb       NOT NULL,
    starter      jsonb,
    hands        jsonb       NOT NULL DEFAULT '[]', -- who worked on it: none of them approves it
    task_id      uuid,                             -- the long work that goes on
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    started_at   timestamptz,
    ended_at     timestamptz,
    undone_at    timestamptz,
    emptied_at   timestamptz                       -- when the rows of the file were deleted
);
CREATE INDEX book_imports_by_merchant ON book_imports (merchant_id, id);

CREATE TABLE book_import_rows (
    merchant_id   uuid    NOT NULL,
    import_id     uuid    NOT NULL REFERENCES book_imports (id),
    n             integer NOT NULL,                -- as a spreadsheet numbers it
    cells         bytea   NOT NULL,                -- sealed: account and identity numbers are among them
    broken        jsonb,                           -- what was wrong with how the row is written
    numbers       jsonb,                           -- columns that a workbook keeps as numbers
    state         text    NOT NULL CHECK (state IN ('new', 'judged', 'applied', 'undone')),
    verdict       text    NOT NULL DEFAULT '' CHECK (verdict IN ('', 'created', 'updated', 'unchanged', 'skipped', 'refused', 'held')),
    left_out      boolean NOT NULL DEFAULT false,  -- a person left it out
    choices       jsonb,                           -- what a person chose, by cause
    findings      jsonb,                           -- everything about the row, numbers left out
    causes        text[]  NOT NULL DEFAULT '{}',   -- of what keeps it out
    warned        text[]  NOT NULL DEFAULT '{}',   -- of what does not
    changes       jsonb,                           -- old and new, numbers masked
    name          text    NOT NULL DEFAULT '',
    group_name    text    NOT NULL DEFAULT '',
    debitable     boolean NOT NULL DEFAULT false,  -- it makes an account that can be debited
    cents         bigint  NOT NULL DEFAULT 0,      -- of each debit of its subscription
    first_on      date,                            -- the first debit that it plans
    digest        bytea,                           -- of everything that the row does
    client_id     uuid,
    token_id      uuid,
    subscriber_id uuid,
    undo_sealed   bytea,                           -- what was there before
    reason        text    NOT NULL DEFAULT '',     -- why it is skipped, refused or held, or was left by an undo
    PRIMARY KEY (import_id, n)
) WITH (fillfactor = 80);
CREATE INDEX book_import_rows_by_verdict ON book_import_rows (import_id, verdict, n);
CREATE INDEX book_import_rows_by_client ON book_import_rows (client_id) WHERE client_id IS NOT NULL;

-- What a person chose for a heading, for the next file that has it.
CREATE TABLE book_mappings (
    merchant_id uuid        NOT NULL REFERENCES merchants (id),
    header_hash bytea       NOT NULL,
    mapping     jsonb       NOT NULL,
    used_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, header_hash)
);

-- The reference by which a business knows a client in its own papers: a member number, an account reference.
CREATE TABLE client_references (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    reference   text NOT NULL,
    client_id   uuid NOT NULL REFERENCES clients (id),
    import_id   uuid NOT NULL REFERENCES book_imports (id),
    PRIMARY KEY (merchant_id, reference)
);
CREATE INDEX client_references_by_client ON client_references (client_id);

-- What came in is parked: nothing is debited until its group is switched on. No debit runs before not_before, whatever
-- asks for it: until then the old system may have debited the same.
ALTER TABLE clients ADD COLUMN parked_at timestamptz;
ALTER TABLE tokens ADD COLUMN parked_at timestamptz, ADD COLUMN not_before date;

ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client', 'change_setting', 'do_many', 'import_book'));

-- +goose Down
DELETE FROM approvals WHERE kind = 'import_book';
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
    CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client', 'change_setting', 'do_many'));
ALTER TABLE tokens DROP COLUMN not_before, DROP COLUMN parked_at;
ALTER TABLE clients DROP COLUMN parked_at;
DROP TABLE client_references;
DROP TABLE book_mappings;
DROP TABLE book_import_rows;
DROP TABLE book_imports;
