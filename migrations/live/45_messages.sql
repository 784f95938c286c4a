-- What goes out to clients in writing, of every channel, as one list.

CREATE OR REPLACE VIEW client_messages AS
    SELECT id, merchant_id, client_id, purchase_id, 'mail'::text AS channel, kind, recipient, subject,
        NULL::bytea AS text_sealed, state, error AS why, created_at, sent_at
    FROM mails WHERE client_id IS NOT NULL
    UNION ALL
    SELECT id, merchant_id, client_id, purchase_id, 'sms', kind, recipient, '', text_sealed, state, why, created_at, sent_at
    FROM sms_messages WHERE client_id IS NOT NULL;
