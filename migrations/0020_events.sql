-- +goose Up
-- A payment event is about a refund or about a disputed debit; the snapshot holds
-- the very debit that it is about, and the newest one otherwise.
-- +goose StatementBegin
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
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
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
