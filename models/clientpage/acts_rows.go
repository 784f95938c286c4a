package clientpage

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// TableName implements GORM's Tabler.
func (Act) TableName() string { return "client_page_acts" }

// saveAct writes an act that stood in a state; fault.ErrLost when it does not any more.
func saveAct(tx *database.Tx, a Act, from ActState) error {
	return database.OneRow(tx.Gorm().Model(&a).Scopes(database.OfMerchant(a.MerchantID)).Where("state = ?", from).
		Select("wish", "state", "code_hash", "tries", "done_at", "made_id").UpdateColumns(a))
}

// act finds an act of a client.
func (s Store) act(ctx context.Context, merchantID, clientID, id uuid.UUID) (a Act, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&a, "client_id = ? AND id = ?", clientID, id).Error
	return a, err
}

// lockAct is act for one that this transaction changes.
func lockAct(tx *database.Tx, merchantID, clientID, id uuid.UUID) (a Act, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).
		Take(&a, "client_id = ? AND id = ?", clientID, id).Error
	return a, err
}

// lockClient lets what one client does on the page happen one after the other, and keeps the client from being deleted
// meanwhile; NotFound for one who was deleted or erased.
func lockClient(tx *database.Tx, merchantID, clientID uuid.UUID) error {
	if err := tx.Gorm().Exec(`SELECT pg_advisory_xact_lock(hashtextextended('client page ' || ?::text, 0))`,
		clientID).Error; err != nil {
		return fmt.Errorf("lock the client's page: %w", err)
	}
	var held int
	err := tx.Gorm().Raw(`SELECT 1 FROM clients WHERE merchant_id = ? AND id = ?
		AND deleted_at IS NULL AND erased_at IS NULL FOR KEY SHARE`, merchantID, clientID).Take(&held).Error
	if err != nil && !fault.Is(err, fault.NotFound) {
		err = fmt.Errorf("hold a client: %w", err)
	}
	return err
}

// actsOf are the acts of a client.
func actsOf(tx *database.Tx, merchantID, clientID uuid.UUID) *gorm.DB {
	return tx.Gorm().Model(&Act{}).Scopes(database.OfMerchant(merchantID)).Where("client_id = ?", clientID)
}

// overtake ends what waits for a code of a client.
func overtake(tx *database.Tx, merchantID, clientID uuid.UUID) error {
	return actsOf(tx, merchantID, clientID).Where("state = ?", ActAsked).
		UpdateColumns(map[string]any{"state": ActOver, "code_hash": nil}).Error
}

// unfinishedSince counts the acts that a client asked for since a moment and did not finish.
func unfinishedSince(tx *database.Tx, merchantID, clientID uuid.UUID, since time.Time) (int64, error) {
	return countActs(actsOf(tx, merchantID, clientID).
		Where("asked_at > ? AND state <> ?", database.Instant(since), ActDone))
}

// doneSince counts what a client did of a kind since a moment; with an object, about that alone.
func doneSince(tx *database.Tx, merchantID, clientID uuid.UUID, kind Kind, object uuid.UUID,
	since time.Time) (int64, error) {
	done := actsOf(tx, merchantID, clientID).
		Where("kind = ? AND state = ? AND done_at > ?", kind, ActDone, database.Instant(since))
	if object != uuid.Nil {
		done = done.Where("object_id = ?", object)
	}
	return countActs(done)
}

func countActs(acts *gorm.DB) (n int64, err error) {
	if err = acts.Count(&n).Error; err != nil {
		return 0, fmt.Errorf("count acts: %w", err)
	}
	return n, nil
}
