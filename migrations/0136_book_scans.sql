-- +goose Up
-- Scans of mandates that come with an import. Each is kept sealed until its row is done; its content is then kept with
-- the mandate, under the same id, and is empty here.
CREATE TABLE book_scans (
    id           uuid PRIMARY KEY,
    merchant_id  uuid        NOT NULL,
    import_id    uuid        NOT NULL REFERENCES book_imports (id),
    name         text        NOT NULL,
    key          text        NOT NULL, -- of the row, as the name says it
    content_type text        NOT NULL,
    size_bytes   bigint      NOT NULL,
    sha256       bytea       NOT NULL,
    content      bytea       NOT NULL,
    n            integer     NOT NULL DEFAULT 0, -- the row; 0: none; -1: several
    created_at   timestamptz NOT NULL,
    UNIQUE (import_id, key, sha256)
);
CREATE INDEX book_scans_by_row ON book_scans (import_id, n);

-- +goose Down
DROP TABLE book_scans;
