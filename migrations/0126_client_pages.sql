-- +goose Up
-- The client's own page: links to it, of which only a hash is kept, and what they open. Moments are real time, so that
-- moving the sandbox's clock ends no link and opens none.
CREATE TABLE client_page_links (
    id          uuid PRIMARY KEY,
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    client_id   uuid NOT NULL REFERENCES clients (id),
    brand_id    uuid NOT NULL,               -- in whose name it was sent
    token_hash  bytea NOT NULL UNIQUE,
    purpose     text NOT NULL CHECK (purpose IN ('sent', 'asked')),  -- staff sent it, or the client asked for it
    asked_by    text NOT NULL,               -- the name of the person of the team, or "Client"
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    opened_at   timestamptz,                 -- first
    revoked_at  timestamptz,
    revoked_why text NOT NULL DEFAULT ''     -- staff, contact, gone
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
    acts        jsonb NOT NULL,              -- {"promise": "on", "pause": "off", "day": "ask", …}
    version     integer NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL
);

-- Links end with whom they are for: when the client is deleted, merged into another or erased, and when the address or
-- the phone number changes to which they were sent.
-- +goose StatementBegin
CREATE FUNCTION end_client_page_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE client_page_links SET revoked_at = now(),
        revoked_why = CASE WHEN NEW.deleted_at IS NULL AND NEW.erased_at IS NULL THEN 'contact' ELSE 'gone' END
    WHERE merchant_id = NEW.merchant_id AND client_id = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER end_page_links AFTER UPDATE ON clients FOR EACH ROW
    WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.phone IS DISTINCT FROM NEW.phone
        OR NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL OR NEW.erased_at IS NOT NULL AND OLD.erased_at IS NULL)
    EXECUTE FUNCTION end_client_page_links();

-- +goose Down
DROP TRIGGER end_page_links ON clients;
DROP FUNCTION end_client_page_links;
DROP TABLE client_page_settings, client_page_sessions, client_page_links;
