-- +goose Up
-- A permission whose first debit failed and that the client gave anew: what proved the debit that failed. The mandate
-- of the purchase, which shares its id, is the new one.
CREATE TABLE mandates_replaced (
    id                 uuid PRIMARY KEY,
    merchant_id        uuid NOT NULL,
    mandate_id         uuid NOT NULL REFERENCES mandates (id),
    client_id          uuid REFERENCES clients (id),
    contract_reference text NOT NULL,
    holder_name        text NOT NULL,
    account_mask       text NOT NULL,
    bank_code          text NOT NULL,
    account_type       text NOT NULL,
    consent_text       text NOT NULL,
    consent_at         timestamptz NOT NULL,
    consent_ip         text NOT NULL DEFAULT '',
    consent_agent      text NOT NULL DEFAULT '',
    consent_channel    text NOT NULL,
    created_at         timestamptz NOT NULL,
    replaced_at        timestamptz NOT NULL
);
CREATE INDEX mandates_replaced_by_mandate ON mandates_replaced (mandate_id);
CREATE INDEX mandates_replaced_by_client ON mandates_replaced (client_id);

-- +goose Down
DROP TABLE mandates_replaced;
