package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
)

// The private key is read for signing alone.
var (
	webhookTable  = table.New[webhook.Webhook]("webhooks")
	insertWebhook = webhookTable.Write(`INSERT INTO webhooks (@columns, private_key) VALUES (@values, @private_key)`,
		"private_key")
	saveWebhook = webhookTable.Write(
		`UPDATE webhooks SET @set(title, callback, all_events, events, updated_at), version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND version = @version AND deleted_at IS NULL`)
)

// InsertWebhook implements webhook.Tx.
func (t *Tx) InsertWebhook(w webhook.Webhook, private []byte) {
	database.Write(t.Tx, insertWebhook, w, t.s.Seal.SealBytes(seal.PlaceOf("webhooks", "private_key", w.MerchantID, w.ID), private))
}

// SaveWebhook implements webhook.Tx.
func (t *Tx) SaveWebhook(w webhook.Webhook) {
	database.MustChange(t.Tx, saveWebhook, w)
	t.Later(
		`UPDATE deliveries SET address = $3 WHERE merchant_id = $1 AND endpoint = $2 AND state = 'pending' AND address <> $3`,
		w.MerchantID, w.ID, w.Callback)
}

// DeleteWebhook implements webhook.Tx. Deliveries are locked before the webhook, as
// a note about an attempt does.
func (t *Tx) DeleteWebhook(merchantID, id uuid.UUID) (bool, error) {
	t.Later(
		`UPDATE deliveries SET state = 'dropped', next_at = NULL, done_at = $3 WHERE merchant_id = $1 AND endpoint = $2 AND state = 'pending'`, merchantID, id, t.Now())
	n, err := t.Exec(
		`UPDATE webhooks SET deleted_at = $3, updated_at = $3 WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL`,
		merchantID, id, t.Now())
	if err != nil {
		return false, fmt.Errorf("delete webhook: %w", err)
	}
	return n == 1, nil
}

// InsertCompanyKey implements webhook.Tx.
func (t *Tx) InsertCompanyKey(merchantID uuid.UUID, k webhook.Keys) {
	t.Later(
		`INSERT INTO merchant_keys (merchant_id, public_key, private_key, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (merchant_id) DO NOTHING`,
		merchantID, k.Public, t.s.Seal.SealBytes(seal.PlaceOf("merchant_keys", "private_key", merchantID, merchantID), k.Private),
		t.Now())
}

// NoticeFailing implements webhook.Tx.
func (t *Tx) NoticeFailing(id uuid.UUID) (bool, error) {
	n, err := t.Exec(
		`UPDATE webhooks SET noticed_at = $2 WHERE id = $1 AND noticed_at IS NULL AND failing_since IS NOT NULL AND deleted_at IS NULL`, id, t.Now())
	if err != nil {
		return false, fmt.Errorf("note a notice: %w", err)
	}
	return n == 1, nil
}

// Webhook implements webhook.Reader.
func (s *Store) Webhook(ctx context.Context, merchantID, id uuid.UUID) (webhook.Webhook, error) {
	return database.One(ctx, s.DB, webhookTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL", merchantID, id)
}

// Webhooks implements webhook.Reader.
func (s *Store) Webhooks(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) ([]webhook.Webhook, error) {
	return database.Find(ctx, s.DB, webhookTable, database.Page(database.List(ctx, s.DB, webhookTable).Where("merchant_id = ? AND deleted_at IS NULL",
		merchantID), ask))
}

// FailingWebhooks implements webhook.Reader.
func (s *Store) FailingWebhooks(ctx context.Context, merchantID uuid.UUID) ([]webhook.Webhook, error) {
	return database.All(ctx, s.DB, webhookTable,
		"merchant_id = $1 AND deleted_at IS NULL AND failing_since IS NOT NULL ORDER BY failing_since, id", merchantID)
}

// CompanyKey implements webhook.Reader.
func (s *Store) CompanyKey(ctx context.Context, merchantID uuid.UUID) (pem string, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT coalesce((SELECT public_key FROM merchant_keys WHERE merchant_id = $1), '')`,
		merchantID).Scan(&pem)
	if err != nil {
		return "", fmt.Errorf("find company key: %w", err)
	}
	return pem, nil
}

// WebhookKey implements webhook.Reader. A deleted webhook keeps its key: what it was
// sent can still be shown with its signature.
func (s *Store) WebhookKey(ctx context.Context, merchantID, webhookID uuid.UUID) ([]byte, error) {
	var sealed []byte
	at := seal.PlaceOf("webhooks", "private_key", merchantID, webhookID)
	query, args := `SELECT private_key FROM webhooks WHERE merchant_id = $1 AND id = $2`, []any{merchantID, webhookID}
	if webhookID == uuid.Nil {
		at = seal.PlaceOf("merchant_keys", "private_key", merchantID, merchantID)
		query, args = `SELECT private_key FROM merchant_keys WHERE merchant_id = $1`, args[:1]
	}
	if err := s.Pool.QueryRow(ctx, query, args...).Scan(&sealed); err != nil {
		return nil, fmt.Errorf("find signing key: %w", err)
	}
	key, err := s.Seal.OpenBytes(at, sealed)
	if err != nil {
		return nil, fmt.Errorf("open signing key: %w", err)
	}
	return key, nil
}

// AdminAddresses implements webhook.Reader.
func (s *Store) AdminAddresses(ctx context.Context, merchantID uuid.UUID) ([]string, error) {
	var out []string
	err := s.Gorm(ctx).Raw(
		`SELECT email FROM users WHERE merchant_id = ? AND role = 'admin' AND disabled_at IS NULL ORDER BY id`,
		merchantID).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("find admins: %w", err)
	}
	return out, nil
}

// CountSince implements webhook.Reader: what RepeatSince would deliver.
func (s *Store) CountSince(ctx context.Context, w webhook.Webhook, since time.Time, atMost int) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 `+repeatable+` LIMIT $6) found`,
		append(repeatableArgs(w, since), atMost)...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return n, nil
}
