-- +goose Up
-- What subscriptions come to at the end of each month, or of the day until which it was reckoned: for each template how
-- many subscribers pay, what they pay a month, and who came, came back, went and pays another price than the month before.
CREATE TABLE recurring_months (
    merchant_id   uuid NOT NULL,
    month         date NOT NULL, -- its first day
    template_id   uuid NOT NULL,
    currency      text NOT NULL,
    subscribers   bigint NOT NULL,
    cents         bigint NOT NULL,
    joined        bigint NOT NULL,
    joined_cents  bigint NOT NULL,
    back          bigint NOT NULL,
    back_cents    bigint NOT NULL,
    gone          bigint NOT NULL,
    gone_cents    bigint NOT NULL,
    changed       bigint NOT NULL,
    changed_cents bigint NOT NULL, -- what it makes more; below zero: less
    PRIMARY KEY (merchant_id, month, template_id)
);
-- Who came, came back, went or pays another price in a month.
CREATE TABLE recurring_moves (
    merchant_id        uuid NOT NULL,
    month              date NOT NULL,
    template_client_id uuid NOT NULL,
    what               text NOT NULL CHECK (what IN ('joined', 'back', 'gone', 'changed')),
    before_cents       bigint NOT NULL,
    cents              bigint NOT NULL,
    PRIMARY KEY (merchant_id, month, what, template_client_id)
);
-- Until which day that was reckoned.
CREATE TABLE recurring_runs (
    merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
    as_of       date NOT NULL
);

-- +goose Down
DROP TABLE recurring_runs, recurring_moves, recurring_months;
