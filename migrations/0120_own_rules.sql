-- +goose Up
-- The stricter values that a business chose in the place of the scheme's: from when to when, by whom, and since when it
-- is known. A row is never changed but for its end; one that was replaced or taken back before it began is empty.
CREATE TABLE own_rules (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    key         text NOT NULL,
    value       bigint NOT NULL CHECK (value >= 0),
    from_day    date NOT NULL,
    to_day      date CHECK (to_day >= from_day),  -- exclusive; NULL: until further notice
    created_at  timestamptz NOT NULL,
    created_by  text NOT NULL,
    ended_at    timestamptz,
    ended_by    text NOT NULL DEFAULT '',
    replaced    boolean NOT NULL DEFAULT false,   -- it ends since another value takes its place
    -- Two values of one rule never hold on one day. The rule of a business is one number, since ranges need no extension.
    CONSTRAINT own_rules_one_a_day EXCLUDE USING gist (
        int8range(hashtextextended(merchant_id::text || key, 0) >> 1,
            hashtextextended(merchant_id::text || key, 0) >> 1, '[]') WITH &&,
        daterange(from_day, to_day) WITH &&)
);
CREATE INDEX own_rules_of_merchant ON own_rules (merchant_id, key, from_day);

-- +goose Down
DROP TABLE own_rules;
