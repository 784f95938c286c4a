-- +goose Up
-- Payers, what they owe, what they permitted, and the debits that follow.

CREATE TABLE clients (
    id                      uuid PRIMARY KEY,
    merchant_id             uuid NOT NULL REFERENCES merchants (id),
    email                   text NOT NULL DEFAULT '',
    phone                   text NOT NULL DEFAULT '',
    full_name               text NOT NULL DEFAULT '',
    street_address          text NOT NULL DEFAULT '',
    city                    text NOT NULL DEFAULT '',
    state                   text NOT NULL DEFAULT '',
    zip_code                text NOT NULL DEFAULT '',
    country                 text NOT NULL DEFAULT '',
    shipping_street_address text NOT NULL DEFAULT '',
    shipping_city           text NOT NULL DEFAULT '',
    shipping_state          text NOT NULL DEFAULT '',
    shipping_zip_code       text NOT NULL DEFAULT '',
    shipping_country        text NOT NULL DEFAULT '',
    legal_name              text NOT NULL DEFAULT '',
    brand_name              text NOT NULL DEFAULT '',
    registration_number     text NOT NULL DEFAULT '',
    tax_number              text NOT NULL DEFAULT '',
    cc                      text[] NOT NULL DEFAULT '{}',
    bcc                     text[] NOT NULL DEFAULT '{}',
    bank_code               text NOT NULL DEFAULT '',
    account_type            text NOT NULL DEFAULT '',
    bank_account_sealed     bytea,
    bank_account_mask       text NOT NULL DEFAULT '',
    bank_account_hash       bytea,
    personal_code_sealed    bytea,
    personal_code_mask      text NOT NULL DEFAULT '',
    personal_code_hash      bytea,
    search                  tsvector NOT NULL,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz NOT NULL,
    deleted_at              timestamptz
);
CREATE INDEX clients_live ON clients (merchant_id, id) WHERE deleted_at IS NULL;
CREATE INDEX clients_by_email ON clients (merchant_id, lower(email)) WHERE deleted_at IS NULL;
CREATE INDEX clients_by_personal_code ON clients (merchant_id, personal_code_hash) WHERE personal_code_hash IS NOT NULL;
CREATE INDEX clients_search ON clients USING gin (search);

-- One row is a whole purchase: what was asked, where it stands, how it got there.
CREATE TABLE purchases (
    id                  uuid PRIMARY KEY,
    merchant_id         uuid NOT NULL,
    brand_id            uuid NOT NULL REFERENCES brands (id),
    client_id           uuid REFERENCES clients (id),
    user_id             uuid,
    is_test             boolean NOT NULL,
    status              text NOT NULL,
    product             text NOT NULL,
    currency            text NOT NULL,
    total_cents         bigint NOT NULL,
    due                 timestamptz NOT NULL,
    due_given           boolean NOT NULL,
    due_strict          boolean NOT NULL,
    issued              date NOT NULL,
    reference           text NOT NULL,
    reference_generated text NOT NULL,
    method              text NOT NULL DEFAULT '',  -- what the tokenising asks for: eft, debicheck, or none
    token_id            uuid,                      -- the token used to pay
    is_recurring_token  boolean NOT NULL DEFAULT false,
    marked_as_paid      boolean NOT NULL DEFAULT false,
    refunded_cents      bigint NOT NULL DEFAULT 0,
    payer_name          text NOT NULL,
    payer_email         text NOT NULL,
    payer               jsonb NOT NULL,            -- the client's details as they were, numbers masked
    payer_sealed        bytea,                     -- the numbers themselves
    details             jsonb NOT NULL,            -- products and what else stands in "purchase"
    options             jsonb NOT NULL,            -- whitelist, redirects, flags
    payment             jsonb,
    history             jsonb NOT NULL,
    attempts            jsonb NOT NULL,
    viewed_at           timestamptz,
    pass_at             timestamptz,               -- when "due passes" acts on it; null: never
    created_ip          text NOT NULL DEFAULT '',
    search              tsvector NOT NULL,
    collection_count    integer NOT NULL DEFAULT 0,
    mail_count          integer NOT NULL DEFAULT 0,
    version             integer NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
) WITH (fillfactor = 85);
CREATE INDEX purchases_by_status ON purchases (merchant_id, status, id);
CREATE INDEX purchases_by_due ON purchases (merchant_id, due) INCLUDE (id, status);
CREATE INDEX purchases_by_amount ON purchases (merchant_id, total_cents) INCLUDE (id, status);
CREATE INDEX purchases_by_client ON purchases (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX purchases_by_token ON purchases (token_id, id) WHERE token_id IS NOT NULL;
CREATE INDEX purchases_waiting ON purchases (token_id) WHERE status = 'pending_charge';
CREATE INDEX purchases_falling_due ON purchases (pass_at) WHERE pass_at IS NOT NULL;
CREATE INDEX purchases_search ON purchases USING gin (search);

-- How many purchases stand in each status. The trigger writes differences, which
-- a sweep adds up, so that no purchase waits for another's counter.
CREATE TABLE purchase_counts (
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    n           bigint NOT NULL,
    PRIMARY KEY (merchant_id, status)
);
CREATE TABLE purchase_count_deltas (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    delta       bigint NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO purchase_count_deltas (merchant_id, status, delta)
        SELECT merchant_id, status, count(*) FROM newer GROUP BY 1, 2;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO purchase_count_deltas (merchant_id, status, delta)
        SELECT merchant_id, status, -count(*) FROM older GROUP BY 1, 2;
    ELSE
        INSERT INTO purchase_count_deltas (merchant_id, status, delta)
        SELECT merchant_id, status, sum(d) FROM (
            SELECT merchant_id, status, 1 AS d FROM newer
            UNION ALL
            SELECT merchant_id, status, -1 FROM older) AS moved
        GROUP BY 1, 2 HAVING sum(d) <> 0;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER count_new AFTER INSERT ON purchases REFERENCING NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_purchases();
CREATE TRIGGER count_gone AFTER DELETE ON purchases REFERENCING OLD TABLE AS older
    FOR EACH STATEMENT EXECUTE FUNCTION count_purchases();
CREATE TRIGGER count_moved AFTER UPDATE ON purchases REFERENCING OLD TABLE AS older NEW TABLE AS newer
    FOR EACH STATEMENT EXECUTE FUNCTION count_purchases();

-- The payer's permission, with what proves it. Kept when the token goes.
CREATE TABLE mandates (
    id                 uuid PRIMARY KEY,           -- equals the tokenising purchase
    merchant_id        uuid NOT NULL,
    brand_id           uuid NOT NULL REFERENCES brands (id),
    client_id          uuid REFERENCES clients (id),
    kind               text NOT NULL CHECK (kind IN ('eft', 'debicheck')),
    state              text NOT NULL,
    contract_reference text NOT NULL CHECK (length(contract_reference) <= 14),
    profile_code       text NOT NULL,
    abbreviated_name   text NOT NULL,
    clearing_account   text NOT NULL,
    period_units       text NOT NULL,
    deduction_day      integer NOT NULL,
    amount_cents       bigint NOT NULL,
    terms              jsonb NOT NULL DEFAULT '{}',
    holder_name        text NOT NULL,
    account_mask       text NOT NULL,
    bank_code          text NOT NULL,
    account_type       text NOT NULL,
    consent_text       text NOT NULL,
    consent_at         timestamptz NOT NULL,
    consent_ip         text NOT NULL DEFAULT '',
    consent_agent      text NOT NULL DEFAULT '',
    consent_channel    text NOT NULL,              -- pay_page, signed_paper, api
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    UNIQUE (brand_id, contract_reference)
);
CREATE INDEX mandates_by_client ON mandates (client_id, id);
CREATE INDEX mandates_by_merchant ON mandates (merchant_id, id);

-- Scans and other files that prove a mandate; sealed, for they show account numbers.
CREATE TABLE mandate_evidence (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    mandate_id   uuid NOT NULL REFERENCES mandates (id),
    name         text NOT NULL,
    content_type text NOT NULL,
    size_bytes   bigint NOT NULL,
    sha256       bytea NOT NULL,
    content      bytea NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX mandate_evidence_by_mandate ON mandate_evidence (mandate_id);

-- A stored bank account that can be charged. Its id is the tokenising purchase.
CREATE TABLE tokens (
    id                 uuid PRIMARY KEY,
    merchant_id        uuid NOT NULL,
    brand_id           uuid NOT NULL REFERENCES brands (id),
    client_id          uuid REFERENCES clients (id),
    mandate_id         uuid NOT NULL REFERENCES mandates (id),
    method             text NOT NULL,
    state              text NOT NULL CHECK (state IN ('pending', 'active', 'blocked', 'deleted', 'superseded')),
    description        text NOT NULL,
    holder_name        text NOT NULL,
    bank_code          text NOT NULL,
    account_type       text NOT NULL,
    account_sealed     bytea NOT NULL,
    account_mask       text NOT NULL,
    account_hash       bytea NOT NULL,
    soft_failures      integer NOT NULL DEFAULT 0, -- in a row, codes 02 and 22
    failures           integer NOT NULL DEFAULT 0, -- in a row, any code
    blocked_code       text NOT NULL DEFAULT '',
    last_used_at       timestamptz,
    last_success_at    timestamptz,
    created_by         text NOT NULL DEFAULT '',
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    ended_at           timestamptz
);
CREATE INDEX tokens_by_merchant ON tokens (merchant_id, id);
CREATE INDEX tokens_by_state ON tokens (merchant_id, state, id);
CREATE INDEX tokens_by_client ON tokens (client_id, id);

-- One debit at the bank.
CREATE TABLE collections (
    id                  uuid PRIMARY KEY,          -- also the instruction's id at the bank
    merchant_id         uuid NOT NULL,
    brand_id            uuid NOT NULL,
    client_id           uuid,
    purchase_id         uuid NOT NULL REFERENCES purchases (id),
    attempt             integer NOT NULL,
    token_id            uuid NOT NULL,             -- the token charged, or to be made by success
    mandate_id          uuid NOT NULL REFERENCES mandates (id),
    method              text NOT NULL,
    state               text NOT NULL,
    amount_cents        bigint NOT NULL,
    currency            text NOT NULL,
    action_date         date NOT NULL,
    original_date       date NOT NULL,
    submit_at           timestamptz NOT NULL,      -- the submission deadline
    execute_at          timestamptz NOT NULL,      -- when the purchase turns pending_execute
    started             boolean NOT NULL DEFAULT false,
    claimed_until       timestamptz,               -- real time: one process hands it over
    recall_due          boolean NOT NULL DEFAULT false, -- the bank has yet to be told
    proof_due           boolean NOT NULL DEFAULT false, -- the bank has yet to get the mandate
    soft_before         integer NOT NULL DEFAULT 0, -- soft unpaids in a row on the token before this success
    service             text NOT NULL,
    statement_line      text NOT NULL,
    result_code         text NOT NULL DEFAULT '',
    result_at           timestamptz,
    provisional_at      timestamptz,
    final_at            timestamptz,               -- when the return window closes
    alert_at            timestamptz,               -- when silence becomes an alert
    alerted_at          timestamptz,
    disputable          boolean NOT NULL DEFAULT false,
    disputable_because  text[] NOT NULL DEFAULT '{}',
    dispute_deadline    date,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    UNIQUE (purchase_id, attempt)
);
-- A purchase has one collection under way at most.
CREATE UNIQUE INDEX collections_one_open ON collections (purchase_id)
    WHERE state IN ('scheduled', 'submitted', 'in_tracking', 'provisional');
CREATE INDEX collections_to_submit ON collections (submit_at) WHERE state = 'scheduled';
CREATE INDEX collections_to_start ON collections (execute_at) WHERE NOT started AND state IN ('scheduled', 'submitted', 'in_tracking');
CREATE INDEX collections_to_close ON collections (final_at) WHERE state = 'provisional';
CREATE INDEX collections_silent ON collections (alert_at) WHERE state = 'submitted' AND alerted_at IS NULL;
CREATE INDEX collections_to_recall ON collections (id) WHERE recall_due;
CREATE INDEX collections_to_prove ON collections (id) WHERE proof_due;
CREATE INDEX collections_by_day ON collections (merchant_id, action_date, state);
CREATE INDEX collections_failed ON collections (merchant_id, result_at) WHERE state = 'unpaid';
CREATE INDEX collections_alerted ON collections (merchant_id) WHERE state = 'submitted' AND alerted_at IS NOT NULL;
CREATE INDEX collections_by_token ON collections (token_id, id);

-- Every message of the bank, once, as it came; what it changed, or why nothing.
CREATE TABLE bank_messages (
    gateway        text NOT NULL,
    message_id     text NOT NULL,
    merchant_id    uuid,
    instruction_id uuid NOT NULL,
    kind           text NOT NULL,
    code           text NOT NULL,
    at             timestamptz NOT NULL,
    received_at    timestamptz NOT NULL,
    outcome        text NOT NULL,
    raw            bytea NOT NULL,
    PRIMARY KEY (gateway, message_id)
);
CREATE INDEX bank_messages_by_instruction ON bank_messages (instruction_id);

-- Money given back.
CREATE TABLE refunds (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    purchase_id   uuid NOT NULL REFERENCES purchases (id),
    amount_cents  bigint NOT NULL CHECK (amount_cents > 0),
    currency      text NOT NULL,
    state         text NOT NULL CHECK (state IN ('pending', 'settled', 'dropped')), -- dropped: the money went back another way
    channel       text NOT NULL,                   -- bank, person
    handed_over   boolean NOT NULL DEFAULT false,
    reference     text NOT NULL,
    settled_at    timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX refunds_one_pending ON refunds (purchase_id) WHERE state = 'pending';
CREATE INDEX refunds_to_hand_over ON refunds (created_at) WHERE state = 'pending' AND channel = 'bank' AND NOT handed_over;

-- Movements of money as the merchant's statement shows them: a reversal is a new row.
CREATE TABLE ledger_entries (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    purchase_id   uuid NOT NULL,
    collection_id uuid,
    refund_id     uuid,
    kind          text NOT NULL,                   -- collected, returned, disputed, dispute_won, refunded, paid_by_hand
    amount_cents  bigint NOT NULL,                 -- positive: to the merchant
    currency      text NOT NULL,
    code          text NOT NULL DEFAULT '',
    at            timestamptz NOT NULL,
    day           date NOT NULL                    -- SAST
);
CREATE INDEX ledger_entries_by_day ON ledger_entries (merchant_id, day, kind) INCLUDE (amount_cents);
CREATE INDEX ledger_entries_by_purchase ON ledger_entries (purchase_id);

-- Mail to send, one row a cause.
CREATE TABLE mails (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL,
    object_id   uuid NOT NULL,
    kind        text NOT NULL,
    attempt     integer NOT NULL,
    client_id   uuid,
    purchase_id uuid,
    recipient   text NOT NULL,
    cc          text[] NOT NULL DEFAULT '{}',
    bcc         text[] NOT NULL DEFAULT '{}',
    subject     text NOT NULL,
    text_body   text NOT NULL,
    html_body   text NOT NULL,
    attachments jsonb NOT NULL DEFAULT '[]',
    state       text NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    error       text NOT NULL DEFAULT '',
    tries       integer NOT NULL DEFAULT 0,
    next_try_at timestamptz,
    claimed_until timestamptz,          -- real time: one process sends it
    created_at  timestamptz NOT NULL,
    sent_at     timestamptz,
    UNIQUE (object_id, kind, attempt)
);
CREATE INDEX mails_by_merchant ON mails (merchant_id, id);
CREATE INDEX mails_failed ON mails (merchant_id, id) WHERE state = 'failed';
CREATE INDEX mails_waiting ON mails (next_try_at) WHERE state = 'queued';

-- The memory of the sandbox bank. It stands for another house's system: nothing
-- above joins these tables.
CREATE TABLE sandbox_instructions (
    id             uuid PRIMARY KEY,
    merchant_id    uuid NOT NULL,
    refund         boolean NOT NULL,
    account_hash   bytea,                          -- the number itself is not kept
    amount_cents   bigint NOT NULL,
    action_date    date,                           -- null for a refund
    last_seq       integer NOT NULL,               -- the highest number an answer ever had
    received_at    timestamptz NOT NULL
);
CREATE INDEX sandbox_instructions_by_account ON sandbox_instructions (account_hash) WHERE NOT refund;
CREATE TABLE sandbox_answers (
    instruction_id uuid NOT NULL REFERENCES sandbox_instructions (id),
    seq            integer NOT NULL,
    kind           text NOT NULL,
    code           text NOT NULL,
    due_at         timestamptz NOT NULL,
    delivered_at   timestamptz,
    PRIMARY KEY (instruction_id, seq)
);
CREATE INDEX sandbox_answers_waiting ON sandbox_answers (due_at, instruction_id, seq) WHERE delivered_at IS NULL;

-- +goose Down
DROP TABLE sandbox_answers, sandbox_instructions, mails, ledger_entries, refunds, bank_messages, collections,
    tokens, mandate_evidence, mandates, purchase_count_deltas, purchase_counts, purchases, clients;
DROP FUNCTION count_purchases;
