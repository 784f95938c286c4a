package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/paging"
)

// Store is where webhooks, events and their deliveries are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Webhook) TableName() string { return "webhooks" }

// signing is a webhook with its private key, sealed. The key is read for signing alone.
type signing struct {
	Webhook
	PrivateKey []byte `gorm:"serializer:sealed;not null"`
}

func insertWebhook(tx *database.Tx, w Webhook, private []byte) { tx.Create(&signing{w, private}) }

// saveWebhook is fault.ErrLost when the webhook is not as it was loaded, or deleted. What waits goes to its new
// address.
func saveWebhook(tx *database.Tx, w Webhook) error {
	was := w.Version
	w.Version++
	err := database.OneRow(tx.Gorm().Model(&w).Scopes(database.OfMerchant(w.MerchantID)).
		Where("version = ? AND deleted_at IS NULL", was).
		Select("title", "callback", "all_events", "events", "version", "updated_at").UpdateColumns(w))
	if err != nil {
		return err
	}
	return tx.Gorm().Exec(`UPDATE deliveries SET address = ? WHERE merchant_id = ? AND endpoint = ? AND state = 'pending'
		AND address <> ?`, w.Callback, w.MerchantID, w.ID, w.Callback).Error
}

// deleteWebhook drops what was on its way; false when there was no such webhook.
// Deliveries are locked before the webhook, as a note about an attempt does.
func deleteWebhook(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	err := tx.Gorm().Exec(`UPDATE deliveries SET state = 'dropped', next_at = NULL, done_at = ?
		WHERE merchant_id = ? AND endpoint = ? AND state = 'pending'`, tx.Now(), merchantID, id).Error
	if err != nil {
		return false, fmt.Errorf("drop deliveries: %w", err)
	}
	return database.Found(tx.Gorm().Model(&Webhook{}).Scopes(database.OfMerchant(merchantID)).
		Where("id = ? AND deleted_at IS NULL", id).
		UpdateColumns(map[string]any{"deleted_at": tx.Now(), "updated_at": tx.Now()}))
}

// companyKey is the pair of keys with which all that a merchant is told is signed; the private one is sealed.
type companyKey struct {
	MerchantID uuid.UUID
	PublicKey  string
	PrivateKey []byte
	CreatedAt  time.Time
}

// TableName implements GORM's Tabler.
func (companyKey) TableName() string { return "merchant_keys" }

// insertCompanyKey keeps the first key of a merchant; a later one is thrown away.
func insertCompanyKey(tx *database.Tx, merchantID uuid.UUID, k Keys) error {
	return tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).Create(&companyKey{merchantID, k.Public,
		tx.DB().Seal.SealBytes(seal.PlaceOf("merchant_keys", "private_key", merchantID, merchantID), k.Private), tx.Now()}).
		Error
}

// noticeFailing marks a webhook whose failing its owner is told of; false when that was
// done already or it does not fail any more.
func noticeFailing(tx *database.Tx, id uuid.UUID) (bool, error) {
	noticed, err := database.Found(tx.Gorm().Model(&Webhook{}).Scopes(database.AcrossMerchants).
		Where("id = ? AND noticed_at IS NULL AND failing_since IS NOT NULL AND deleted_at IS NULL", id).
		UpdateColumn("noticed_at", tx.Now()))
	if err != nil {
		return false, fmt.Errorf("note a notice: %w", err)
	}
	return noticed, nil
}

// living is the scope of the webhooks of a merchant that are not deleted.
func living(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("merchant_id = ? AND deleted_at IS NULL", merchantID) }
}

func (s Store) Webhook(ctx context.Context, merchantID, id uuid.UUID) (w Webhook, err error) {
	err = s.Gorm(ctx).Scopes(living(merchantID)).Take(&w, "id = ?", id).Error
	return w, err
}

func (s Store) Webhooks(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) (hooks []Webhook, err error) {
	err = database.PageOf(s.Gorm(ctx).Where("deleted_at IS NULL"), "merchant_id", merchantID, ask).Find(&hooks).Error
	return hooks, err
}

func (s Store) FailingWebhooks(ctx context.Context, merchantID uuid.UUID) (hooks []Webhook, err error) {
	err = s.Gorm(ctx).Scopes(living(merchantID)).Where("failing_since IS NOT NULL").Order("failing_since, id").
		Find(&hooks).Error
	return hooks, err
}

// CompanyKey gives the public half (PEM); empty when there is none yet.
func (s Store) CompanyKey(ctx context.Context, merchantID uuid.UUID) (pem string, err error) {
	err = s.Gorm(ctx).Model(&companyKey{}).Scopes(database.OfMerchant(merchantID)).Select("public_key").Scan(&pem).Error
	if err != nil {
		return "", fmt.Errorf("find company key: %w", err)
	}
	return pem, nil
}

// WebhookKey opens the private key that signs for a webhook, or for the company when
// webhookID is zero; nil when the company has none yet. A deleted webhook keeps its
// key: what it was sent can still be shown with its signature.
func (s Store) WebhookKey(ctx context.Context, merchantID, webhookID uuid.UUID) ([]byte, error) {
	var row struct{ PrivateKey []byte }
	at := seal.PlaceOf("webhooks", "private_key", merchantID, webhookID)
	of := s.Gorm(ctx).Model(&Webhook{}).Where("id = ?", webhookID)
	if webhookID == uuid.Nil {
		at = seal.PlaceOf("merchant_keys", "private_key", merchantID, merchantID)
		of = s.Gorm(ctx).Model(&companyKey{})
	}
	if err := of.Scopes(database.OfMerchant(merchantID)).Select("private_key").Take(&row).Error; err != nil {
		return nil, fmt.Errorf("find signing key: %w", err)
	}
	key, err := s.Seal.OpenBytes(at, row.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("open signing key: %w", err)
	}
	return key, nil
}

// CountSince counts what RepeatSince would deliver, at most so many.
func (s Store) CountSince(ctx context.Context, w Webhook, since time.Time, atMost int) (n int, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) FROM (SELECT 1 `+repeatable+` LIMIT ?) found`,
		append(repeatableArgs(w, since), atMost)...).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return n, nil
}
