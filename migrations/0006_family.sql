-- +goose Up
-- Billing templates with their subscribers, events with their webhooks, the log of
-- requests, and statements: the rest of the API family.

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
    details         jsonb NOT NULL,               -- what stands in "purchase", as purchases keep it
    options         jsonb NOT NULL,
    issued          date,                         -- of one-time invoices; null: the day they are sent
    due             timestamptz,                  -- of one-time invoices
    period          integer NOT NULL CHECK (period BETWEEN 1 AND 256),
    period_units    text NOT NULL CHECK (period_units IN ('days', 'weeks', 'months')),
    due_period      integer NOT NULL CHECK (due_period BETWEEN 1 AND 256),
    due_units       text NOT NULL CHECK (due_units IN ('days', 'weeks', 'months')),
    charge_at_end   boolean NOT NULL,
    trial_periods   integer NOT NULL CHECK (trial_periods BETWEEN 0 AND 256),
    cycles          integer CHECK (cycles > 0),   -- null: endless
    paused          boolean NOT NULL,
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz
);
CREATE INDEX billing_templates_by_merchant ON billing_templates (merchant_id, id);

CREATE TABLE template_clients (
    id            uuid PRIMARY KEY,
    merchant_id   uuid NOT NULL,
    template_id   uuid NOT NULL REFERENCES billing_templates (id),
    client_id     uuid NOT NULL REFERENCES clients (id),
    status        text NOT NULL CHECK (status IN ('pending', 'active', 'subscription_paused', 'inactive')),
    why           text NOT NULL DEFAULT '',       -- how it came to inactive or paused: payer, person, cycles, removed, client_deleted, template_deleted
    first_on      date,                           -- the first debit date that was asked for
    anchor        date,                           -- the day from which periods count; null while pending
    cycle         integer NOT NULL DEFAULT 0,     -- periods that were looked at, skipped ones included
    passed        integer NOT NULL DEFAULT 0,     -- periods that were billed
    next_on       date,                           -- next billing date
    next_at       timestamptz,                    -- the moment at which it is looked at; null: never
    stored_token  uuid,                           -- an account that was just stored for it and not taken over yet
    stored_at     timestamptz,
    token_id      uuid,                           -- the account that is charged
    first_purchase_id uuid,                       -- the purchase that stores the account
    whitelist     jsonb,                          -- null: as the template says
    switches      jsonb NOT NULL,                 -- send_invoice_on_charge_failure and its like
    reference     text NOT NULL DEFAULT '',       -- invoice_reference
    override      jsonb,                          -- a price for this subscriber
    debit         jsonb NOT NULL DEFAULT '{}',    -- the DebiCheck fields of the subscription, numbers masked
    debit_sealed  bytea,                          -- the numbers themselves
    reminded_at   timestamptz,
    activated_at  timestamptz,
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE INDEX template_clients_by_template ON template_clients (merchant_id, template_id, id);
CREATE INDEX template_clients_by_status ON template_clients (template_id, status, id);
CREATE INDEX template_clients_by_client ON template_clients (client_id, id);
CREATE INDEX template_clients_by_token ON template_clients (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX template_clients_due ON template_clients (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX template_clients_stored ON template_clients (id) WHERE stored_token IS NOT NULL;

-- The period key: a subscriber is billed once for a period, whatever runs twice.
CREATE TABLE billing_periods (
    template_client_id uuid NOT NULL REFERENCES template_clients (id),
    starts_on          date NOT NULL,
    billed_on          date NOT NULL,
    merchant_id        uuid NOT NULL,
    purchase_id        uuid,                      -- null: skipped
    skipped            text NOT NULL DEFAULT '',  -- why: paused_template, paused_client
    created_at         timestamptz NOT NULL,
    PRIMARY KEY (template_client_id, starts_on)
);

ALTER TABLE purchases ADD COLUMN template_id uuid, ADD COLUMN subscriber_id uuid;
CREATE INDEX purchases_by_subscriber ON purchases (subscriber_id, id) WHERE subscriber_id IS NOT NULL;
CREATE INDEX purchases_by_template ON purchases (template_id, id) WHERE template_id IS NOT NULL;

-- A subscriber's purchase that stored an account, or the first one that was paid by
-- hand, is noted on the subscriber in the same transaction, whoever writes it.
-- +goose StatementBegin
CREATE FUNCTION note_subscriber() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_clients SET stored_token = NEW.id, stored_at = NEW.updated_at, version = version + 1
    WHERE id = NEW.subscriber_id AND status <> 'inactive'
        AND (NEW.is_recurring_token OR status = 'pending' AND first_purchase_id = NEW.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER note_subscriber AFTER UPDATE OF is_recurring_token, marked_as_paid ON purchases
    FOR EACH ROW WHEN (NEW.subscriber_id IS NOT NULL
        AND (NEW.is_recurring_token AND NOT OLD.is_recurring_token OR NEW.marked_as_paid AND NOT OLD.marked_as_paid))
    EXECUTE FUNCTION note_subscriber();

-- Events: what happened to an object, in the order in which it was committed.
CREATE TABLE webhooks (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    title        text NOT NULL,
    callback     text NOT NULL,
    all_events   boolean NOT NULL,
    events       text[] NOT NULL,
    public_key   text NOT NULL,                   -- PEM
    private_key  bytea NOT NULL,                  -- sealed
    failing_since timestamptz,                    -- null: the last delivery was taken
    failures     integer NOT NULL DEFAULT 0,      -- in a row
    last_ok_at   timestamptz,
    noticed_at   timestamptz,                     -- when its owner was told that it fails
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    deleted_at   timestamptz
);
CREATE INDEX webhooks_by_merchant ON webhooks (merchant_id, id) WHERE deleted_at IS NULL;

CREATE TABLE merchant_keys (                      -- the company key that signs success_callback
    merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
    public_key  text NOT NULL,
    private_key bytea NOT NULL,                   -- sealed
    created_at  timestamptz NOT NULL
);

CREATE TABLE events (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          uuid NOT NULL UNIQUE,
    merchant_id uuid NOT NULL,
    type        text NOT NULL,                    -- purchase.paid and its like
    object_type text NOT NULL,                    -- purchase, payment, billing_template_client, webhook
    object_id   uuid NOT NULL,
    source_id   uuid NOT NULL,                    -- the object whose events keep their order
    snapshot    jsonb,                            -- the object as it stood, numbers masked; null: nobody is to get it
    created_at  timestamptz NOT NULL
);
CREATE INDEX events_by_merchant ON events (merchant_id, seq);
CREATE INDEX events_by_object ON events (merchant_id, object_id, seq);
CREATE INDEX events_by_type ON events (merchant_id, type, seq);
CREATE INDEX events_by_age ON events USING brin (created_at) WITH (autosummarize = on);

CREATE TABLE deliveries (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    seq          bigint NOT NULL,                 -- of its event; both are written by one statement
    event_id     uuid NOT NULL,
    source_id    uuid NOT NULL,
    webhook_id   uuid,                            -- null: the success_callback of a purchase
    endpoint     uuid NOT NULL,                   -- whose order is kept: the webhook, or the purchase of a callback
    address      text NOT NULL,
    state        text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
    resend       boolean NOT NULL DEFAULT false,  -- asked for by a person
    attempts     integer NOT NULL DEFAULT 0,
    first_at     timestamptz,                     -- of the first attempt
    next_at      timestamptz,                     -- of the next one; null when it is over
    claimed_until timestamptz,                    -- real time
    last_status  integer,                         -- HTTP
    last_error   text NOT NULL DEFAULT '',
    done_at      timestamptz,
    created_at   timestamptz NOT NULL
);
CREATE INDEX deliveries_waiting ON deliveries (endpoint, source_id, seq) WHERE state = 'pending';
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_webhook ON deliveries (merchant_id, webhook_id, id);
CREATE INDEX deliveries_by_merchant ON deliveries (merchant_id, id);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_done ON deliveries (done_at) WHERE done_at IS NOT NULL;

CREATE TABLE delivery_attempts (
    delivery_id uuid NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    number      integer NOT NULL,
    at          timestamptz NOT NULL,
    took_ms     integer NOT NULL,
    status      integer,                          -- HTTP; null: no answer
    error       text NOT NULL DEFAULT '',
    answer      text NOT NULL DEFAULT '',         -- the first bytes of it
    PRIMARY KEY (delivery_id, number)
);

-- What a transaction has to tell, as its last statement: events, and a delivery for
-- each endpoint that wants to hear of them. An id of a delivery is that of its event
-- with a chance of its own. A snapshot is what the body is written from: the
-- purchase with its brand, its newest collection and, for a payment, the refund.
-- +goose StatementBegin
CREATE FUNCTION tell_events(ids uuid[], merchants uuid[], types text[], object_types text[], objects uuid[], sources uuid[], at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (types && ARRAY['purchase.paid', 'purchase.captured'])
        AND NOT EXISTS (SELECT FROM webhooks w WHERE w.merchant_id = ANY (merchants) AND w.deleted_at IS NULL) THEN -- nobody hears
        INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, created_at)
        SELECT u.id, u.merchant_id, u.type, u.object_type, u.object_id, u.source_id, at
        FROM unnest(ids, merchants, types, object_types, objects, sources) WITH ORDINALITY AS u (id, merchant_id, type, object_type, object_id, source_id, n) ORDER BY u.n;
        RETURN;
    END IF;
    WITH heard AS MATERIALIZED (
            SELECT u.*, ARRAY(SELECT w.id FROM webhooks w WHERE w.merchant_id = u.merchant_id AND w.deleted_at IS NULL
                    AND (w.all_events OR u.type = ANY (w.events)) ORDER BY w.id) AS hooks,
                CASE WHEN u.type IN ('purchase.paid', 'purchase.captured')
                    THEN (SELECT nullif(p.options ->> 'success_callback', '') FROM purchases p WHERE p.id = u.source_id) END AS callback
            FROM unnest(ids, merchants, types, object_types, objects, sources)
                WITH ORDINALITY AS u (id, merchant_id, type, object_type, object_id, source_id, n)),
        told AS (
            INSERT INTO events (id, merchant_id, type, object_type, object_id, source_id, snapshot, created_at)
            SELECT u.id, u.merchant_id, u.type, u.object_type, u.object_id, u.source_id,
                CASE WHEN u.hooks = '{}' AND u.callback IS NULL THEN NULL
                    WHEN u.object_type = 'billing_template_client' THEN (SELECT jsonb_build_object('subscriber', to_jsonb(s) - 'debit_sealed',
        'client', (SELECT jsonb_build_object('full_name', c.full_name, 'email', c.email) FROM clients c WHERE c.id = s.client_id)) FROM template_clients s WHERE s.id = u.object_id)
                    ELSE (SELECT jsonb_build_object(
        'purchase', to_jsonb(p) - 'payer_sealed' - 'search',
        'brand', (SELECT to_jsonb(b) FROM brands b WHERE b.id = p.brand_id),
        'profiles', (SELECT coalesce(jsonb_agg(to_jsonb(d) ORDER BY d.is_default DESC, d.id), '[]') FROM debit_profiles d WHERE d.merchant_id = p.merchant_id AND d.brand_id = p.brand_id),
        'collection', (SELECT to_jsonb(c) FROM collections c WHERE c.merchant_id = p.merchant_id AND c.purchase_id = p.id ORDER BY c.attempt DESC LIMIT 1),
        'refund', CASE WHEN u.object_type = 'payment' THEN (SELECT to_jsonb(r) FROM refunds r WHERE r.id = u.object_id) END) FROM purchases p WHERE p.id = u.source_id) END, at
            FROM heard u ORDER BY u.n RETURNING seq, id)
        INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address, state, next_at, created_at)
        SELECT (left(u.id::text, 18) || substr(gen_random_uuid()::text, 19))::uuid, u.merchant_id, told.seq, u.id, u.source_id, a.webhook_id, a.endpoint, a.address, 'pending', at, at
        FROM heard u JOIN told ON told.id = u.id CROSS JOIN LATERAL (
            SELECT w.id AS webhook_id, w.id AS endpoint, w.callback AS address FROM webhooks w WHERE w.id = ANY (u.hooks)
            UNION ALL SELECT NULL, u.source_id, u.callback WHERE u.callback IS NOT NULL) a;
END $$;
-- +goose StatementEnd


-- What programs asked, for the pages of developers. Bodies are masked.
CREATE TABLE api_requests (
    id              uuid PRIMARY KEY,
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
    answer          text NOT NULL DEFAULT ''
);
CREATE INDEX api_requests_by_merchant ON api_requests (merchant_id, id);
CREATE INDEX api_requests_by_age ON api_requests (at);

ALTER TABLE credentials ADD COLUMN replaced_by uuid, ADD COLUMN replaces uuid; -- rotation with overlap

CREATE TABLE company_statements (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL,
    is_test      boolean NOT NULL,
    format       text NOT NULL CHECK (format IN ('csv', 'xlsx')),
    timezone     text NOT NULL,
    query        text NOT NULL,                   -- as it stood in the address
    filter       jsonb NOT NULL DEFAULT '{}',     -- the same, understood
    status       text NOT NULL CHECK (status IN ('pending', 'running', 'finished', 'cancelled', 'error')),
    note         text NOT NULL DEFAULT '',        -- why it ended in error
    rows         bigint NOT NULL DEFAULT 0,       -- movements in the file
    file         bytea,
    claim        uuid,                            -- who is at it
    claimed_until timestamptz,                    -- real time
    began_at     timestamptz,
    finished_at  timestamptz,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX company_statements_by_merchant ON company_statements (merchant_id, id);
CREATE INDEX company_statements_open ON company_statements (id) WHERE status IN ('pending', 'running');

-- Figures of money: the index alone gives the sums of a merchant, in any span of time.
DROP INDEX ledger_entries_by_day;
CREATE INDEX ledger_entries_by_day ON ledger_entries (merchant_id, day, kind) INCLUDE (amount_cents, currency, at, purchase_id);
CREATE INDEX collections_provisional ON collections (merchant_id) WHERE state = 'provisional';
CREATE INDEX refunds_pending ON refunds (merchant_id) WHERE state = 'pending';

-- What the simulator plays. One at a time in the whole sandbox, for there is one clock.
CREATE TABLE simulations (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    kind         text NOT NULL CHECK (kind IN ('scenario', 'demo')),
    state        text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    ask          jsonb NOT NULL,
    starter      jsonb NOT NULL,                  -- who asked for it
    done_steps   integer NOT NULL DEFAULT 0,
    all_steps    integer NOT NULL,
    result       jsonb NOT NULL DEFAULT '{}',
    note         text NOT NULL DEFAULT '',
    claim        uuid,
    claimed_until timestamptz,                    -- real time
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE UNIQUE INDEX simulations_one ON simulations ((true)) WHERE state IN ('waiting', 'running');
CREATE INDEX simulations_by_merchant ON simulations (merchant_id, id);

-- +goose Down
DROP TRIGGER note_subscriber ON purchases;
DROP FUNCTION note_subscriber;
DROP TABLE simulations;
DROP INDEX ledger_entries_by_day, collections_provisional, refunds_pending;
CREATE INDEX ledger_entries_by_day ON ledger_entries (merchant_id, day, kind) INCLUDE (amount_cents);
DROP FUNCTION tell_events;
DROP TABLE company_statements, api_requests, delivery_attempts, deliveries, events, merchant_keys, webhooks, billing_periods;
ALTER TABLE credentials DROP COLUMN replaced_by, DROP COLUMN replaces;
ALTER TABLE purchases DROP COLUMN template_id, DROP COLUMN subscriber_id;
DROP TABLE template_clients, billing_templates;
