-- +goose Up
-- The link with which an installation without any user gets its first business and admin. Only a hash of it is kept,
-- and only of the newest. Moments are real time, so that moving the sandbox's clock ends no link and opens none.
CREATE TABLE first_links (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE first_links;
