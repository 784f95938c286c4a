-- +goose Up
-- What reading the file of an import found where its layout is known: check sums, what was left out, what it warns of.
ALTER TABLE book_imports ADD COLUMN source jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE book_imports DROP COLUMN source;
