package texting

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/sms"
)

var (
	replies = table.New("sms_replies",
		table.Column[Reply]{Name: "text_sealed", Once: true, Write: func(box *seal.Box, r *Reply) (any, error) {
			return box.SealBytes(seal.PlaceOf("sms_replies", "text_sealed", r.MerchantID, r.ID), []byte(r.Text)), nil
		}, Read: openReply})
	replyOnce = replies.Write(`INSERT INTO sms_replies (@columns) VALUES (@values)
		ON CONFLICT (provider, provider_id) DO NOTHING`)
)

func openReply(box *seal.Box, r *Reply, stored []byte) error {
	if len(stored) == 0 {
		return nil
	}
	text, err := box.OpenBytes(seal.PlaceOf("sms_replies", "text_sealed", r.MerchantID, r.ID), stored)
	if r.Text = string(text); errors.Is(err, seal.ErrDamaged) {
		r.Text, err = sms.Unread, nil
	}
	return err
}

// insertReply keeps a reply; false when it was told before.
func insertReply(tx *database.Tx, r Reply) (bool, error) { return database.Change(tx, replyOnce, r) }

// RepliesOf lists the newest answers of a client.
func (s Store) RepliesOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]Reply, error) {
	return database.All(ctx, s.DB, replies, "merchant_id = $1 AND client_id = $2 ORDER BY id DESC LIMIT $3", merchantID,
		clientID, limit)
}

// sender is the name under which a message goes out: that of its brand, else of the business.
func (s Store) sender(ctx context.Context, merchantID, brandID uuid.UUID) (name string, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT coalesce((SELECT name FROM brands WHERE merchant_id = $1 AND id = $2),
		(SELECT name FROM merchants WHERE id = $1), '')`, merchantID.String(), brandID.String()).Scan(&name)
	if err != nil {
		err = fmt.Errorf("find the sender: %w", err)
	}
	return name, err
}

// reachedSince tells that something else reached the client, or is on its way, since an hour before a message was
// queued.
func (s Store) reachedSince(ctx context.Context, m sms.Message) (yes bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mails WHERE merchant_id = $1 AND client_id = $2
			AND state <> 'failed' AND coalesce(sent_at, created_at) > $3::timestamptz - interval '1 hour')
		OR EXISTS (SELECT FROM sms_messages WHERE merchant_id = $1 AND client_id = $2 AND id <> $4
			AND state IN ('sent', 'delivered') AND sent_at > $3::timestamptz - interval '1 hour')`,
		m.MerchantID.String(), m.ClientID.String(), m.CreatedAt, m.ID.String()).Scan(&yes)
	if err != nil {
		err = fmt.Errorf("look for what reached the client: %w", err)
	}
	return yes, err
}
