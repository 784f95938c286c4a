-- +goose Up
-- The tables. What runs in the database (functions, views, triggers) stands in live/; whatever changes a table later is
-- a step of its own. The 147 steps before this one were squashed into it.

CREATE SCHEMA history;

CREATE TABLE merchants (
    id                    uuid PRIMARY KEY,
    slug                  text NOT NULL UNIQUE,
    name                  text NOT NULL,
    is_test               boolean NOT NULL,
    is_demo               boolean NOT NULL DEFAULT false,
    created_at            timestamptz NOT NULL,
    updated_at            timestamptz NOT NULL,
    require_second_factor boolean NOT NULL DEFAULT false,
    approve_deletions     boolean NOT NULL DEFAULT false, -- a second person agrees to each deletion of tokens
    approve_batches_cents bigint,
    approve_files_cents   bigint,
    -- A second approver for settings that direct money: clearing accounts, the default account, webhooks. Whoever asks for
    -- one anywhere is asked for one here, too.
    approve_settings      boolean NOT NULL DEFAULT false
);

CREATE TABLE brands (
    id                  uuid PRIMARY KEY,
    merchant_id         uuid NOT NULL REFERENCES merchants (id),
    name                text NOT NULL,
    legal_name          text NOT NULL DEFAULT '',
    registration_number text NOT NULL DEFAULT '',
    tax_number          text NOT NULL DEFAULT '',
    website             text NOT NULL DEFAULT '',
    email               text NOT NULL DEFAULT '',
    phone               text NOT NULL DEFAULT '',
    street_address      text NOT NULL DEFAULT '',
    city                text NOT NULL DEFAULT '',
    zip_code            text NOT NULL DEFAULT '',
    country             text NOT NULL DEFAULT 'ZA',
    currency            text NOT NULL DEFAULT 'ZAR',
    language            text NOT NULL DEFAULT 'en',
    reference_prefix    text NOT NULL DEFAULT 'DD',
    shift               text NOT NULL DEFAULT 'previous' CHECK (shift IN ('previous', 'next')),
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    debicheck_shift     text NOT NULL DEFAULT 'next' CHECK (debicheck_shift IN ('previous', 'next')),
    invoice_prefix      text NOT NULL DEFAULT 'INV',
    version             integer NOT NULL DEFAULT 1,
    -- The languages besides English in which a brand writes to its clients, separated by commas.
    offered_languages   text NOT NULL DEFAULT ''
);
CREATE INDEX brands_by_merchant ON brands (merchant_id, id);

-- Counters of a brand are handed out in blocks, so that no purchase waits for another.
CREATE TABLE brand_counters (
    brand_id uuid NOT NULL REFERENCES brands (id),
    name     text NOT NULL,
    next     bigint NOT NULL,
    PRIMARY KEY (brand_id, name)
);

-- The merchant's own registrations at the bank. The account is the merchant's
-- clearing account, which also stands on invoices; it is no payer's account.
CREATE TABLE debit_profiles (
    id               uuid PRIMARY KEY,
    merchant_id      uuid NOT NULL REFERENCES merchants (id),
    brand_id         uuid NOT NULL REFERENCES brands (id),
    profile_code     text NOT NULL,
    abbreviated_name text NOT NULL CHECK (length(abbreviated_name) <= 10),
    account_number   text NOT NULL,
    branch_code      text NOT NULL DEFAULT '',
    is_default       boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL,
    CONSTRAINT debit_profiles_brand_id_profile_code_abbreviated_name_accou_key
        UNIQUE (brand_id, profile_code, abbreviated_name, account_number)
);
CREATE INDEX debit_profiles_by_account ON debit_profiles (ltrim(account_number, '0'));

CREATE TABLE users (
    id                  uuid PRIMARY KEY,
    merchant_id         uuid NOT NULL REFERENCES merchants (id),
    email               text NOT NULL,
    name                text NOT NULL DEFAULT '',
    role                text NOT NULL CHECK (role IN ('admin', 'finance', 'staff', 'readonly')),
    password_hash       text NOT NULL,
    theme               text NOT NULL DEFAULT '',
    last_seen_at        timestamptz,
    disabled_at         timestamptz,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    totp_sealed         bytea, -- the shared secret; null: none
    totp_confirmed_at   timestamptz,
    totp_last_step      bigint NOT NULL DEFAULT 0, -- a code works once
    password_changed_at timestamptz,
    keys_off            boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX users_by_email ON users (lower(email));
CREATE INDEX users_by_merchant ON users (merchant_id, id);

-- A browser session; only a hash of the cookie is kept.
CREATE TABLE sessions (
    id_hash        bytea PRIMARY KEY,
    user_id        uuid REFERENCES users (id),
    data           text NOT NULL,
    ip             text NOT NULL DEFAULT '',
    user_agent     text NOT NULL DEFAULT '',
    created_at     timestamptz NOT NULL,
    seen_at        timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    merchant_id    uuid, -- the business it works for; null: the person's first
    factor         text NOT NULL DEFAULT '', -- how the second factor was shown: totp, passkey, recovery; empty: not
    proven_at      timestamptz,
    issuer_id      uuid, -- where the session began; null: with a password
    issuer_subject text NOT NULL DEFAULT '',
    issuer_sid     text NOT NULL DEFAULT '',
    ends_at        timestamptz
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE INDEX sessions_by_issuer ON sessions (issuer_id) WHERE issuer_id IS NOT NULL;

-- Failed sign-ins, by e-mail and by address, so that every process throttles alike.
CREATE TABLE sign_in_failures (
    key          text PRIMARY KEY,
    failures     integer NOT NULL,
    last_at      timestamptz NOT NULL,
    locked_until timestamptz
);

-- Bearer credentials. kind 'token': a JWT was issued with this jti.
-- kind 'client': exchanges its secret at /oauth/token; the JWTs issued that way
-- are rows of kind 'token' with parent_id.
CREATE TABLE credentials (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    kind         text NOT NULL CHECK (kind IN ('token', 'client')),
    parent_id    uuid REFERENCES credentials (id),
    name         text NOT NULL,
    scopes       text[] NOT NULL,
    secret_hash  bytea,
    created_by   uuid,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    replaced_by  uuid,
    replaces     uuid
);
CREATE INDEX credentials_by_merchant ON credentials (merchant_id, id);
CREATE INDEX credentials_by_parent ON credentials (parent_id) WHERE parent_id IS NOT NULL;

-- Answers to requests that carried an Idempotency-Key, kept at least 24 hours.
CREATE TABLE idempotency_keys (
    merchant_id uuid NOT NULL,
    is_test     boolean NOT NULL,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    status      integer NOT NULL,
    body        bytea NOT NULL, -- sealed: it may show a payer's numbers
    stored_at   timestamptz NOT NULL, -- real time, not the sandbox clock
    PRIMARY KEY (merchant_id, is_test, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (stored_at);

-- The sandbox clock: one row, the distance from real time in microseconds.
CREATE TABLE sandbox_clock (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    offset_micros bigint NOT NULL
);

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
    deleted_at              timestamptz,
    -- A client whose personal data was removed on request. What the law keeps stays
    -- until evidence_until; null: nothing is left.
    erased_at               timestamptz,
    evidence_until          date,
    -- "Stop everything" on a client: since when nothing is debited, on the client and on each of its tokens. What it
    -- changed is kept, so that it can be undone.
    stopped_at              timestamptz,
    -- What came in is parked: nothing is debited until its group is switched on. No debit runs before not_before, whatever
    -- asks for it: until then the old system may have debited the same.
    parked_at               timestamptz,
    language                text NOT NULL DEFAULT '',
    chosen_language         text NOT NULL DEFAULT '',
    tags                    text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX clients_live ON clients (merchant_id, id) WHERE deleted_at IS NULL;
CREATE INDEX clients_by_personal_code ON clients (merchant_id, personal_code_hash)
    WHERE personal_code_hash IS NOT NULL;
CREATE INDEX clients_with_evidence ON clients (evidence_until) WHERE evidence_until IS NOT NULL;
CREATE INDEX clients_search_key ON clients USING gin (search_key(merchant_id, id, search));
CREATE INDEX clients_of_merchant ON clients (merchant_id, id);
CREATE INDEX clients_in_name_order ON clients (merchant_id, lower(COALESCE(NULLIF(full_name, ''), NULLIF(legal_name,
    ''), NULLIF(brand_name, ''), email)), id) WHERE deleted_at IS NULL;
CREATE INDEX clients_of_email ON clients (merchant_id, lower(email), id) WHERE deleted_at IS NULL;
CREATE INDEX clients_by_account ON clients (merchant_id, bank_account_hash)
    WHERE bank_account_hash IS NOT NULL AND deleted_at IS NULL;

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
    method              text NOT NULL DEFAULT '', -- what the tokenising asks for: eft, debicheck, or none
    token_id            uuid, -- the token used to pay
    is_recurring_token  boolean NOT NULL DEFAULT false,
    marked_as_paid      boolean NOT NULL DEFAULT false,
    refunded_cents      bigint NOT NULL DEFAULT 0,
    payer_name          text NOT NULL,
    payer_email         text NOT NULL,
    payer               jsonb NOT NULL, -- the client's details as they were, numbers masked
    payer_sealed        bytea, -- the numbers themselves
    details             jsonb NOT NULL, -- products and what else stands in "purchase"
    options             jsonb NOT NULL, -- whitelist, redirects, flags
    payment             jsonb,
    history             jsonb NOT NULL,
    attempts            jsonb NOT NULL,
    viewed_at           timestamptz,
    pass_at             timestamptz, -- when "due passes" acts on it; null: never
    created_ip          text NOT NULL DEFAULT '',
    search              tsvector NOT NULL,
    collection_count    integer NOT NULL DEFAULT 0,
    mail_count          integer NOT NULL DEFAULT 0,
    version             integer NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    template_id         uuid,
    subscriber_id       uuid,
    -- The purchase whose token is being deleted says that it is none; what it was stays
    -- in is_recurring_token until the deletion is final.
    token_leaving       boolean NOT NULL DEFAULT false,
    payment_count       integer NOT NULL DEFAULT 0, -- how often money came in
    refunding_cents     bigint NOT NULL DEFAULT 0, -- refunds of the newest payment that are under way
    net_cents           bigint NOT NULL DEFAULT 0,
    execute_at          timestamptz,
    overpaid_cents      bigint NOT NULL DEFAULT 0,
    -- When the client last opened the page to pay. viewed_at stays the moment at which the purchase turned viewed.
    opened_at           timestamptz,
    taken_over          boolean NOT NULL DEFAULT false
) WITH (fillfactor = 85);
CREATE INDEX purchases_by_status ON purchases (merchant_id, status, id);
CREATE INDEX purchases_by_client ON purchases (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX purchases_by_token ON purchases (token_id, id) WHERE token_id IS NOT NULL;
CREATE INDEX purchases_falling_due ON purchases (pass_at) WHERE pass_at IS NOT NULL;
CREATE INDEX purchases_by_subscriber ON purchases (subscriber_id, id) WHERE subscriber_id IS NOT NULL;
CREATE INDEX purchases_by_template ON purchases (template_id, id) WHERE template_id IS NOT NULL;
CREATE INDEX purchases_search_key ON purchases USING gin (search_key(merchant_id, id, search));
CREATE INDEX purchases_of_merchant ON purchases (merchant_id, id);
CREATE INDEX purchases_waiting ON purchases (token_id) WHERE status = 'pending_charge';
CREATE INDEX purchases_in_amount_order ON purchases (merchant_id, total_cents, id) INCLUDE (status);
CREATE INDEX purchases_expiring ON purchases (merchant_id, pass_at) WHERE due_strict AND pass_at IS NOT NULL;
CREATE INDEX purchases_by_due ON purchases (merchant_id, due, id) INCLUDE (status, total_cents);
CREATE INDEX purchases_to_execute ON purchases (execute_at) WHERE status = 'pending_charge';
CREATE INDEX purchases_owed_by_due ON purchases (merchant_id, due, id) INCLUDE (status, total_cents)
    WHERE total_cents <> 0;

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
    delta       bigint NOT NULL,
    cents       numeric NOT NULL DEFAULT 0
);

-- The payer's permission, with what proves it. Kept when the token goes.
CREATE TABLE mandates (
    id                 uuid PRIMARY KEY, -- equals the tokenising purchase
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
    consent_channel    text NOT NULL, -- pay_page, signed_paper, api
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    fallback           boolean NOT NULL DEFAULT false,
    bank_reference     text NOT NULL DEFAULT '' CHECK (length(bank_reference) <= 35),
    reason_code        text NOT NULL DEFAULT '',
    accepted_at        timestamptz,
    ended_at           timestamptz,
    -- What a mandate is found by, beside its client.
    search             tsvector GENERATED ALWAYS AS
        (array_to_tsvector(array_remove(string_to_array(lower(((holder_name || ' ') || contract_reference)), ' '),
        ''))) STORED,
    -- A payer who does not let the account be stored gives a mandate for one debit.
    one_debit          boolean NOT NULL DEFAULT false,
    CONSTRAINT mandates_brand_id_contract_reference_key UNIQUE (brand_id, contract_reference)
);
CREATE INDEX mandates_by_client ON mandates (client_id, id);
CREATE INDEX mandates_by_merchant ON mandates (merchant_id, id);
CREATE INDEX mandates_by_state ON mandates (merchant_id, kind, state, id);
CREATE INDEX mandates_search_key ON mandates USING gin (search_key(merchant_id, id, search));
CREATE INDEX mandates_of_profile ON mandates (brand_id, profile_code, abbreviated_name, clearing_account);
CREATE INDEX mandates_by_bank_reference ON mandates (bank_reference) WHERE bank_reference <> '';
CREATE INDEX mandates_by_contract_reference ON mandates (contract_reference);

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
    id              uuid PRIMARY KEY,
    merchant_id     uuid NOT NULL,
    brand_id        uuid NOT NULL REFERENCES brands (id),
    client_id       uuid REFERENCES clients (id),
    mandate_id      uuid NOT NULL REFERENCES mandates (id),
    method          text NOT NULL,
    state           text NOT NULL
        CHECK (state IN ('pending', 'active', 'blocked', 'deleting', 'deleted', 'superseded')),
    description     text NOT NULL,
    holder_name     text NOT NULL,
    bank_code       text NOT NULL,
    account_type    text NOT NULL,
    account_sealed  bytea NOT NULL,
    account_mask    text NOT NULL,
    account_hash    bytea NOT NULL,
    soft_failures   integer NOT NULL DEFAULT 0, -- in a row, codes 02 and 22
    failures        integer NOT NULL DEFAULT 0, -- in a row, any code
    blocked_code    text NOT NULL DEFAULT '',
    last_used_at    timestamptz,
    last_success_at timestamptz,
    created_by      text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    held_at         timestamptz,
    parked_at       timestamptz,
    not_before      date
) WITH (fillfactor = 80);
CREATE INDEX tokens_by_merchant ON tokens (merchant_id, id);
CREATE INDEX tokens_by_state ON tokens (merchant_id, state, id);
CREATE INDEX tokens_by_client ON tokens (client_id, id);
CREATE INDEX tokens_deleting ON tokens (id) WHERE state = 'deleting';
CREATE INDEX tokens_of_digits ON tokens (merchant_id, "right"(account_mask, 4), id);
CREATE INDEX tokens_held ON tokens (id) WHERE held_at IS NOT NULL;
CREATE INDEX tokens_of_mandate ON tokens (mandate_id);

-- One debit at the bank.
CREATE TABLE collections (
    id                 uuid PRIMARY KEY, -- also the instruction's id at the bank
    merchant_id        uuid NOT NULL,
    brand_id           uuid NOT NULL,
    client_id          uuid,
    purchase_id        uuid NOT NULL REFERENCES purchases (id),
    attempt            integer NOT NULL,
    token_id           uuid NOT NULL, -- the token charged, or to be made by success
    mandate_id         uuid NOT NULL REFERENCES mandates (id),
    method             text NOT NULL,
    state              text NOT NULL,
    amount_cents       bigint NOT NULL,
    currency           text NOT NULL,
    action_date        date NOT NULL,
    original_date      date NOT NULL,
    submit_at          timestamptz NOT NULL, -- the submission deadline
    execute_at         timestamptz NOT NULL, -- when the purchase turns pending_execute
    started            boolean NOT NULL DEFAULT false,
    claimed_until      timestamptz, -- real time: one process hands it over
    recall_due         boolean NOT NULL DEFAULT false, -- the bank has yet to be told
    proof_due          boolean NOT NULL DEFAULT false, -- the bank has yet to get the mandate
    soft_before        integer NOT NULL DEFAULT 0, -- soft unpaids in a row on the token before this success
    service            text NOT NULL,
    statement_line     text NOT NULL,
    result_code        text NOT NULL DEFAULT '',
    result_at          timestamptz,
    provisional_at     timestamptz,
    final_at           timestamptz, -- when the return window closes
    alert_at           timestamptz, -- when silence becomes an alert
    alerted_at         timestamptz,
    disputable         boolean NOT NULL DEFAULT false,
    disputable_because text[] NOT NULL DEFAULT '{}',
    dispute_deadline   date,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    tracking_days      integer NOT NULL DEFAULT 0 CHECK ((tracking_days >= 0) AND tracking_days <= 10),
    once_off           boolean NOT NULL DEFAULT false,
    -- The day on which a debit ceased to be one that may be returned. It is written down from now on.
    closed_on          date,
    dispute_until      date,
    dispute_rows       text NOT NULL DEFAULT '',
    proof_until        date,
    CONSTRAINT collections_purchase_id_attempt_key UNIQUE (purchase_id, attempt)
) WITH (fillfactor = 45);
CREATE UNIQUE INDEX collections_one_open ON collections (purchase_id)
    WHERE state IN ('scheduled', 'submitted', 'in_tracking', 'provisional');
CREATE INDEX collections_to_start ON collections (execute_at)
    WHERE (NOT started) AND state IN ('scheduled', 'submitted', 'in_tracking');
CREATE INDEX collections_to_close ON collections (final_at) WHERE state = 'provisional';
CREATE INDEX collections_silent ON collections (alert_at) WHERE state = 'submitted' AND alerted_at IS NULL;
CREATE INDEX collections_to_recall ON collections (id) WHERE recall_due;
CREATE INDEX collections_to_prove ON collections (id) WHERE proof_due;
CREATE INDEX collections_by_token ON collections (token_id, id);
CREATE UNIQUE INDEX collections_once ON collections (mandate_id)
    WHERE once_off AND state NOT IN ('unpaid', 'cancelled', 'recalled', 'dispute_lost');
CREATE INDEX collections_by_mandate ON collections (mandate_id, id);
CREATE INDEX collections_provisional ON collections (merchant_id) WHERE state = 'provisional';
CREATE INDEX collections_to_hand_over ON collections (submit_at, id) WHERE state = 'scheduled';
CREATE INDEX collections_of_day ON collections (merchant_id, action_date, state, id);
CREATE INDEX collections_listed ON collections (merchant_id, id);

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
    -- dropped: the money went back another way
    state         text NOT NULL CHECK (state IN ('pending', 'settled', 'dropped')),
    channel       text NOT NULL, -- bank, person
    handed_over   boolean NOT NULL DEFAULT false,
    reference     text NOT NULL,
    settled_at    timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    payment       integer NOT NULL, -- the number of the payment that goes back
    collection_id uuid, -- the debit that goes back; null for money that came by hand
    due_at        timestamptz NOT NULL,
    claimed_at    timestamptz, -- null: its hand-over to the bank has not begun
    paid_twice_at timestamptz
);
CREATE INDEX refunds_under_way ON refunds (purchase_id) WHERE state = 'pending';
CREATE INDEX refunds_to_hand_over ON refunds (due_at)
    WHERE state = 'pending' AND channel = 'bank' AND (NOT handed_over);
CREATE INDEX refunds_of_debit ON refunds (merchant_id, collection_id);
CREATE INDEX refunds_listed ON refunds (merchant_id, created_at, id);
CREATE INDEX refunds_waiting ON refunds (merchant_id, created_at, id) WHERE state = 'pending';

-- Movements of money as the merchant's statement shows them: a reversal is a new row.
CREATE TABLE ledger_entries (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    purchase_id   uuid NOT NULL,
    collection_id uuid,
    refund_id     uuid,
    kind          text NOT NULL, -- collected, returned, disputed, dispute_won, refunded, paid_by_hand
    amount_cents  bigint NOT NULL, -- positive: to the merchant
    currency      text NOT NULL,
    code          text NOT NULL DEFAULT '',
    at            timestamptz NOT NULL,
    day           date NOT NULL -- SAST
);
CREATE INDEX ledger_entries_by_purchase ON ledger_entries (purchase_id);
CREATE INDEX ledger_entries_listed ON ledger_entries (merchant_id, day, id) INCLUDE (kind, amount_cents, currency,
    at, purchase_id);
CREATE INDEX ledger_entries_of_refund ON ledger_entries (refund_id) WHERE refund_id IS NOT NULL;

-- Mail to send, one row a cause.
CREATE TABLE mails (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    object_id     uuid NOT NULL,
    kind          text NOT NULL,
    attempt       integer NOT NULL,
    client_id     uuid,
    purchase_id   uuid,
    recipient     text NOT NULL,
    cc            text[] NOT NULL DEFAULT '{}',
    bcc           text[] NOT NULL DEFAULT '{}',
    subject       text NOT NULL,
    text_body     text NOT NULL,
    html_body     text NOT NULL,
    attachments   jsonb NOT NULL DEFAULT '[]',
    state         text NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    error         text NOT NULL DEFAULT '',
    tries         integer NOT NULL DEFAULT 0,
    next_try_at   timestamptz,
    claimed_until timestamptz, -- real time: one process sends it
    created_at    timestamptz NOT NULL,
    sent_at       timestamptz,
    -- A mail is handed over just before its last byte leaves the house: who dies after
    -- that does not send it again.
    handed_at     timestamptz,
    -- The words of mails whose link lets a person in are sealed, and gone once the mail
    -- has left. What stands here of sent ones goes now; a new mail can be asked for.
    body_sealed   bytea,
    CONSTRAINT mails_object_id_kind_attempt_key UNIQUE (object_id, kind, attempt)
);
CREATE INDEX mails_by_merchant ON mails (merchant_id, id);
CREATE INDEX mails_failed ON mails (merchant_id, id) WHERE state = 'failed';
CREATE INDEX mails_waiting ON mails (next_try_at) WHERE state = 'queued';
CREATE INDEX mails_handed ON mails (claimed_until) WHERE state = 'queued' AND handed_at IS NOT NULL;
CREATE INDEX mails_with_links ON mails (sent_at) WHERE body_sealed IS NOT NULL;
CREATE INDEX mails_of_client ON mails (merchant_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX mails_of_purchase ON mails (merchant_id, purchase_id) WHERE purchase_id IS NOT NULL;

-- The memory of the sandbox bank. It stands for another house's system: nothing
-- above joins these tables.
CREATE TABLE sandbox_instructions (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    account_hash bytea, -- the number itself is not kept
    amount_cents bigint NOT NULL,
    action_date  date, -- null for a refund
    last_seq     integer NOT NULL, -- the highest number an answer ever had
    received_at  timestamptz NOT NULL,
    -- The sandbox bank has mandates too.
    kind         text NOT NULL DEFAULT 'collection' CHECK (kind IN ('collection', 'refund', 'mandate')),
    disputable   boolean NOT NULL DEFAULT true,
    method       text NOT NULL DEFAULT 'eft',
    answer_by    timestamptz
);
CREATE INDEX sandbox_instructions_by_account ON sandbox_instructions (account_hash, kind) WHERE kind <> 'refund';

CREATE TABLE sandbox_answers (
    instruction_id uuid NOT NULL,
    seq            integer NOT NULL,
    kind           text NOT NULL,
    code           text NOT NULL,
    due_at         timestamptz NOT NULL,
    delivered_at   timestamptz,
    channel        text NOT NULL DEFAULT '',
    reference      text NOT NULL DEFAULT '',
    PRIMARY KEY (instruction_id, seq)
);
CREATE INDEX sandbox_answers_waiting ON sandbox_answers (due_at, instruction_id, seq) WHERE delivered_at IS NULL;

-- How many mandates stand in each state, in the manner of purchase_counts.
CREATE TABLE mandate_counts (
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    n           bigint NOT NULL,
    PRIMARY KEY (merchant_id, kind, state)
);

CREATE TABLE mandate_count_deltas (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    delta       bigint NOT NULL
);

-- One time of asking the payer. The bank knows it by this id.
CREATE TABLE mandate_authentications (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    mandate_id    uuid NOT NULL REFERENCES mandates (id),
    number        integer NOT NULL,
    method        text NOT NULL CHECK (method IN ('REALTIME', 'DELAYED', 'FALLBACK')),
    state         text NOT NULL,
    code          text NOT NULL DEFAULT '',
    channel       text NOT NULL DEFAULT '',
    requested_by  text NOT NULL DEFAULT '',
    cancel_due    boolean NOT NULL DEFAULT false, -- the bank has yet to hear that nothing is wanted any more
    claimed_until timestamptz, -- real time: one process hands it over
    requested_at  timestamptz NOT NULL,
    sent_at       timestamptz,
    delivered_at  timestamptz,
    expires_at    timestamptz, -- the time limit, from sent_at
    answered_at   timestamptz,
    CONSTRAINT mandate_authentications_mandate_id_number_key UNIQUE (mandate_id, number)
);
CREATE UNIQUE INDEX mandate_authentications_one_open ON mandate_authentications (mandate_id)
    WHERE state IN ('requested', 'sent', 'delivered');
CREATE INDEX mandate_authentications_to_send ON mandate_authentications (requested_at) WHERE state = 'requested';
CREATE INDEX mandate_authentications_running_out ON mandate_authentications (expires_at)
    WHERE state IN ('sent', 'delivered');
CREATE INDEX mandate_authentications_to_cancel ON mandate_authentications (id) WHERE cancel_due;
CREATE INDEX mandate_authentications_unanswered ON mandate_authentications (expires_at) WHERE state = 'no_response';
CREATE INDEX mandate_authentications_expiring ON mandate_authentications (merchant_id, expires_at)
    WHERE state IN ('sent', 'delivered') AND method <> 'REALTIME';

-- What the bank said about an account when it was asked (AVS), right or wrong.
CREATE TABLE account_verifications (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    client_id    uuid,
    purchase_id  uuid, -- null: the request was refused, so that there is none
    account_mask text NOT NULL,
    account_hash bytea NOT NULL,
    bank_code    text NOT NULL,
    answers      jsonb NOT NULL,
    passed       boolean NOT NULL,
    at           timestamptz NOT NULL
);
CREATE INDEX account_verifications_by_client ON account_verifications (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX account_verifications_by_purchase ON account_verifications (purchase_id) WHERE purchase_id IS NOT NULL;

-- New details take the place of a stored account: the old token ends when the new one works.
CREATE TABLE amendments (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    old_token_id uuid NOT NULL REFERENCES tokens (id),
    purchase_id  uuid NOT NULL
        REFERENCES purchases (id) UNIQUE, -- stores the new details, so it is the new token's id too
    state        text NOT NULL CHECK (state IN ('open', 'done', 'abandoned')),
    moved        integer NOT NULL DEFAULT 0, -- purchases that the new account took over
    created_by   text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz
);
CREATE UNIQUE INDEX amendments_one_open ON amendments (old_token_id) WHERE state = 'open';
CREATE INDEX amendments_by_old_token ON amendments (old_token_id, id);

CREATE TABLE invoice_series (
    brand_id uuid NOT NULL REFERENCES brands (id),
    kind     text NOT NULL,
    year     integer NOT NULL,
    next     bigint NOT NULL, -- held until the commit of who takes numbers
    prefix   text,
    PRIMARY KEY (brand_id, kind, year)
);

CREATE TABLE invoices (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL,
    brand_id    uuid NOT NULL,
    client_id   uuid,
    purchase_id uuid NOT NULL REFERENCES purchases (id),
    kind        text NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year        integer NOT NULL,
    serial      bigint NOT NULL,
    number      text NOT NULL, -- INV-2026-000123
    issued      date NOT NULL,
    currency    text NOT NULL,
    total_cents bigint NOT NULL,
    vat_cents   bigint, -- null: the brand charged no VAT
    vat_number  text NOT NULL DEFAULT '', -- the brand's on that day
    particulars jsonb NOT NULL, -- issuer and recipient as they were then
    created_at  timestamptz NOT NULL,
    refund_id   uuid,
    CONSTRAINT invoices_brand_id_kind_year_serial_key UNIQUE (brand_id, kind, year, serial)
);
CREATE INDEX invoices_by_purchase ON invoices (merchant_id, kind, purchase_id);
CREATE INDEX invoices_by_serial ON invoices (merchant_id, serial);
CREATE INDEX invoices_of_number ON invoices (merchant_id, kind, number COLLATE "C");
CREATE INDEX invoices_in_amount_order ON invoices (merchant_id, kind, total_cents, purchase_id);
CREATE UNIQUE INDEX invoices_one_each ON invoices (purchase_id) WHERE kind = 'invoice';
CREATE UNIQUE INDEX credit_notes_one_each ON invoices (purchase_id, COALESCE(refund_id,
    '00000000-0000-0000-0000-000000000000'::uuid)) WHERE kind = 'credit_note';

CREATE TABLE batches (
    id                uuid PRIMARY KEY,
    merchant_id       uuid NOT NULL REFERENCES merchants (id),
    brand_id          uuid NOT NULL REFERENCES brands (id),
    name              text NOT NULL, -- of the file, as a person sees it
    source            text NOT NULL CHECK (source IN ('file', 'paste', 'clients')),
    state             text NOT NULL
        CHECK (state IN ('mapping', 'checking', 'checked', 'running', 'paused', 'voiding', 'done', 'stopped')),
    format            jsonb NOT NULL, -- how the file was read, with its heading
    mapping           jsonb NOT NULL, -- which column means what
    header_hash       bytea NOT NULL, -- finds the mapping of the same heading again
    content_hash      bytea NOT NULL, -- finds the same file again
    counts            jsonb NOT NULL DEFAULT '{}', -- counted from the rows
    total_rows        integer NOT NULL DEFAULT 0,
    good_only         boolean NOT NULL DEFAULT false,
    warnings_accepted boolean NOT NULL DEFAULT false,
    hold_until        timestamptz, -- product time; nothing is sent before
    pause_after       integer, -- rows sent after which it waits for a person
    cursor_n          integer NOT NULL DEFAULT 0, -- how far voiding came
    note              text NOT NULL DEFAULT '', -- why it waits
    creator           jsonb NOT NULL,
    starter           jsonb, -- who the work is done for
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    started_at        timestamptz,
    ended_at          timestamptz,
    worked_at         timestamptz NOT NULL DEFAULT now(), -- real time; old while there is work: nobody is at it
    revision          integer NOT NULL DEFAULT 0, -- grows with every change of a row
    fingerprint       bytea NOT NULL DEFAULT '\x',
    hands             jsonb NOT NULL DEFAULT '[]', -- the people who made it what it is: none of them approves it
    checked_at        timestamptz, -- when all its rows were checked together; null: by an older release
    paced_at          timestamptz, -- when sending last began or went on
    paced_sent        integer NOT NULL DEFAULT 0
);
CREATE INDEX batches_by_merchant ON batches (merchant_id, id);
CREATE INDEX batches_by_content ON batches (merchant_id, content_hash);
CREATE INDEX batches_at_work ON batches (worked_at) WHERE state IN ('checking', 'running', 'voiding');

CREATE TABLE batch_rows (
    merchant_id   uuid NOT NULL,
    batch_id      uuid NOT NULL REFERENCES batches (id),
    n             integer NOT NULL, -- as a spreadsheet numbers it
    cells         bytea NOT NULL, -- sealed: account and identity numbers may be among them
    broken        jsonb, -- what was wrong with how the row is written
    state         text NOT NULL CHECK (state IN ('new', 'ready', 'bad', 'skipped', 'sent', 'failed', 'voided')),
    problems      jsonb,
    causes        text[] NOT NULL DEFAULT '{}',
    warnings      text[] NOT NULL DEFAULT '{}',
    name          text NOT NULL DEFAULT '',
    client_id     uuid,
    new_client    boolean NOT NULL DEFAULT false,
    due           date,
    total_cents   bigint NOT NULL DEFAULT 0,
    same_hash     bytea, -- equal for the same payer and amount
    charge        text NOT NULL DEFAULT '' CHECK (charge IN ('', 'wanted', 'done', 'failed')),
    purchase_id   uuid,
    number        text NOT NULL DEFAULT '',
    error         text NOT NULL DEFAULT '',
    -- who is billed when nobody is known by the row
    decision      text NOT NULL DEFAULT '' CHECK (decision IN ('', 'create', 'client')),
    chosen_client uuid, -- of the decision client
    client_hash   bytea, -- equal for the same person
    digest        bytea, -- of everything that the row does; none: it was checked before there were digests
    revision      integer NOT NULL DEFAULT 0, -- of the batch when the row changed last
    mailed        boolean NOT NULL DEFAULT true, -- its invoice goes out by mail
    usual_cents   bigint, -- what is usual, where the amount is far from it
    confirmed     boolean NOT NULL DEFAULT false, -- somebody ticked that the unusual amount is right
    token_id      uuid, -- what will be debited
    debit_method  text NOT NULL DEFAULT '',
    debit_date    date,
    disputable    text[] NOT NULL DEFAULT '{}',
    numbers       jsonb,
    PRIMARY KEY (batch_id, n)
) WITH (fillfactor = 80);
CREATE INDEX batch_rows_by_state ON batch_rows (batch_id, state, n);
CREATE INDEX batch_rows_to_charge ON batch_rows (purchase_id) WHERE state = 'sent' AND charge = 'wanted';
CREATE INDEX batch_rows_of_purchase ON batch_rows (purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX batch_rows_by_client ON batch_rows (client_id) WHERE client_id IS NOT NULL AND purchase_id IS NULL;
CREATE INDEX batch_rows_by_choice ON batch_rows (chosen_client) WHERE chosen_client IS NOT NULL;

-- What a person chose for a heading, for the next file that has it.
CREATE TABLE batch_mappings (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    header_hash bytea NOT NULL,
    mapping     jsonb NOT NULL,
    used_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, header_hash)
);

CREATE TABLE billing_templates (
    id              uuid PRIMARY KEY,
    merchant_id     uuid NOT NULL REFERENCES merchants (id),
    brand_id        uuid NOT NULL REFERENCES brands (id),
    user_id         uuid,
    is_test         boolean NOT NULL,
    title           text NOT NULL,
    is_subscription boolean NOT NULL,
    currency        text NOT NULL,
    total_cents     bigint NOT NULL,
    due_strict      boolean NOT NULL,
    details         jsonb NOT NULL, -- what stands in "purchase", as purchases keep it
    options         jsonb NOT NULL,
    issued          date, -- of one-time invoices; null: the day they are sent
    due             timestamptz, -- of one-time invoices
    period          integer NOT NULL CHECK ((period >= 1) AND period <= 256),
    period_units    text NOT NULL CHECK (period_units IN ('days', 'weeks', 'months')),
    due_period      integer NOT NULL CHECK ((due_period >= 1) AND due_period <= 256),
    due_units       text NOT NULL CHECK (due_units IN ('days', 'weeks', 'months')),
    charge_at_end   boolean NOT NULL,
    trial_periods   integer NOT NULL CHECK ((trial_periods >= 0) AND trial_periods <= 256),
    cycles          integer CHECK (cycles > 0), -- null: endless
    paused          boolean NOT NULL,
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz,
    -- The price of a template from a date on: {"from", "products", "cents", …}. Until then the template's own price holds;
    -- once it is the template's, "was" is the price of the periods before.
    price_change    jsonb
);
CREATE INDEX billing_templates_by_merchant ON billing_templates (merchant_id, id);
CREATE INDEX billing_templates_to_price ON billing_templates (((price_change ->> 'from')))
    WHERE ((price_change ->> 'applied') = 'false') AND deleted_at IS NULL;

CREATE TABLE template_clients (
    id                 uuid PRIMARY KEY,
    merchant_id        uuid NOT NULL,
    template_id        uuid NOT NULL REFERENCES billing_templates (id),
    client_id          uuid NOT NULL REFERENCES clients (id),
    status             text NOT NULL CHECK (status IN ('pending', 'active', 'subscription_paused', 'inactive')),
    -- how it came to inactive or paused: payer, person, cycles, removed, client_deleted, template_deleted
    why                text NOT NULL DEFAULT '',
    first_on           date, -- the first debit date that was asked for
    anchor             date, -- the day from which periods count; null while pending
    cycle              integer NOT NULL DEFAULT 0, -- periods that were looked at, skipped ones included
    passed             integer NOT NULL DEFAULT 0, -- periods that were billed
    next_on            date, -- next billing date
    next_at            timestamptz, -- the moment at which it is looked at; null: never
    stored_token       uuid, -- an account that was just stored for it and not taken over yet
    stored_at          timestamptz,
    token_id           uuid, -- the account that is charged
    first_purchase_id  uuid, -- the purchase that stores the account
    whitelist          jsonb, -- null: as the template says
    switches           jsonb NOT NULL, -- send_invoice_on_charge_failure and its like
    reference          text NOT NULL DEFAULT '', -- invoice_reference
    override           jsonb, -- a price for this subscriber
    debit              jsonb NOT NULL DEFAULT '{}', -- the DebiCheck fields of the subscription, numbers masked
    debit_sealed       bytea, -- the numbers themselves
    reminded_at        timestamptz,
    activated_at       timestamptz,
    version            integer NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    -- The total of a subscriber's first period, as it was asked for (pro rata). It is null for those who pay the price of
    -- every period from the first one on.
    first_amount_cents bigint CHECK (first_amount_cents >= 0),
    -- Why the next period of a subscriber cannot be debited, as the product found when it last looked; empty: it can. It
    -- looks again where fit_due says so: the terms of a mandate are judged by one rule, which is not here.
    unfit              text NOT NULL DEFAULT '',
    fit_due            boolean NOT NULL DEFAULT false
);
CREATE INDEX template_clients_by_template ON template_clients (merchant_id, template_id, id);
CREATE INDEX template_clients_by_status ON template_clients (template_id, status, id);
CREATE INDEX template_clients_by_client ON template_clients (client_id, id);
CREATE INDEX template_clients_by_token ON template_clients (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX template_clients_due ON template_clients (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX template_clients_stored ON template_clients (id) WHERE stored_token IS NOT NULL;
CREATE INDEX template_clients_counted ON template_clients (merchant_id, template_id, status, next_on, activated_at);
CREATE INDEX template_clients_ahead ON template_clients (merchant_id, next_at, template_id, id)
    WHERE next_at IS NOT NULL;
CREATE INDEX template_clients_next ON template_clients (merchant_id, next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX template_clients_to_judge ON template_clients (id) WHERE fit_due;

-- The period key: a subscriber is billed once for a period, whatever runs twice.
CREATE TABLE billing_periods (
    template_client_id uuid NOT NULL REFERENCES template_clients (id),
    starts_on          date NOT NULL,
    billed_on          date NOT NULL,
    merchant_id        uuid NOT NULL,
    purchase_id        uuid, -- null: skipped
    skipped            text NOT NULL DEFAULT '', -- why: paused_template, paused_client
    created_at         timestamptz NOT NULL,
    PRIMARY KEY (template_client_id, starts_on)
);

-- Events: what happened to an object, in the order in which it was committed.
CREATE TABLE webhooks (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    title         text NOT NULL,
    callback      text NOT NULL,
    all_events    boolean NOT NULL,
    events        text[] NOT NULL,
    public_key    text NOT NULL, -- PEM
    private_key   bytea NOT NULL, -- sealed
    failing_since timestamptz, -- null: the last delivery was taken
    failures      integer NOT NULL DEFAULT 0, -- in a row
    last_ok_at    timestamptz,
    noticed_at    timestamptz, -- when its owner was told that it fails
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz
);
CREATE INDEX webhooks_by_merchant ON webhooks (merchant_id, id) WHERE deleted_at IS NULL;

CREATE TABLE merchant_keys (
    -- the company key that signs success_callback
    merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
    public_key  text NOT NULL,
    private_key bytea NOT NULL, -- sealed
    created_at  timestamptz NOT NULL
);

CREATE TABLE events (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          uuid NOT NULL UNIQUE,
    merchant_id uuid NOT NULL,
    type        text NOT NULL, -- purchase.paid and its like
    object_type text NOT NULL, -- purchase, payment, billing_template_client, webhook
    object_id   uuid NOT NULL,
    source_id   uuid NOT NULL, -- the object whose events keep their order
    snapshot    jsonb, -- the object as it stood, numbers masked; null: nobody is to get it
    created_at  timestamptz NOT NULL
);
CREATE INDEX events_by_merchant ON events (merchant_id, seq);
CREATE INDEX events_by_object ON events (merchant_id, object_id, seq);
CREATE INDEX events_by_type ON events (merchant_id, type, seq);
CREATE INDEX events_by_age ON events USING brin (created_at) WITH (autosummarize='on');

CREATE TABLE deliveries (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    seq           bigint NOT NULL, -- of its event; both are written by one statement
    event_id      uuid NOT NULL,
    source_id     uuid NOT NULL,
    webhook_id    uuid, -- null: the success_callback of a purchase
    endpoint      uuid NOT NULL, -- whose order is kept: the webhook, or the purchase of a callback
    address       text NOT NULL,
    state         text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
    resend        boolean NOT NULL DEFAULT false, -- asked for by a person
    attempts      integer NOT NULL DEFAULT 0,
    first_at      timestamptz, -- of the first attempt
    next_at       timestamptz, -- of the next one; null when it is over
    claimed_until timestamptz, -- real time
    last_status   integer, -- HTTP
    last_error    text NOT NULL DEFAULT '',
    done_at       timestamptz,
    created_at    timestamptz NOT NULL
);
CREATE INDEX deliveries_waiting ON deliveries (endpoint, source_id, seq) WHERE state = 'pending';
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_webhook ON deliveries (merchant_id, webhook_id, id);
CREATE INDEX deliveries_by_merchant ON deliveries (merchant_id, id);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_done ON deliveries (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries (merchant_id, webhook_id, id) WHERE state = 'failed';

CREATE TABLE delivery_attempts (
    delivery_id uuid NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    number      integer NOT NULL,
    at          timestamptz NOT NULL,
    took_ms     integer NOT NULL,
    status      integer, -- HTTP; null: no answer
    error       text NOT NULL DEFAULT '',
    answer      text NOT NULL DEFAULT '', -- the first bytes of it
    PRIMARY KEY (delivery_id, number)
);

CREATE TABLE company_statements (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    is_test       boolean NOT NULL,
    format        text NOT NULL CHECK (format IN ('csv', 'xlsx')),
    timezone      text NOT NULL,
    query         text NOT NULL, -- as it stood in the address
    filter        jsonb NOT NULL DEFAULT '{}', -- the same, understood
    status        text NOT NULL CHECK (status IN ('pending', 'running', 'finished', 'cancelled', 'error')),
    note          text NOT NULL DEFAULT '', -- why it ended in error
    rows          bigint NOT NULL DEFAULT 0, -- movements in the file
    file          bytea,
    claim         uuid, -- who is at it
    claimed_until timestamptz, -- real time
    began_at      timestamptz,
    finished_at   timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE INDEX company_statements_by_merchant ON company_statements (merchant_id, id);
CREATE INDEX company_statements_open ON company_statements (id) WHERE status IN ('pending', 'running');

-- What the simulator plays. One at a time in the whole sandbox, for there is one clock.
CREATE TABLE simulations (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    kind          text NOT NULL CHECK (kind IN ('scenario', 'demo')),
    state         text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    ask           jsonb NOT NULL,
    starter       jsonb NOT NULL, -- who asked for it
    done_steps    integer NOT NULL DEFAULT 0,
    all_steps     integer NOT NULL,
    result        jsonb NOT NULL DEFAULT '{}',
    note          text NOT NULL DEFAULT '',
    claim         uuid,
    claimed_until timestamptz, -- real time
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX simulations_one ON simulations ((true)) WHERE state IN ('waiting', 'running');
CREATE INDEX simulations_by_merchant ON simulations (merchant_id, id);

CREATE TABLE memberships (
    user_id            uuid NOT NULL REFERENCES users (id),
    merchant_id        uuid NOT NULL REFERENCES merchants (id),
    role               text NOT NULL CHECK (role IN ('admin', 'finance', 'staff', 'readonly')),
    grants             jsonb NOT NULL DEFAULT '{}', -- action → true or false, over what the role says
    batch_limit_cents  bigint CHECK (batch_limit_cents >= 0), -- sends no batch above it; null: no limit
    last_used_at       timestamptz,
    disabled_at        timestamptz,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    -- A person may hide the first steps on Home, in each business of theirs.
    first_steps_hidden boolean NOT NULL DEFAULT false,
    -- Admins whose password opens the business whatever its issuers demand.
    break_glass        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (user_id, merchant_id)
);
CREATE INDEX memberships_by_merchant ON memberships (merchant_id, user_id);

CREATE TABLE recovery_codes (
    user_id   uuid NOT NULL REFERENCES users (id),
    code_hash bytea NOT NULL,
    used_at   timestamptz,
    PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkeys (
    id           bytea PRIMARY KEY, -- the credential id
    user_id      uuid NOT NULL REFERENCES users (id),
    name         text NOT NULL,
    credential   jsonb NOT NULL, -- the public key and its counter
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE invitations (
    id                uuid PRIMARY KEY,
    merchant_id       uuid NOT NULL REFERENCES merchants (id),
    email             text NOT NULL,
    name              text NOT NULL DEFAULT '',
    role              text NOT NULL CHECK (role IN ('admin', 'finance', 'staff', 'readonly')),
    grants            jsonb NOT NULL DEFAULT '{}',
    batch_limit_cents bigint,
    token_hash        bytea NOT NULL UNIQUE,
    invited_by        uuid,
    mail_count        integer NOT NULL DEFAULT 1,
    expires_at        timestamptz NOT NULL, -- real time, as sessions are
    accepted_at       timestamptz,
    revoked_at        timestamptz,
    created_at        timestamptz NOT NULL
);
CREATE INDEX invitations_by_merchant ON invitations (merchant_id, id);
CREATE UNIQUE INDEX invitations_open ON invitations (merchant_id, lower(email))
    WHERE accepted_at IS NULL AND revoked_at IS NULL;

CREATE TABLE password_resets (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    created_at timestamptz NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);

CREATE TABLE approvals (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    kind         text NOT NULL
        CHECK (kind IN ('delete_tokens', 'send_batch', 'loosen', 'wipe', 'stop_client', 'change_setting', 'do_many',
        'import_book')),
    subject      jsonb NOT NULL, -- the ids, and what they meant when it was asked
    subject_key  text NOT NULL, -- one open request for the same thing
    reason       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('open', 'approved', 'refused', 'withdrawn', 'expired')),
    asked_by     uuid NOT NULL,
    asked_name   text NOT NULL,
    decided_by   uuid,
    decided_name text NOT NULL DEFAULT '',
    decision     text NOT NULL DEFAULT '', -- what the second person wrote
    decided_at   timestamptz,
    expires_at   timestamptz NOT NULL,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    -- A second approver for what bills or debits many together above the limit of a business: adding subscribers, debiting
    -- again. What was asked for is sealed beside the request, and gone when the request is over.
    input_sealed bytea
);
CREATE INDEX approvals_by_merchant ON approvals (merchant_id, id);
CREATE UNIQUE INDEX approvals_one_open ON approvals (merchant_id, kind, subject_key) WHERE state = 'open';
CREATE INDEX approvals_expiring ON approvals (expires_at) WHERE state = 'open';

CREATE TABLE token_deletions (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    tokens      jsonb NOT NULL, -- id → the state before
    asked_by    uuid NOT NULL,
    asked_name  text NOT NULL,
    reason      text NOT NULL DEFAULT '',
    approval_id uuid,
    approver    text NOT NULL DEFAULT '', -- who agreed to it
    state       text NOT NULL CHECK (state IN ('waiting', 'done', 'undone')),
    until       timestamptz NOT NULL, -- the product's clock
    ended_at    timestamptz,
    created_at  timestamptz NOT NULL,
    -- What was chosen for the debits and subscriptions that hang on the tokens: purchase or
    -- subscriber id -> {"do", "to"}. It happens when the deletion is final.
    choices     jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX token_deletions_due ON token_deletions (until) WHERE state = 'waiting';
CREATE INDEX token_deletions_by_merchant ON token_deletions (merchant_id, id);

CREATE TABLE audit_turns (
    base bigint NOT NULL
);

CREATE TABLE audit_heads (
    merchant_id uuid PRIMARY KEY,
    n           bigint NOT NULL,
    hash        bytea NOT NULL,
    key_id      text NOT NULL, -- whose signature stands below
    signature   bytea NOT NULL -- over merchant, n and hash: who has the database alone cannot write another chain
);

CREATE TABLE audit_progress (
    turn     bigint NOT NULL,
    entry_id uuid NOT NULL
);

-- Replacing a sealing key: how far the rows are re-sealed.
CREATE TABLE key_rotations (
    key_id      text PRIMARY KEY,
    started_at  timestamptz NOT NULL,
    finished_at timestamptz,
    progress    jsonb NOT NULL DEFAULT '{}' -- table → rows done, rows in all, where it stands
);

-- Days that were proclaimed after the calendar was written, for the whole installation.
CREATE TABLE proclaimed_days (
    day        date PRIMARY KEY,
    name       text NOT NULL,
    open       boolean NOT NULL DEFAULT false, -- true: no holiday after all
    created_at timestamptz NOT NULL
);

-- What a person had typed when the session ended, for the sign-in that follows.
CREATE TABLE kept_forms (
    name       text PRIMARY KEY, -- random
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    sealed     bytea NOT NULL, -- bound to the person: bank and identity numbers may be in it
    created_at timestamptz NOT NULL -- real time
);
CREATE INDEX kept_forms_by_person ON kept_forms (user_id, created_at);

-- Chains of the audit that do not hold. Entries of a merchant whose chain is stopped
-- wait until somebody at the command line accepts it.
CREATE TABLE audit_alarms (
    merchant_id uuid PRIMARY KEY,
    found_at    timestamptz NOT NULL,
    n           bigint NOT NULL,
    why         text NOT NULL,
    stopped     boolean NOT NULL
);

-- The one row that is written to learn whether the database takes writes.
CREATE TABLE readiness (
    one        boolean PRIMARY KEY CHECK (one),
    written_at timestamptz NOT NULL
) WITH (fillfactor = 10);

-- What is exchanged with a bank in messages: what was handed over, in which message it
-- left, what came back, and what a person has to look at.
CREATE TABLE bank_items (
    id           uuid PRIMARY KEY, -- of the collection, refund or authentication
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL,
    subject_id   uuid,
    method       text NOT NULL,
    amount_cents bigint NOT NULL,
    currency     text NOT NULL,
    action_date  date,
    state        text NOT NULL,
    cut_at       timestamptz NOT NULL, -- leaves at the earliest
    message_id   text,
    group_id     text,
    group_key    text NOT NULL,
    outcome      text NOT NULL DEFAULT '', -- the last answer
    outcome_on   date, -- the bank's day of it
    silence_at   timestamptz, -- when silence means that it was paid
    taken_at     timestamptz NOT NULL,
    order_sealed bytea NOT NULL,
    -- The day on which a debit went back that was paid again since.
    back_on      date
);
CREATE INDEX bank_items_waiting ON bank_items (merchant_id, kind, cut_at) WHERE state = 'waiting';
CREATE INDEX bank_items_late ON bank_items (merchant_id, action_date) WHERE state = 'late';
CREATE INDEX bank_items_silent ON bank_items (silence_at)
    WHERE silence_at IS NOT NULL AND state = 'sent' AND outcome = '';
CREATE INDEX bank_items_of_message ON bank_items (message_id, id) WHERE message_id IS NOT NULL;
CREATE INDEX bank_items_out ON bank_items (merchant_id, outcome_on)
    WHERE outcome IN ('unpaid', 'disputed', 'refund_settled');
CREATE INDEX bank_items_of_subject ON bank_items (subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX bank_items_by_day ON bank_items (merchant_id, action_date) INCLUDE (outcome, state, message_id,
    amount_cents, id) WHERE kind = 'debits';

CREATE TABLE bank_numbers (
    kind text PRIMARY KEY,
    next bigint NOT NULL
);

CREATE TABLE bank_files_out (
    id           text PRIMARY KEY, -- as the bank knows it
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL,
    name         text NOT NULL, -- its form, such as pain.008.001.08
    number       bigint NOT NULL,
    file_name    text NOT NULL UNIQUE,
    state        text NOT NULL,
    item_count   integer NOT NULL,
    sum_cents    bigint NOT NULL,
    sha256       bytea,
    size         bigint NOT NULL DEFAULT 0,
    content      bytea, -- packed and sealed; null until it is written
    made_by      text NOT NULL,
    made_at      timestamptz NOT NULL,
    placed_at    timestamptz,
    taken_at     timestamptz,
    ack_due_at   timestamptz,
    ack_at       timestamptz,
    answered_at  timestamptz,
    reason       text NOT NULL DEFAULT '',
    downloads    integer NOT NULL DEFAULT 0,
    downloads_by text NOT NULL DEFAULT '',
    made_by_id   uuid, -- the person who cut; null: the clock
    approve_by   timestamptz, -- when a held file must be approved
    decided_at   timestamptz,
    decided_by   text NOT NULL DEFAULT '', -- who approved or refused it here
    declined     boolean NOT NULL DEFAULT false,
    CONSTRAINT bank_files_out_kind_number_key UNIQUE (kind, number)
);
CREATE INDEX bank_files_out_by_merchant ON bank_files_out (merchant_id, made_at DESC, id DESC);
CREATE INDEX bank_files_out_open ON bank_files_out (state, made_at) WHERE state IN ('made', 'placed', 'taken');
CREATE INDEX bank_files_out_held ON bank_files_out (made_at) WHERE state = 'held';

CREATE TABLE bank_file_groups (
    message_id  text NOT NULL REFERENCES bank_files_out (id),
    id          text NOT NULL,
    position    integer NOT NULL,
    method      text NOT NULL,
    action_date date,
    sequence    text NOT NULL,
    creditor    jsonb NOT NULL,
    item_count  integer NOT NULL,
    sum_cents   bigint NOT NULL,
    refused     boolean NOT NULL DEFAULT false,
    PRIMARY KEY (message_id, id)
);

CREATE TABLE bank_answers (
    id           text PRIMARY KEY,
    item_id      uuid NOT NULL,
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL,
    code         text NOT NULL,
    channel      text NOT NULL,
    reference    text NOT NULL,
    at           timestamptz NOT NULL,
    raw          bytea NOT NULL,
    delivered_at timestamptz,
    waits_until  timestamptz,
    entry_id     uuid,
    was_state    text NOT NULL DEFAULT '',
    was_outcome  text NOT NULL DEFAULT '',
    was_on       date,
    CONSTRAINT bank_answers_item_id_kind_key UNIQUE (item_id, kind)
);
CREATE INDEX bank_answers_waiting ON bank_answers (at, id) WHERE delivered_at IS NULL;
CREATE INDEX bank_answers_of_document ON bank_answers ("left"(id, 16));
CREATE INDEX bank_answers_of_entry ON bank_answers (entry_id) WHERE entry_id IS NOT NULL;

CREATE TABLE bank_files_in (
    id                uuid PRIMARY KEY,
    merchant_id       uuid NOT NULL, -- who imported it; zero when it was found
    sha256            bytea NOT NULL UNIQUE,
    file_name         text NOT NULL,
    size              bigint NOT NULL,
    name              text NOT NULL DEFAULT '', -- its form
    bank_id           text NOT NULL DEFAULT '',
    state             text NOT NULL,
    why               text NOT NULL DEFAULT '',
    brought_by        text NOT NULL DEFAULT '',
    events            integer NOT NULL DEFAULT 0,
    item_count        integer NOT NULL DEFAULT 0,
    sum_cents         bigint NOT NULL DEFAULT 0,
    arrived_at        timestamptz NOT NULL,
    read_at           timestamptz,
    content           bytea, -- packed and sealed, of one that a person imported
    -- A document is kept once for each who brought it: what the bank left in the inbox is one, and each business that
    -- imports the same bytes has its own. sha256 is what is unique: of the bytes for the inbox, of the business and the
    -- bytes for an import. content_sha256 is of the bytes alone.
    content_sha256    bytea,
    movements         integer NOT NULL DEFAULT 0,
    new_movements     integer NOT NULL DEFAULT 0,
    strange_movements integer NOT NULL DEFAULT 0,
    strange_account   text NOT NULL DEFAULT ''
);
CREATE INDEX bank_files_in_open ON bank_files_in (arrived_at) WHERE state = 'open' AND content IS NOT NULL;
CREATE INDEX bank_files_in_by_content ON bank_files_in (content_sha256);

-- Whose a file from the bank is: it may speak of several merchants.
CREATE TABLE bank_files_in_of (
    merchant_id uuid NOT NULL,
    document_id uuid NOT NULL REFERENCES bank_files_in (id),
    arrived_at  timestamptz NOT NULL,
    item_count  integer NOT NULL,
    sum_cents   bigint NOT NULL,
    PRIMARY KEY (merchant_id, document_id)
);
CREATE INDEX bank_files_in_by_merchant ON bank_files_in_of (merchant_id, arrived_at DESC, document_id DESC);

CREATE TABLE bank_entries (
    id           uuid PRIMARY KEY,
    merchant_id  uuid,
    key          text NOT NULL UNIQUE,
    arrival_id   uuid NOT NULL,
    item_id      uuid,
    message_id   text,
    group_id     text,
    state        text NOT NULL,
    credit       boolean NOT NULL,
    reversal     boolean NOT NULL,
    amount_cents bigint NOT NULL,
    currency     text NOT NULL,
    booked_on    date NOT NULL,
    reference    text NOT NULL,
    bank_code    text NOT NULL,
    reason       text NOT NULL,
    text         text NOT NULL,
    matched_by   text NOT NULL DEFAULT '',
    matched_at   timestamptz,
    -- A movement is on one account. One that was kept before has none here, and its key does not tell the account.
    account_hash bytea,
    remittance   text NOT NULL DEFAULT '',
    fee_cents    bigint NOT NULL DEFAULT 0,
    booked_by    text NOT NULL DEFAULT '',
    entry_key    text NOT NULL DEFAULT '',
    entry_cents  bigint NOT NULL DEFAULT 0,
    note         text NOT NULL DEFAULT ''
);
CREATE INDEX bank_entries_by_merchant ON bank_entries (merchant_id, booked_on DESC, id DESC);
CREATE INDEX bank_entries_of_item ON bank_entries (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX bank_entries_of_document ON bank_entries (arrival_id);
CREATE INDEX bank_entries_by_account ON bank_entries (account_hash, booked_on);
CREATE INDEX bank_entries_by_entry ON bank_entries (entry_key) WHERE entry_key <> '';
CREATE INDEX bank_entries_of_group ON bank_entries (message_id, booked_on) WHERE message_id IS NOT NULL;
CREATE INDEX bank_entries_unmatched ON bank_entries (merchant_id, amount_cents) WHERE state = 'unmatched';

CREATE TABLE bank_statements (
    merchant_id   uuid NOT NULL,
    account_hash  bytea NOT NULL,
    day           date NOT NULL,
    opening_cents bigint,
    closing_cents bigint,
    PRIMARY KEY (merchant_id, day, account_hash)
);

CREATE TABLE bank_findings (
    id          uuid PRIMARY KEY,
    merchant_id uuid,
    kind        text NOT NULL,
    subject     text NOT NULL,
    message_id  text,
    arrival_id  uuid,
    item_id     uuid,
    text        text NOT NULL,
    opened_at   timestamptz NOT NULL,
    closed_at   timestamptz,
    closed_by   text NOT NULL DEFAULT '',
    resolution  text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX bank_findings_one_open ON bank_findings (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX bank_findings_by_merchant ON bank_findings (merchant_id, opened_at DESC, id DESC);
CREATE INDEX bank_findings_of_subject ON bank_findings (kind, subject);
CREATE INDEX bank_findings_open ON bank_findings (merchant_id, id DESC) WHERE closed_at IS NULL;
CREATE INDEX bank_findings_of_item ON bank_findings (item_id) WHERE closed_at IS NULL AND item_id IS NOT NULL;
CREATE INDEX bank_findings_of_message ON bank_findings (message_id)
    WHERE closed_at IS NULL AND message_id IS NOT NULL;

-- Money that moved, by what reports ask for.
CREATE TABLE ledger_days (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    currency    text NOT NULL,
    kind        text NOT NULL,
    brand_id    uuid NOT NULL,
    product     text NOT NULL,
    method      text NOT NULL, -- of the debit; empty: it came by hand
    stored      boolean NOT NULL, -- from an account that was stored before
    sign        smallint NOT NULL, -- 1: came in, -1: went out
    n           bigint NOT NULL,
    cents       numeric NOT NULL, -- below zero for what went out
    PRIMARY KEY (merchant_id, day, currency, kind, brand_id, product, method, stored, sign)
);

CREATE TABLE ledger_months (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    currency    text NOT NULL,
    kind        text NOT NULL,
    brand_id    uuid NOT NULL,
    product     text NOT NULL,
    method      text NOT NULL,
    stored      boolean NOT NULL,
    sign        smallint NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    PRIMARY KEY (merchant_id, day, currency, kind, brand_id, product, method, stored, sign)
);

CREATE TABLE ledger_day_deltas (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    currency    text NOT NULL,
    kind        text NOT NULL,
    brand_id    uuid NOT NULL,
    product     text NOT NULL,
    method      text NOT NULL,
    stored      boolean NOT NULL,
    sign        smallint NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);

-- Debits by their date. What waits to be handed over also has the moment by which that is to be done, and what may be
-- returned the day on which it was paid.
CREATE TABLE debit_days (
    merchant_id uuid NOT NULL,
    state       text NOT NULL,
    day         date NOT NULL,
    at          timestamptz NOT NULL, -- -infinity in all other states
    currency    text NOT NULL,
    brand_id    uuid NOT NULL,
    method      text NOT NULL,
    stored      boolean NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    PRIMARY KEY (merchant_id, state, day, at, currency, brand_id, method, stored)
);

CREATE TABLE debit_day_deltas (
    merchant_id uuid NOT NULL,
    state       text NOT NULL,
    day         date NOT NULL,
    at          timestamptz NOT NULL,
    currency    text NOT NULL,
    brand_id    uuid NOT NULL,
    method      text NOT NULL,
    stored      boolean NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);

-- What waits for a person: one row for each thing and why.
CREATE TABLE attention (
    merchant_id  uuid NOT NULL,
    kind         text NOT NULL,
    object_id    uuid NOT NULL,
    at           timestamptz NOT NULL, -- since when, as the list of it says
    answered     boolean NOT NULL, -- of a failed debit: at is the moment of the bank's answer
    cents        bigint NOT NULL,
    currency     text NOT NULL,
    -- What waits is kept with its owner, and with the day from which it is shown.
    hidden_until date NOT NULL DEFAULT '-infinity',
    owner_id     uuid,
    PRIMARY KEY (merchant_id, object_id, kind)
);
CREATE INDEX attention_by_kind ON attention (merchant_id, kind, at) INCLUDE (object_id, answered, cents, currency,
    hidden_until, owner_id);
CREATE INDEX attention_by_day ON attention (merchant_id, kind, hidden_until, at, object_id) INCLUDE (answered, cents,
    currency, owner_id);
CREATE INDEX attention_by_owner ON attention (merchant_id, owner_id, kind, hidden_until, at, object_id) INCLUDE
    (answered, cents, currency);
CREATE INDEX attention_listed ON attention (merchant_id, kind, object_id) INCLUDE (hidden_until, at, answered);

-- What may have begun or ceased to wait since. A note stays until every transaction has ended that was under way when
-- it was written: one of them may have decided by what it could not see yet that it need not write a note itself.
CREATE TABLE attention_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    merchant_id uuid NOT NULL,
    object_id   uuid NOT NULL, -- of a purchase, token, mandate, subscriber or mail
    xact        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, id)
);

-- What became of each day at the bank: its debits, what went back, what was booked.
CREATE TABLE bank_days (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    handed_n    bigint NOT NULL,
    handed      numeric NOT NULL,
    ack_n       bigint NOT NULL,
    ack         numeric NOT NULL,
    open_n      bigint NOT NULL,
    open        numeric NOT NULL,
    paid_n      bigint NOT NULL,
    paid        numeric NOT NULL,
    back_n      bigint NOT NULL,
    back        numeric NOT NULL,
    booked_n    bigint NOT NULL,
    booked      numeric NOT NULL,
    moved       bigint NOT NULL,
    told        boolean NOT NULL,
    PRIMARY KEY (merchant_id, day)
);

CREATE TABLE bank_day_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    xact        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, id)
);

-- What the sweep saw when it came by last, and a number above all transactions that had begun by then.
CREATE TABLE figure_sweep (
    one  boolean PRIMARY KEY CHECK (one),
    seen pg_snapshot NOT NULL,
    ends xid8 NOT NULL
);

-- What programs asked, for the pages of developers. Bodies are masked.
CREATE TABLE api_requests (
    id              uuid NOT NULL,
    merchant_id     uuid NOT NULL,
    at              timestamptz NOT NULL,
    method          text NOT NULL,
    path            text NOT NULL,
    query           text NOT NULL DEFAULT '',
    route           text NOT NULL,
    status          integer NOT NULL,
    took_us         bigint NOT NULL,
    credential_id   uuid,
    credential_name text NOT NULL DEFAULT '',
    idempotency_key text NOT NULL DEFAULT '',
    replayed        boolean NOT NULL DEFAULT false,
    dry_run         boolean NOT NULL DEFAULT false,
    request_id      text NOT NULL DEFAULT '',
    ip              text NOT NULL DEFAULT '',
    request         text NOT NULL DEFAULT '',
    answer          text NOT NULL DEFAULT '',
    -- The log of requests: bodies are packed, many requests in a row, and stand apart. A
    -- request tells in which row its bodies are and at which place; those of before have
    -- theirs in their own row.
    packed_in       uuid,
    place           integer NOT NULL DEFAULT 0
) PARTITION BY RANGE (id);
CREATE INDEX api_requests_by_merchant ON api_requests (merchant_id, id);

CREATE TABLE api_request_bodies (
    id          uuid NOT NULL, -- the smallest of the requests in it
    merchant_id uuid NOT NULL,
    last_id     uuid NOT NULL, -- the greatest of them
    entries     integer NOT NULL,
    packed      bytea NOT NULL,
    PRIMARY KEY (merchant_id, id)
) PARTITION BY RANGE (id);
ALTER TABLE api_request_bodies ALTER COLUMN packed SET STORAGE EXTERNAL;

-- What was dropped of a merchant's chain after its time: the last link of it, and the
-- links behind that one whose entries went all the same, signed like a head. Links and
-- entries that are missing without it are missed.
CREATE TABLE audit_bases (
    merchant_id uuid PRIMARY KEY,
    n           bigint NOT NULL,
    hash        bytea NOT NULL,
    kept        bigint[] NOT NULL, -- numbers of links above n without their entries
    key_id      text NOT NULL,
    signature   bytea NOT NULL
);

-- Who did what, with what came before and after. Rows are never changed.
CREATE TABLE audit_entries (
    id          uuid NOT NULL,
    merchant_id uuid NOT NULL,
    at          timestamptz NOT NULL,
    actor_kind  text NOT NULL,
    actor_id    uuid,
    actor_name  text NOT NULL,
    ip          text NOT NULL DEFAULT '',
    request_id  text NOT NULL DEFAULT '',
    action      text NOT NULL,
    object_type text NOT NULL,
    object_id   uuid NOT NULL,
    client_id   uuid,
    purchase_id uuid,
    text        text NOT NULL,
    before      jsonb,
    after       jsonb,
    turn        bigint NOT NULL DEFAULT audit_turn(),
    PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX audit_entries_by_merchant ON audit_entries (merchant_id, id);
CREATE INDEX audit_entries_by_turn ON audit_entries USING brin (turn) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX audit_entries_of_bank_message ON audit_entries (merchant_id, object_id)
    WHERE object_type = 'bank_message';
CREATE INDEX audit_entries_of_client ON audit_entries (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_entries_of_object ON audit_entries (merchant_id, object_id, id)
    WHERE (client_id IS DISTINCT FROM object_id) AND (purchase_id IS DISTINCT FROM object_id);
CREATE INDEX audit_entries_of_person ON audit_entries (merchant_id, actor_id, id) WHERE actor_kind = 'user';
CREATE INDEX audit_entries_of_purchase ON audit_entries (merchant_id, purchase_id, id) WHERE purchase_id IS NOT NULL;

CREATE TABLE audit_links (
    merchant_id uuid NOT NULL,
    n           bigint NOT NULL,
    entry_id    uuid NOT NULL UNIQUE,
    hash        bytea NOT NULL
) PARTITION BY RANGE (entry_id);
CREATE INDEX audit_links_by_number ON audit_links (merchant_id, n);

CREATE TABLE tasks (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    kind          text NOT NULL, -- who does it
    title         text NOT NULL, -- in words
    needs         text NOT NULL, -- the permission to ask, cancel and download
    asker_id      uuid NOT NULL,
    asker         jsonb NOT NULL, -- as they were when they asked
    input_sealed  bytea, -- what was asked for
    state         text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'cancelled', 'failed')),
    stopping      boolean NOT NULL DEFAULT false, -- somebody cancelled it; it ends after the piece under way
    stopped_by    text NOT NULL DEFAULT '',
    position      jsonb NOT NULL DEFAULT '{}', -- where it goes on
    total         bigint NOT NULL DEFAULT 0, -- rows; 0: not known
    done          bigint NOT NULL DEFAULT 0, -- rows that are done with, the failed ones too
    failed        bigint NOT NULL DEFAULT 0,
    tries         integer NOT NULL DEFAULT 0, -- of the piece that is next
    note          text NOT NULL DEFAULT '', -- how it ended, for a person
    file_name     text NOT NULL DEFAULT '',
    file_type     text NOT NULL DEFAULT '',
    file_bytes    bigint NOT NULL DEFAULT 0,
    chunks        integer NOT NULL DEFAULT 0,
    downloads     integer NOT NULL DEFAULT 0,
    claim         uuid, -- who is at it
    claimed_until timestamptz,
    created_at    timestamptz NOT NULL,
    began_at      timestamptz,
    ended_at      timestamptz,
    kept_until    timestamptz, -- the file is deleted then
    updated_at    timestamptz NOT NULL
);
CREATE INDEX tasks_by_merchant ON tasks (merchant_id, id);
CREATE INDEX tasks_by_asker ON tasks (merchant_id, asker_id, updated_at);
CREATE INDEX tasks_open ON tasks (id) WHERE state IN ('waiting', 'running');
CREATE INDEX tasks_kept ON tasks (kept_until) WHERE chunks > 0;

-- The file of a task, in the order in which it was written.
CREATE TABLE task_chunks (
    task_id     uuid NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    n           integer NOT NULL,
    merchant_id uuid NOT NULL,
    content     bytea NOT NULL, -- sealed
    PRIMARY KEY (task_id, n)
);
ALTER TABLE task_chunks ALTER COLUMN content SET STORAGE EXTERNAL;

-- What one person has chosen for one list.
CREATE TABLE list_settings (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    user_id     uuid NOT NULL,
    list        text NOT NULL, -- the address of the list
    columns     text[] NOT NULL DEFAULT '{}', -- in their order; none: as the list comes
    compact     boolean NOT NULL DEFAULT false,
    page_rows   integer NOT NULL DEFAULT 0, -- rows of a page; 0: as the list comes
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, user_id, list)
);

-- Views that people saved: filters, order and columns under a name.
CREATE TABLE list_views (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    list         text NOT NULL,
    name         text NOT NULL,
    query_sealed bytea NOT NULL, -- the address behind the list; people search for identity numbers
    owner_id     uuid NOT NULL,
    owner_name   text NOT NULL,
    shared       boolean NOT NULL DEFAULT false, -- with the team
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    deleted_at   timestamptz -- until it is dropped, the deletion can be undone
);
CREATE INDEX list_views_of_list ON list_views (merchant_id, list, id);
CREATE INDEX list_views_deleted ON list_views (deleted_at) WHERE deleted_at IS NOT NULL;

-- Views that a person sees on every page.
CREATE TABLE list_view_pins (
    merchant_id uuid NOT NULL,
    user_id     uuid NOT NULL,
    view_id     uuid NOT NULL REFERENCES list_views (id) ON DELETE CASCADE,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, user_id, view_id)
);
CREATE INDEX list_view_pins_of_view ON list_view_pins (view_id);

CREATE TABLE selections (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    asker_id     uuid NOT NULL, -- it is theirs alone
    list         text NOT NULL, -- of which list
    arg          text NOT NULL DEFAULT '', -- what the list is of, such as a template
    query_sealed bytea, -- its filters; a search may hold a name or a number
    moment       timestamptz NOT NULL, -- by the product's clock: rows that came later are not in it
    chosen       bytea NOT NULL, -- ids, when each last changed, and amounts in cents: 32 bytes a row
    excluded     bytea NOT NULL, -- ids that were taken out again: 16 bytes a row
    n            bigint NOT NULL,
    cents        bigint NOT NULL,
    created_at   timestamptz NOT NULL -- by real time
);
ALTER TABLE selections ALTER COLUMN chosen SET STORAGE EXTERNAL;
CREATE INDEX selections_by_asker ON selections (merchant_id, asker_id, id);
CREATE INDEX selections_by_age ON selections (created_at);

-- A note, or a call: a note with an outcome.
CREATE TABLE notes (
    id          uuid NOT NULL,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    object_type text NOT NULL, -- what it is about: client, purchase, debit, mandate, token, invoice …
    object_id   uuid NOT NULL,
    client_id   uuid, -- whose page shows it
    purchase_id uuid, -- on whose page it is shown as well
    text        text NOT NULL,
    outcome     text NOT NULL DEFAULT '', -- of a call: reached, no_answer …
    phone       text NOT NULL DEFAULT '', -- that was called
    author_id   uuid,
    author      text NOT NULL, -- their name
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, id)
);
CREATE INDEX notes_by_object ON notes (merchant_id, object_id, id);
CREATE INDEX notes_by_client ON notes (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX notes_by_purchase ON notes (merchant_id, purchase_id, id) WHERE purchase_id IS NOT NULL;

-- What a client promised to pay. That of a purchase is over when the purchase is paid.
CREATE TABLE promises (
    id           uuid NOT NULL,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    client_id    uuid,
    purchase_id  uuid,
    amount_cents bigint NOT NULL CHECK (amount_cents > 0),
    currency     text NOT NULL,
    due_on       date NOT NULL,
    state        text NOT NULL CHECK (state IN ('open', 'kept', 'broken', 'withdrawn')),
    text         text NOT NULL DEFAULT '',
    author_id    uuid,
    author       text NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, id)
);
CREATE INDEX promises_by_day ON promises (merchant_id, due_on, id);
CREATE INDEX promises_by_client ON promises (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX promises_open ON promises (merchant_id, purchase_id)
    WHERE state = 'open' AND purchase_id IS NOT NULL;

-- Who looks after a client, a purchase, an account …
CREATE TABLE owners (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    object_id   uuid NOT NULL,
    object_type text NOT NULL,
    owner_id    uuid NOT NULL, -- somebody of the team
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, object_id)
);
CREATE INDEX owners_by_person ON owners (merchant_id, owner_id);

-- What was put off or closed of what needs attention. It holds for what waited at that time: what happens anew is shown
-- again.
CREATE TABLE followups (
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    object_id    uuid NOT NULL,
    kind         text NOT NULL, -- as in attention
    at           timestamptz NOT NULL, -- as attention had it
    state        text NOT NULL CHECK (state IN ('open', 'snoozed', 'closed')),
    hidden_until date NOT NULL, -- infinity: it was closed
    reason       text NOT NULL DEFAULT '', -- why it was closed
    actor_id     uuid,
    actor        text NOT NULL, -- their name
    acted_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, object_id, kind)
);
CREATE INDEX followups_by_moment ON followups (merchant_id, acted_at);

-- What a person opened last, for that person alone.
CREATE TABLE recently_opened (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    object_id   uuid NOT NULL,
    kind        text NOT NULL, -- client, purchase, mandate, token, batch, template
    opened_at   timestamptz NOT NULL, -- real time
    PRIMARY KEY (merchant_id, user_id, object_id)
);

-- A purchase of no amount only stores an account or asks for a mandate. The list of purchases leaves them out, so
-- they are counted by status too, in the manner of purchase_counts. The triggers run for these purchases alone.
CREATE TABLE storing_counts (
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    n           bigint NOT NULL,
    PRIMARY KEY (merchant_id, status)
);

CREATE TABLE storing_count_deltas (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    delta       bigint NOT NULL
);

-- What the purchases of each status come to, in cents of rand, beside how many they are: the foot of their list says
-- it. The trigger that writes how the numbers change writes how the sums change, too, in the same row. When such rows
-- are folded, their sums move into a table of their own, whichever release folds them: one that knows of no sums may
-- still run beside this one.
CREATE TABLE purchase_sums (
    merchant_id uuid NOT NULL,
    status      text NOT NULL,
    cents       numeric NOT NULL,
    PRIMARY KEY (merchant_id, status)
);

-- What ceased to wait because it was solved, whoever or whatever solved it. One row for each thing and why it waited.
CREATE TABLE attention_solved (
    merchant_id uuid NOT NULL,
    object_id   uuid NOT NULL,
    kind        text NOT NULL, -- as in attention
    cents       bigint NOT NULL, -- as attention had them
    currency    text NOT NULL,
    solved_at   timestamptz NOT NULL, -- the product's clock, when the sweep came by
    PRIMARY KEY (merchant_id, object_id, kind)
);
CREATE INDEX attention_solved_by_moment ON attention_solved (merchant_id, solved_at);

-- How many things wait, and what they come to, is kept beside them, so that no page counts them. The sweep is the only
-- writer of attention, one process at a time, and its triggers keep the counts: they never keep a booking waiting. What
-- changed since is taken off and added anew by who reads, as for the things themselves.
CREATE TABLE attention_counts (
    merchant_id  uuid NOT NULL,
    day          date NOT NULL, -- see attention_days
    kind         text NOT NULL,
    owner_id     uuid NOT NULL, -- zero: nobody looks after it
    hidden_until date NOT NULL,
    n            bigint NOT NULL,
    cents        numeric NOT NULL, -- of rands alone
    PRIMARY KEY (merchant_id, day, kind, owner_id, hidden_until)
);

-- Parts of the balance, by the day on which they grew or shrank. Of what may be returned, since is the debit date: a
-- debit may be returned for a few weeks, so what stood at the end of a day is found among the debit dates before it. Of
-- what is owed, since is the day itself; 'owed by month' are its months, each at its first day.
CREATE TABLE part_days (
    merchant_id uuid NOT NULL,
    part        text NOT NULL, -- returnable, owed, owed by month
    since       date NOT NULL,
    day         date NOT NULL,
    currency    text NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    PRIMARY KEY (merchant_id, part, since, day, currency)
);

CREATE TABLE part_day_deltas (
    merchant_id uuid NOT NULL,
    part        text NOT NULL,
    since       date NOT NULL,
    day         date NOT NULL,
    currency    text NOT NULL,
    n           bigint NOT NULL,
    cents       numeric NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);

-- Debits that may be returned and of which something went back to the client, or is on its way.
CREATE TABLE refunded_debits (
    merchant_id    uuid NOT NULL,
    collection_id  uuid NOT NULL,
    since          date NOT NULL,
    currency       text NOT NULL,
    amount_cents   bigint NOT NULL,
    refunded_cents bigint NOT NULL,
    PRIMARY KEY (merchant_id, collection_id)
);

-- Subscribers that will be billed alike: on the same days, for the same price. The plan of their template is fixed.
CREATE TABLE billing_groups (
    merchant_id uuid NOT NULL,
    next_at     timestamptz NOT NULL,
    template_id uuid NOT NULL,
    status      text NOT NULL,
    month_day   smallint NOT NULL, -- of the anchor: months that are long enough bill on it
    remaining   integer NOT NULL, -- periods that will still be billed; -1: endless
    price       text NOT NULL, -- of those with a price of their own, its digest
    override    jsonb, -- that price
    n           bigint NOT NULL,
    PRIMARY KEY (merchant_id, next_at, template_id, status, month_day, remaining, price)
);

CREATE TABLE billing_group_deltas (
    merchant_id uuid NOT NULL,
    next_at     timestamptz NOT NULL,
    template_id uuid NOT NULL,
    status      text NOT NULL,
    month_day   smallint NOT NULL,
    remaining   integer NOT NULL,
    price       text NOT NULL,
    override    jsonb,
    n           bigint NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (merchant_id, id)
);

-- Each change that a person makes in the rows of a draft, with the rows as they were. Gone when the batch is sent.
CREATE TABLE batch_mends (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL,
    batch_id    uuid NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    revision    integer NOT NULL, -- of the batch: their order
    text        text NOT NULL, -- what was done, in words without names
    who         text NOT NULL,
    rows        jsonb NOT NULL, -- their numbers
    was_sealed  bytea NOT NULL, -- the rows before
    created_at  timestamptz NOT NULL
);
CREATE INDEX batch_mends_of_batch ON batch_mends (merchant_id, batch_id, revision);

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

-- A difference of a day that a person has accepted, for as long as it is the same.
CREATE TABLE bank_day_notes (
    merchant_id uuid NOT NULL,
    day         date NOT NULL,
    cents       bigint NOT NULL,
    note        text NOT NULL,
    noted_by    text NOT NULL,
    noted_at    timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, day)
);

CREATE TABLE client_stops (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    state       text NOT NULL CHECK (state IN ('standing', 'undone')),
    changed     jsonb NOT NULL, -- debits, subscribers and tokens that the stop changed
    reason      text NOT NULL,
    asked_by    uuid NOT NULL,
    asked_name  text NOT NULL,
    approval_id uuid,
    approver    text NOT NULL DEFAULT '',
    ended_by    uuid,
    ended_name  text NOT NULL DEFAULT '',
    ended_at    timestamptz,
    created_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX client_stops_one ON client_stops (merchant_id, client_id) WHERE state = 'standing';
CREATE INDEX client_stops_by_client ON client_stops (client_id);

-- The stricter values that a business chose in the place of the scheme's: from when to when, by whom, and since when it
-- is known. A row is never changed but for its end; one that was replaced or taken back before it began is empty.
CREATE TABLE own_rules (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    key         text NOT NULL,
    value       bigint NOT NULL CHECK (value >= 0),
    from_day    date NOT NULL,
    to_day      date, -- exclusive; NULL: until further notice
    created_at  timestamptz NOT NULL,
    created_by  text NOT NULL,
    ended_at    timestamptz,
    ended_by    text NOT NULL DEFAULT '',
    replaced    boolean NOT NULL DEFAULT false, -- it ends since another value takes its place
    CONSTRAINT own_rules_check CHECK (to_day >= from_day),
    CONSTRAINT own_rules_one_a_day EXCLUDE USING gist (int8range((hashtextextended(((merchant_id)::text || key),
        (0)::bigint) >> 1), (hashtextextended(((merchant_id)::text || key), (0)::bigint) >> 1), '[]') WITH &&,
        daterange(from_day, to_day) WITH &&)
);
CREATE INDEX own_rules_of_merchant ON own_rules (merchant_id, key, from_day);

-- Who is told of a price from a date on, once each: written with the change, and sent some hundred at a time.
CREATE TABLE price_letters (
    change_id   uuid NOT NULL,
    n           integer NOT NULL, -- the place among the letters of the change
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    template_id uuid NOT NULL REFERENCES billing_templates (id),
    client_id   uuid NOT NULL,
    from_day    date NOT NULL,
    words       jsonb NOT NULL, -- what the client reads: no name, and no number
    state       text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'told', 'ended')),
    CONSTRAINT price_letters_change_id_client_id_key UNIQUE (change_id, client_id),
    PRIMARY KEY (change_id, n)
);
CREATE INDEX price_letters_waiting ON price_letters (change_id, n) WHERE state = 'waiting';
CREATE INDEX price_letters_of_template ON price_letters (merchant_id, template_id, change_id);
CREATE INDEX price_letters_over ON price_letters (from_day) WHERE state <> 'waiting';
CREATE INDEX price_letters_by_client ON price_letters (client_id);

-- Each place in a document that tells of a movement, so that two kinds of documents tell of one movement and two places
-- in one document of two.
CREATE TABLE bank_tellings (
    key      text PRIMARY KEY, -- the place: the same after every reading
    alike    text NOT NULL, -- account, day, direction, amount and currency
    entry_id uuid NOT NULL,
    told     text NOT NULL -- report, statement or notice
);
CREATE INDEX bank_tellings_alike ON bank_tellings (alike);
CREATE INDEX bank_tellings_of_entry ON bank_tellings (entry_id);

-- Two records of the same client that were made one: what moved, and what the kept one was before, so that it can be
-- undone for an hour.
CREATE TABLE client_merges (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    kept_id       uuid NOT NULL,
    gone_id       uuid NOT NULL,
    gone_name     text NOT NULL, -- what the gone one was called
    moved         jsonb NOT NULL, -- keys of the rows that moved, by table; empty once it cannot be undone
    before_sealed bytea, -- details of the kept one before; null once it cannot be undone
    kept_was      timestamptz NOT NULL, -- when the kept one had been changed last
    gone_was      timestamptz NOT NULL,
    made_by       uuid NOT NULL,
    made_name     text NOT NULL,
    made_at       timestamptz NOT NULL,
    undo_until    timestamptz NOT NULL,
    undone_by     uuid,
    undone_name   text NOT NULL DEFAULT '',
    undone_at     timestamptz
);
CREATE UNIQUE INDEX client_merges_gone ON client_merges (merchant_id, gone_id) WHERE undone_at IS NULL;
CREATE INDEX client_merges_kept ON client_merges (merchant_id, kept_id, id);
CREATE INDEX client_merges_to_empty ON client_merges (undo_until) WHERE before_sealed IS NOT NULL;

-- The client's own page: links to it, of which only a hash is kept, and what they open. Moments are real time, so that
-- moving the sandbox's clock ends no link and opens none.
CREATE TABLE client_page_links (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    brand_id    uuid NOT NULL, -- in whose name it was sent
    token_hash  bytea NOT NULL UNIQUE,
    purpose     text NOT NULL CHECK (purpose IN ('sent', 'asked')), -- staff sent it, or the client asked for it
    asked_by    text NOT NULL, -- the name of the person of the team, or "Client"
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    opened_at   timestamptz, -- first
    revoked_at  timestamptz,
    revoked_why text NOT NULL DEFAULT '' -- staff, contact, gone
);
CREATE INDEX client_page_links_by_client ON client_page_links (merchant_id, client_id, id);
CREATE INDEX client_page_links_over ON client_page_links (expires_at);

CREATE TABLE client_page_sessions (
    token_hash  bytea PRIMARY KEY,
    link_id     uuid NOT NULL REFERENCES client_page_links (id) ON DELETE CASCADE,
    merchant_id uuid NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
);
CREATE INDEX client_page_sessions_of_link ON client_page_sessions (link_id);

-- What clients may do on the page of a brand. A brand without a row has the usual settings.
CREATE TABLE client_page_settings (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    brand_id    uuid PRIMARY KEY REFERENCES brands (id) ON DELETE CASCADE,
    acts        jsonb NOT NULL, -- {"promise": "on", "pause": "off", "day": "ask", …}
    version     integer NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL
);

-- What a client asked for on the page: it is done once the code is entered that was mailed to the address on file.
CREATE TABLE client_page_acts (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    brand_id    uuid NOT NULL,
    link_id     uuid, -- by whose session it was asked; null once the link is deleted
    kind        text NOT NULL, -- promise, invoice, day, stop, pause, account, details, privacy
    object_id   uuid, -- the purchase, the subscription or the token
    wish        jsonb NOT NULL, -- what was typed
    state       text NOT NULL CHECK (state IN ('asked', 'done', 'over')),
    code_hash   bytea, -- null when it is done or over
    tries       smallint NOT NULL DEFAULT 0, -- wrong codes
    asked_at    timestamptz NOT NULL, -- real time, as the next two
    expires_at  timestamptz NOT NULL,
    done_at     timestamptz,
    made_id     uuid -- what came of it: a promise, the purchase that takes the new account, a request
);
CREATE UNIQUE INDEX client_page_acts_one ON client_page_acts (merchant_id, client_id) WHERE state = 'asked';
CREATE INDEX client_page_acts_by_client ON client_page_acts (merchant_id, client_id, asked_at);
CREATE INDEX client_page_acts_of_object ON client_page_acts (merchant_id, object_id) WHERE state = 'done';

-- What clients ask of the business, by whatever channel: privacy requests, which the law wants answered within 30 days
-- (POPIA), and what they may ask for on their own page. A request stays until a person has answered it.
CREATE TABLE client_requests (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    kind        text NOT NULL, -- objection, correction, deletion, access; day, stop, pause, account
    channel     text NOT NULL, -- page, phone, mail, letter, person
    object_id   uuid, -- the purchase, subscription or token that it is about
    about       text NOT NULL DEFAULT '', -- what that is called, and the day that was asked for
    text        text NOT NULL DEFAULT '', -- what the client said
    received_on date NOT NULL,
    due_on      date NOT NULL,
    state       text NOT NULL CHECK (state IN ('open', 'answered', 'withdrawn')),
    answer      text NOT NULL DEFAULT '',
    answered_on date,
    answered_by text NOT NULL DEFAULT '',
    answerer_id uuid,
    recorded_by text NOT NULL, -- the client, or the person of the team who wrote it down
    version     integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX client_requests_open ON client_requests (merchant_id, due_on, id) WHERE state = 'open';
CREATE INDEX client_requests_by_client ON client_requests (merchant_id, client_id, id);
CREATE INDEX client_requests_newest ON client_requests (merchant_id, id);

-- Bringing a book in: the clients, accounts, mandates and subscriptions that a business has elsewhere. The rows are the
-- truth; what the import counts is counted from them in the transaction that changes them.
CREATE TABLE book_imports (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    brand_id     uuid NOT NULL REFERENCES brands (id),
    name         text NOT NULL, -- of the file, as a person sees it
    state        text NOT NULL
        CHECK (state IN ('mapping', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'discarded')),
    format       jsonb NOT NULL, -- how the file was read, with its heading
    mapping      jsonb NOT NULL, -- which column means what
    header_hash  bytea NOT NULL, -- finds the mapping of the same heading again
    content_hash bytea NOT NULL, -- finds the same file again
    cut_over     date NOT NULL, -- the first day on which this product may debit what came in
    counts       jsonb NOT NULL DEFAULT '{}', -- counted from the rows
    total_rows   integer NOT NULL DEFAULT 0,
    check_sum    text NOT NULL DEFAULT '', -- what the line of totals says against the rows
    revision     integer NOT NULL DEFAULT 0, -- grows with every change of a row
    fingerprint  bytea NOT NULL DEFAULT '\x', -- of what was rehearsed, once it is checked
    templates    jsonb NOT NULL DEFAULT '[]', -- that it made
    live         jsonb NOT NULL DEFAULT '[]', -- groups that were switched on
    kept         jsonb NOT NULL DEFAULT '[]', -- what undoing left, and why
    note         text NOT NULL DEFAULT '',
    creator      jsonb NOT NULL,
    starter      jsonb,
    hands        jsonb NOT NULL DEFAULT '[]', -- who worked on it: none of them approves it
    task_id      uuid, -- the long work that goes on
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    started_at   timestamptz,
    ended_at     timestamptz,
    undone_at    timestamptz,
    emptied_at   timestamptz, -- when the rows of the file were deleted
    -- What reading the file of an import found where its layout is known: check sums, what was left out, what it warns of.
    source       jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX book_imports_by_merchant ON book_imports (merchant_id, id);

CREATE TABLE book_import_rows (
    merchant_id   uuid NOT NULL,
    import_id     uuid NOT NULL REFERENCES book_imports (id),
    n             integer NOT NULL, -- as a spreadsheet numbers it
    cells         bytea NOT NULL, -- sealed: account and identity numbers are among them
    broken        jsonb, -- what was wrong with how the row is written
    numbers       jsonb, -- columns that a workbook keeps as numbers
    state         text NOT NULL CHECK (state IN ('new', 'judged', 'applied', 'undone')),
    verdict       text NOT NULL DEFAULT ''
        CHECK (verdict IN ('', 'created', 'updated', 'unchanged', 'skipped', 'refused', 'held')),
    left_out      boolean NOT NULL DEFAULT false, -- a person left it out
    choices       jsonb, -- what a person chose, by cause
    findings      jsonb, -- everything about the row, numbers left out
    causes        text[] NOT NULL DEFAULT '{}', -- of what keeps it out
    warned        text[] NOT NULL DEFAULT '{}', -- of what does not
    changes       jsonb, -- old and new, numbers masked
    name          text NOT NULL DEFAULT '',
    group_name    text NOT NULL DEFAULT '',
    debitable     boolean NOT NULL DEFAULT false, -- it makes an account that can be debited
    cents         bigint NOT NULL DEFAULT 0, -- of each debit of its subscription
    first_on      date, -- the first debit that it plans
    digest        bytea, -- of everything that the row does
    client_id     uuid,
    token_id      uuid,
    subscriber_id uuid,
    undo_sealed   bytea, -- what was there before
    reason        text NOT NULL DEFAULT '', -- why it is skipped, refused or held, or was left by an undo
    asked_at      timestamptz,
    ask_refused   text NOT NULL DEFAULT '',
    PRIMARY KEY (import_id, n)
) WITH (fillfactor = 80);
CREATE INDEX book_import_rows_by_verdict ON book_import_rows (import_id, verdict, n);
CREATE INDEX book_import_rows_by_client ON book_import_rows (client_id) WHERE client_id IS NOT NULL;

-- What a person chose for a heading, for the next file that has it.
CREATE TABLE book_mappings (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    header_hash bytea NOT NULL,
    mapping     jsonb NOT NULL,
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

CREATE TABLE plans (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    name        text NOT NULL,
    brand_id    uuid REFERENCES brands (id), -- null: every brand
    template_id uuid REFERENCES billing_templates (id), -- null: whatever is not of a template with a plan
    state       text NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
    version     integer NOT NULL CHECK (version > 0), -- that new runs follow
    -- basis points of the clients
    hold_out    integer NOT NULL DEFAULT 0 CHECK ((hold_out >= 0) AND hold_out <= 5000),
    salt        text NOT NULL, -- of the hash that chooses them
    created_at  timestamptz NOT NULL,
    created_by  text NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX plans_of_merchant ON plans (merchant_id, id);
CREATE UNIQUE INDEX plans_one ON plans (merchant_id, COALESCE(brand_id,
    '00000000-0000-0000-0000-000000000000'::uuid), COALESCE(template_id,
    '00000000-0000-0000-0000-000000000000'::uuid)) WHERE state <> 'ended';

CREATE TABLE plan_versions (
    plan_id     uuid NOT NULL REFERENCES plans (id),
    n           integer NOT NULL,
    merchant_id uuid NOT NULL,
    steps       jsonb NOT NULL, -- by class of reason
    created_at  timestamptz NOT NULL,
    created_by  text NOT NULL,
    PRIMARY KEY (plan_id, n)
);

CREATE TABLE plan_runs (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    plan_id       uuid NOT NULL REFERENCES plans (id),
    version       integer NOT NULL,
    purchase_id   uuid NOT NULL REFERENCES purchases (id),
    client_id     uuid,
    token_id      uuid NOT NULL,
    mandate_id    uuid NOT NULL,
    subscriber_id uuid,
    collection_id uuid NOT NULL, -- the debit that failed last
    method        text NOT NULL,
    branch        text NOT NULL, -- whose steps it follows
    cause         text NOT NULL,
    code          text NOT NULL, -- the bank's
    failed_on     date NOT NULL, -- the first debit that failed
    day           date NOT NULL, -- from which the next step counts
    step          integer NOT NULL DEFAULT 0, -- steps that are over
    state         text NOT NULL CHECK (state IN ('waiting', 'held', 'with_person', 'ended')),
    held_for      text NOT NULL DEFAULT '' CHECK (held_for IN ('', 'promise', 'debit', 'person')),
    held_until    date, -- the first day on which it goes on
    due_at        timestamptz, -- when the next step is looked at
    debit_on      date, -- the debit that the next step is to make
    end_reason    text NOT NULL DEFAULT '',
    failures      integer NOT NULL DEFAULT 1,
    started_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    CONSTRAINT plan_runs_check CHECK ((state = 'ended') = (ended_at IS NOT NULL)),
    CONSTRAINT plan_runs_check1 CHECK ((state = 'held') = (held_for <> ''))
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX plan_runs_one ON plan_runs (purchase_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_due ON plan_runs (due_at, id) WHERE state = 'waiting';
CREATE INDEX plan_runs_held ON plan_runs (held_until, id) WHERE state = 'held' AND held_until IS NOT NULL;
CREATE INDEX plan_runs_of_plan ON plan_runs (merchant_id, plan_id, id);
CREATE INDEX plan_runs_of_purchase ON plan_runs (purchase_id, id);
CREATE INDEX plan_runs_of_client ON plan_runs (client_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_of_token ON plan_runs (token_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_of_mandate ON plan_runs (mandate_id) WHERE state <> 'ended';
CREATE INDEX plan_runs_of_subscriber ON plan_runs (subscriber_id) WHERE state <> 'ended';

-- What became of each step: done with what it made, or why it was not. A step is over once.
CREATE TABLE plan_steps (
    run_id      uuid NOT NULL REFERENCES plan_runs (id),
    n           integer NOT NULL,
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    outcome     text NOT NULL CHECK (outcome IN ('done', 'refused', 'skipped')),
    why         text NOT NULL DEFAULT '',
    rules       text NOT NULL DEFAULT '', -- keys of the rulebook
    made_id     uuid, -- the debit that it planned
    made_for    date, -- its day
    cents       bigint NOT NULL DEFAULT 0,
    planned_on  date NOT NULL,
    decided_at  timestamptz NOT NULL,
    decided_by  text NOT NULL,
    PRIMARY KEY (run_id, n)
);
CREATE INDEX plan_steps_of_merchant ON plan_steps (merchant_id, run_id, n);

CREATE TABLE sms_messages (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    brand_id      uuid,
    client_id     uuid, -- whose time line shows it
    purchase_id   uuid,
    object_id     uuid NOT NULL, -- with kind and attempt: one cause, one message
    kind          text NOT NULL,
    attempt       integer NOT NULL,
    recipient     text NOT NULL, -- +27 and nine digits; empty: erased
    text_sealed   bytea, -- NULL: it is not kept any more
    encoding      text NOT NULL,
    parts         integer NOT NULL,
    state         text NOT NULL CHECK (state IN ('queued', 'sent', 'delivered', 'failed', 'expired', 'skipped')),
    why           text NOT NULL DEFAULT '',
    tries         integer NOT NULL DEFAULT 0,
    provider      text NOT NULL DEFAULT '',
    provider_id   text NOT NULL DEFAULT '',
    created_at    timestamptz NOT NULL,
    not_before    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    sent_at       timestamptz,
    done_at       timestamptz,
    claimed_until timestamptz, -- real time
    handed_at     timestamptz, -- real time: since then the provider may have it
    counted_on    date, -- the day whose limit it uses
    CONSTRAINT sms_messages_object_id_kind_attempt_key UNIQUE (object_id, kind, attempt)
);
CREATE INDEX sms_messages_due ON sms_messages (not_before, id) WHERE state = 'queued';
CREATE INDEX sms_messages_by_merchant ON sms_messages (merchant_id, id);
CREATE INDEX sms_messages_by_client ON sms_messages (merchant_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX sms_messages_by_purchase ON sms_messages (merchant_id, purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX sms_messages_by_number ON sms_messages (recipient, id);
CREATE INDEX sms_messages_by_provider ON sms_messages (provider, provider_id) WHERE provider_id <> '';

-- What clients answered. A reply is kept once, however often the provider tells of it.
CREATE TABLE sms_replies (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid,
    phone       text NOT NULL, -- +27 and nine digits; empty: erased
    text_sealed bytea,
    wish        text NOT NULL DEFAULT '', -- stop, start
    provider    text NOT NULL,
    provider_id text NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT sms_replies_provider_provider_id_key UNIQUE (provider, provider_id)
);
CREATE INDEX sms_replies_by_merchant ON sms_replies (merchant_id, id);
CREATE INDEX sms_replies_by_client ON sms_replies (merchant_id, client_id, id) WHERE client_id IS NOT NULL;

-- Numbers to which a business sends no SMS, because their owner asked.
CREATE TABLE sms_blocks (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    phone       text NOT NULL,
    since       timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, phone)
);

-- A business without a row has the usual settings.
CREATE TABLE sms_settings (
    merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
    daily_parts integer NOT NULL CHECK (daily_parts >= 0),
    wide_hours  boolean NOT NULL,
    version     integer NOT NULL,
    updated_at  timestamptz NOT NULL
);

-- Parts that went out on a day, held against the limit.
CREATE TABLE sms_days (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    day         date NOT NULL,
    parts       integer NOT NULL,
    PRIMARY KEY (merchant_id, day)
);

-- The secret address at which the provider tells of messages, of which only a hash is kept: the newest one counts.
CREATE TABLE sms_addresses (
    token_hash bytea PRIMARY KEY,
    made_at    timestamptz NOT NULL
);

-- Scans of mandates that come with an import. Each is kept sealed until its row is done; its content is then kept with
-- the mandate, under the same id, and is empty here.
CREATE TABLE book_scans (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    import_id    uuid NOT NULL REFERENCES book_imports (id),
    name         text NOT NULL,
    key          text NOT NULL, -- of the row, as the name says it
    content_type text NOT NULL,
    size_bytes   bigint NOT NULL,
    sha256       bytea NOT NULL,
    content      bytea NOT NULL,
    n            integer NOT NULL DEFAULT 0, -- the row; 0: none; -1: several
    created_at   timestamptz NOT NULL,
    CONSTRAINT book_scans_import_id_key_sha256_key UNIQUE (import_id, key, sha256)
);
CREATE INDEX book_scans_by_row ON book_scans (import_id, n);

-- The link with which an installation without any user gets its first business and admin. Only a hash of it is kept,
-- and only of the newest. Moments are real time, so that moving the sandbox's clock ends no link and opens none.
CREATE TABLE first_links (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE TABLE book_settings (
    merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
    -- month of the financial year
    year_starts smallint NOT NULL DEFAULT 3 CHECK ((year_starts >= 1) AND year_starts <= 12),
    tax_rate    text NOT NULL DEFAULT 'No VAT', -- what the package calls a line without tax
    -- What the package calls the tax of a sale at the standard rate, for its sales invoices.
    sales_tax   text NOT NULL DEFAULT 'Standard Rate Sales'
);

CREATE TABLE book_accounts (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    role        text NOT NULL,
    brand_id    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- zero: every brand
    code        text NOT NULL,
    name        text NOT NULL,
    PRIMARY KEY (merchant_id, role, brand_id)
);

-- Months that were closed, with what each role came to by then. A reopened one stays as a record.
CREATE TABLE book_closings (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    month         date NOT NULL CHECK (EXTRACT(day FROM month) = (1)::numeric),
    entries       bigint NOT NULL, -- of all time until then
    balances      jsonb NOT NULL, -- {"ZAR": {"clr": 64900, ...}}
    closed_at     timestamptz NOT NULL,
    closed_by     text NOT NULL,
    reopened_at   timestamptz,
    reopened_by   text NOT NULL DEFAULT '',
    reopen_reason text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX book_closings_in_force ON book_closings (merchant_id, month) WHERE reopened_at IS NULL;

CREATE TABLE journal_entries (
    n           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id uuid NOT NULL,
    kind        text NOT NULL,
    source_id   uuid NOT NULL, -- the ledger entry, document or refund that it is of
    turn        smallint NOT NULL DEFAULT 1, -- a refund may be dropped and asked for again
    brand_id    uuid NOT NULL,
    purchase_id uuid NOT NULL,
    day         date NOT NULL, -- it is booked on; always in an open month
    true_day    date NOT NULL, -- it was
    at          timestamptz NOT NULL,
    currency    text NOT NULL,
    code        text NOT NULL DEFAULT '', -- the bank's
    -- Cents by role: above zero is a debit, below zero a credit.
    ar          bigint NOT NULL DEFAULT 0, -- debtors
    clr         bigint NOT NULL DEFAULT 0, -- collections in transit
    bank        bigint NOT NULL DEFAULT 0, -- paid outside the debit orders
    rev         bigint NOT NULL DEFAULT 0, -- revenue
    vato        bigint NOT NULL DEFAULT 0, -- output VAT
    vatd        bigint NOT NULL DEFAULT 0, -- VAT not yet due
    fee         bigint NOT NULL DEFAULT 0, -- fees
    refp        bigint NOT NULL DEFAULT 0, -- refunds payable
    unap        bigint NOT NULL DEFAULT 0, -- received, not allocated
    bad         bigint NOT NULL DEFAULT 0, -- bad debts
    rec         bigint NOT NULL DEFAULT 0, -- bad debts recovered
    open        bigint NOT NULL DEFAULT 0, -- take-on
    -- The invoice was on payments basis.
    deferred    boolean NOT NULL DEFAULT false,
    CONSTRAINT journal_entries_source_id_kind_turn_key UNIQUE (source_id, kind, turn),
    CONSTRAINT journal_entries_sum_zero
        CHECK ((((((((((((ar + clr) + bank) + rev) + vato) + vatd) + fee) + refp) + unap) + bad) + rec) + open) = 0)
);
CREATE INDEX journal_entries_by_day ON journal_entries (merchant_id, day, n);
CREATE INDEX journal_entries_by_purchase ON journal_entries (purchase_id) INCLUDE (ar, unap);

CREATE TABLE book_vat_bases (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    from_day    date NOT NULL,
    payments    boolean NOT NULL, -- false: invoice basis, which is also what holds before the first
    PRIMARY KEY (merchant_id, from_day)
);

-- What was written off of a purchase; below zero it is a write-off that was taken back.
CREATE TABLE write_offs (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    purchase_id  uuid NOT NULL REFERENCES purchases (id),
    amount_cents bigint NOT NULL CHECK (amount_cents <> 0),
    vat_cents    bigint NOT NULL, -- the share of the VAT of its invoice
    currency     text NOT NULL,
    day          date NOT NULL,
    reason       text NOT NULL,
    by_name      text NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX write_offs_by_purchase ON write_offs (purchase_id);
CREATE INDEX write_offs_by_merchant ON write_offs (merchant_id, created_at);

CREATE TABLE clients_apart (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    first_id    uuid NOT NULL, -- the smaller id of the two
    later_id    uuid NOT NULL,
    by_id       uuid NOT NULL,
    by_name     text NOT NULL,
    at          timestamptz NOT NULL,
    CONSTRAINT clients_apart_check CHECK (first_id < later_id),
    PRIMARY KEY (merchant_id, first_id, later_id)
);
CREATE INDEX clients_apart_later ON clients_apart (merchant_id, later_id);
CREATE INDEX clients_apart_newest ON clients_apart (merchant_id, at DESC);

CREATE TABLE issuers (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL REFERENCES merchants (id),
    name          text NOT NULL, -- on its button
    issuer        text NOT NULL, -- its address, which never changes: subjects are its own
    client_id     text NOT NULL,
    client_secret bytea, -- sealed; null: a public client, with PKCE alone
    enabled       boolean NOT NULL DEFAULT true,
    domains       text[] NOT NULL DEFAULT '{}', -- of the e-mail addresses that it may speak for, in lower case
    forced        boolean NOT NULL DEFAULT false, -- passwords of these domains no longer open the business
    provisions    boolean NOT NULL DEFAULT false, -- adds people who sign in for the first time
    trusts_email  boolean NOT NULL DEFAULT false, -- addresses count as verified though it does not say so
    trusts_mfa    boolean NOT NULL DEFAULT false, -- whoever comes from it counts as proven
    groups_claim  text NOT NULL DEFAULT '',
    group_roles   jsonb NOT NULL DEFAULT '[]', -- [{"group", "role"}]; the first that fits counts
    usual_role    text NOT NULL DEFAULT '', -- where no group fits; empty: refused
    session_hours integer NOT NULL DEFAULT 12 CHECK ((session_hours >= 1) AND session_hours <= 168),
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz
);
CREATE INDEX issuers_by_merchant ON issuers (merchant_id, id) WHERE deleted_at IS NULL;

-- Who somebody is at an issuer: recognised by the subject alone once linked. Without a merchant it is the issuer of the
-- installation, which has no row above.
CREATE TABLE issuer_people (
    issuer_id    uuid NOT NULL,
    subject      text NOT NULL,
    user_id      uuid NOT NULL REFERENCES users (id),
    merchant_id  uuid REFERENCES merchants (id),
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    CONSTRAINT issuer_people_once UNIQUE (issuer_id, user_id),
    PRIMARY KEY (issuer_id, subject),
    CONSTRAINT issuer_people_user_id_merchant_id_fkey FOREIGN KEY (user_id, merchant_id)
        REFERENCES memberships (user_id, merchant_id) ON DELETE CASCADE
);
CREATE INDEX issuer_people_by_user ON issuer_people (user_id);

-- What counts once: the state of a sign-in, and the number of a message that somebody signed out at the issuer.
CREATE TABLE issuer_once (
    hash       bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX issuer_once_over ON issuer_once (expires_at);

-- The parts of tables that are kept by month: everything until the end of this month or the next, a month, and what
-- lies ahead.
-- +goose StatementBegin
DO $$
DECLARE
    bound uuid := month_bound(now() + interval '7 days', 1);
    next uuid := month_bound(now() + interval '7 days', 2);
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['api_requests', 'api_request_bodies', 'audit_entries', 'audit_links'] LOOP
        PERFORM history_part(parent, parent || '_first', NULL, bound);
        PERFORM history_part(parent, parent || to_char(time_of_id(bound) AT TIME ZONE 'UTC', '"_"YYYY"_"MM'), bound,
        next);
        PERFORM history_part(parent, parent || '_ahead', next, NULL);
    END LOOP;
END $$;
-- +goose StatementEnd

INSERT INTO sandbox_clock (offset_micros) VALUES (0);
INSERT INTO audit_turns (base) VALUES (0);
INSERT INTO audit_progress (turn, entry_id) VALUES (-1, '00000000-0000-0000-0000-000000000000');
INSERT INTO figure_sweep VALUES (true, pg_current_snapshot(), pg_current_xact_id());

-- +goose Down
