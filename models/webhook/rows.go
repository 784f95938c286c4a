package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// The private key is read for signing alone.
var (
	webhookTable  = table.New[Webhook]("webhooks")
	webhookInsert = webhookTable.Write(`INSERT INTO webhooks (@columns, private_key) VALUES (@values, @private_key)`,
		"private_key")
	webhookSave = webhookTable.Write(
		`UPDATE webhooks SET @set(title, callback, all_events, events, updated_at), version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND version = @version AND deleted_at IS NULL`)
)

// Store is where webhooks, events and their deliveries are kept.
type Store struct{ *database.DB }

// insertWebhook keeps the private key sealed.
func insertWebhook(tx *database.Tx, w Webhook, private []byte) {
	database.Write(
		tx,
		webhookInsert,
		w,
		tx.DB().Seal.SealBytes(seal.PlaceOf("webhooks", "private_key", w.MerchantID, w.ID), private),
	)
}

// saveWebhook ends the transaction with fault.ErrLost when the webhook is not as it was
// loaded, or deleted. What waits goes to its new address.
func saveWebhook(tx *database.Tx, w Webhook) {
	database.MustChange(tx, webhookSave, w)
	tx.Later(
		`UPDATE deliveries SET address = $3 WHERE merchant_id = $1 AND endpoint = $2 AND state = 'pending' AND address <> $3`,
		w.MerchantID, w.ID, w.Callback)
}

// deleteWebhook drops what was on its way; false when there was no such webhook.
// Deliveries are locked before the webhook, as a note about an attempt does.
func deleteWebhook(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	tx.Later(
		`UPDATE deliveries SET state = 'dropped', next_at = NULL, done_at = $3
			WHERE merchant_id = $1 AND endpoint = $2 AND state = 'pending'`,
		merchantID,
		id,
		tx.Now(),
	)
	n, err := tx.Exec(
		`UPDATE webhooks SET deleted_at = $3, updated_at = $3 WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL`,
		merchantID, id, tx.Now())
	if err != nil {
		return false, fmt.Errorf("delete webhook: %w", err)
	}
	return n == 1, nil
}

// insertCompanyKey keeps the first key of a merchant; a later one is thrown away.
func insertCompanyKey(tx *database.Tx, merchantID uuid.UUID, k Keys) {
	tx.Later(
		`INSERT INTO merchant_keys (merchant_id, public_key, private_key, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (merchant_id) DO NOTHING`,
		merchantID,
		k.Public,
		tx.DB().Seal.SealBytes(seal.PlaceOf("merchant_keys", "private_key", merchantID, merchantID), k.Private),
		tx.Now(),
	)
}

// noticeFailing marks a webhook whose failing its owner is told of; false when that was
// done already or it does not fail any more.
func noticeFailing(tx *database.Tx, id uuid.UUID) (bool, error) {
	n, err := tx.Exec(
		`UPDATE webhooks SET noticed_at = $2 WHERE id = $1 AND noticed_at IS NULL AND failing_since IS NOT NULL
			AND deleted_at IS NULL`,
		id,
		tx.Now(),
	)
	if err != nil {
		return false, fmt.Errorf("note a notice: %w", err)
	}
	return n == 1, nil
}

func (s Store) Webhook(ctx context.Context, merchantID, id uuid.UUID) (Webhook, error) {
	return database.One(ctx, s.DB, webhookTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL", merchantID, id)
}

func (s Store) Webhooks(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) ([]Webhook, error) {
	return database.Find(
		ctx,
		s.DB,
		webhookTable,
		database.PageOf(database.List(ctx, s.DB, webhookTable).Where("deleted_at IS NULL"), "merchant_id", merchantID, ask),
	)
}

func (s Store) FailingWebhooks(ctx context.Context, merchantID uuid.UUID) ([]Webhook, error) {
	return database.All(ctx, s.DB, webhookTable,
		"merchant_id = $1 AND deleted_at IS NULL AND failing_since IS NOT NULL ORDER BY failing_since, id", merchantID)
}

// CompanyKey gives the public half (PEM); empty when there is none yet.
func (s Store) CompanyKey(ctx context.Context, merchantID uuid.UUID) (pem string, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT coalesce((SELECT public_key FROM merchant_keys WHERE merchant_id = $1), '')`,
		merchantID).Scan(&pem)
	if err != nil {
		return "", fmt.Errorf("find company key: %w", err)
	}
	return pem, nil
}

// WebhookKey opens the private key that signs for a webhook, or for the company when
// webhookID is zero; nil when the company has none yet. A deleted webhook keeps its
// key: what it was sent can still be shown with its signature.
func (s Store) WebhookKey(ctx context.Context, merchantID, webhookID uuid.UUID) ([]byte, error) {
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

// CountSince counts what RepeatSince would deliver, at most so many.
func (s Store) CountSince(ctx context.Context, w Webhook, since time.Time, atMost int) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 `+repeatable+` LIMIT $6) found`,
		append(repeatableArgs(w, since), atMost)...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return n, nil
}
