-- Events that webhooks tell of, people and links.

-- Whoever watches a mandate hears of every change of it and of its authentications.
CREATE OR REPLACE FUNCTION tell_of_mandate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('debitdesk_mandate', CASE TG_TABLE_NAME WHEN 'mandates' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'mandate_id' END);
    RETURN NULL;
END $$;

-- A payment event is about a refund or about a disputed debit; the snapshot holds
-- the very debit that it is about, and the newest one otherwise.
CREATE OR REPLACE FUNCTION tell_events(ids uuid[], merchants uuid[], types text[], object_types text[], objects uuid[], sources uuid[], at timestamptz)
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
        'collection', (SELECT to_jsonb(c) FROM collections c WHERE c.merchant_id = p.merchant_id AND c.purchase_id = p.id ORDER BY c.id = u.object_id DESC, c.attempt DESC LIMIT 1),
        'refund', CASE WHEN u.object_type = 'payment' THEN (SELECT to_jsonb(r) FROM refunds r WHERE r.id = u.object_id) END) FROM purchases p WHERE p.id = u.source_id) END, at
            FROM heard u ORDER BY u.n RETURNING seq, id)
        INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id, endpoint, address, state, next_at, created_at)
        SELECT (left(u.id::text, 18) || substr(gen_random_uuid()::text, 19))::uuid, u.merchant_id, told.seq, u.id, u.source_id, a.webhook_id, a.endpoint, a.address, 'pending', at, at
        FROM heard u JOIN told ON told.id = u.id CROSS JOIN LATERAL (
            SELECT w.id AS webhook_id, w.id AS endpoint, w.callback AS address FROM webhooks w WHERE w.id = ANY (u.hooks)
            UNION ALL SELECT NULL, u.source_id, u.callback WHERE u.callback IS NOT NULL) a;
END $$;

-- People whom a process of the release before adds are members too.
CREATE OR REPLACE FUNCTION user_is_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memberships (user_id, merchant_id, role, created_at, updated_at)
        VALUES (NEW.id, NEW.merchant_id, NEW.role, NEW.created_at, NEW.updated_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- Links end with whom they are for: when the client is deleted, merged into another or erased, and when the address or
-- the phone number changes to which they were sent.
CREATE OR REPLACE FUNCTION end_client_page_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE client_page_links SET revoked_at = now(),
        revoked_why = CASE WHEN NEW.deleted_at IS NULL AND NEW.erased_at IS NULL THEN 'contact' ELSE 'gone' END
    WHERE merchant_id = NEW.merchant_id AND client_id = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tell_of_authentication AFTER INSERT OR UPDATE OF state ON mandate_authentications
    FOR EACH ROW EXECUTE FUNCTION tell_of_mandate();
CREATE OR REPLACE TRIGGER tell_of_mandate AFTER UPDATE OF state ON mandates
    FOR EACH ROW WHEN (NEW.kind = 'debicheck') EXECUTE FUNCTION tell_of_mandate();
CREATE OR REPLACE TRIGGER users_are_members AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION user_is_member();
CREATE OR REPLACE TRIGGER end_page_links AFTER UPDATE ON clients FOR EACH ROW
    WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.phone IS DISTINCT FROM NEW.phone
        OR NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL OR NEW.erased_at IS NOT NULL AND OLD.erased_at IS NULL)
    EXECUTE FUNCTION end_client_page_links();
