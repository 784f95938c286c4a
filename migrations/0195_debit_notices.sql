-- +goose Up
-- Whether a brand tells its clients of a debit before it, and how many days before. A brand without a row does not.
CREATE TABLE notice_settings (
    brand_id    uuid PRIMARY KEY REFERENCES brands (id),
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    days        int NOT NULL CHECK (days BETWEEN 0 AND 7), -- before the debit; 0: clients are not told
    channel     text NOT NULL CHECK (channel IN ('mail', 'sms')),
    ran_on      date NOT NULL, -- the last day on which clients were told; each day is done once
    version     int NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX notice_settings_on ON notice_settings (ran_on) WHERE days > 0;

-- The debits of which clients were told before, once for each day that a debit was planned for.
CREATE TABLE debit_notices (
    collection_id uuid NOT NULL REFERENCES collections (id),
    action_date   date NOT NULL,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    brand_id      uuid NOT NULL,
    channel       text NOT NULL, -- mail or sms; empty: the client could not be told
    why           text NOT NULL, -- why not: a code
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (collection_id, action_date)
);
CREATE INDEX debit_notices_of_brand ON debit_notices (merchant_id, brand_id, action_date);

-- +goose Down
DROP TABLE debit_notices;
DROP TABLE notice_settings;
