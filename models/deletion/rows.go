package deletion

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Store keeps the deletions of tokens.
type Store struct{ *database.DB }

// mostWaiting is how many deletions that can be undone are listed at most.
const mostWaiting = 100

// TableName implements GORM's Tabler.
func (Deletion) TableName() string { return "token_deletions" }

// end ends a deletion that waits; false when it does not any more, or when it is to be undone and its time is over.
func end(tx *database.Tx, d Deletion, state DeletionState) (bool, error) {
	waiting := tx.Gorm().Model(&d).Scopes(database.OfMerchant(d.MerchantID)).Where("state = ?", DeletionWaiting)
	if state == DeletionUndone {
		waiting = waiting.Where("until > ?", tx.Now())
	}
	return database.Found(waiting.UpdateColumns(map[string]any{"state": state, "ended_at": tx.Now()}))
}

// hold keeps a deletion that waits from ending meanwhile; false when it does not wait any more, or its time is over.
func hold(tx *database.Tx, d Deletion) (bool, error) {
	return database.Found(tx.Gorm().Model(&d).Scopes(database.OfMerchant(d.MerchantID)).
		Where("state = ? AND until > ?", DeletionWaiting, tx.Now()).UpdateColumn("state", DeletionWaiting))
}

// leaveToken notes on a tokenising purchase that its token is being deleted, or that it came back.
func leaveToken(tx *database.Tx, merchantID, id uuid.UUID, leaving bool) {
	tx.Later(
		`UPDATE purchases SET token_leaving = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND id = $2`,
		merchantID, id, leaving, tx.Now())
}

// Deletion finds one; NotFound for unknown ids and those of others.
func (s Store) Deletion(ctx context.Context, merchantID, id uuid.UUID) (d Deletion, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&d, "id = ?", id).Error
	return d, err
}

// Waiting lists the deletions that can still be undone, newest first.
func (s Store) Waiting(ctx context.Context, merchantID uuid.UUID) (waiting []Deletion, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Where("state = ? AND until > ?", DeletionWaiting, s.Now()).
		Order("id DESC").Limit(mostWaiting).Find(&waiting).Error
	return waiting, err
}

// Due lists those of all merchants whose time is over.
func (s Store) Due(ctx context.Context, limit int) (due []Deletion, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("state = ? AND until <= ?", DeletionWaiting, s.Now()).
		Order("until").Limit(limit).Find(&due).Error
	return due, err
}
