package journal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (WriteOff) TableName() string { return "write_offs" }

// holdPurchase waits for others who change a purchase or post for it, and has them wait.
func holdPurchase(tx *database.Tx, merchantID, id uuid.UUID) error {
	if err := tx.Gorm().Exec(`SELECT FROM purchases WHERE merchant_id = ? AND id = ? FOR NO KEY UPDATE`, merchantID,
		id).Error; err != nil {
		return fmt.Errorf("hold the purchase: %w", err)
	}
	return nil
}

// standing is what the books have of a purchase. The VAT of what is written off is its share of that of the documents,
// rounded once for all write-offs together, so that no cent of it is lost.
func (s Store) standing(ctx context.Context, merchantID, purchaseID uuid.UUID) (at Standing, err error) {
	var found struct {
		Standing
		Asked int64
	}
	err = s.Gorm(ctx).Raw(`SELECT p.currency, p.status, b.ar AS owed, b.off, b.off_vat, b.back, b.back_vat, b.asked,
			b.deferred,
			coalesce(cents_share(b.vat + b.off_vat, b.off + least(b.ar, b.asked), b.asked + b.off), 0) - b.off_vat AS owed_vat
		FROM purchases p CROSS JOIN LATERAL books_of_purchase(p.id) b WHERE p.merchant_id = ? AND p.id = ?`, merchantID,
		purchaseID).Take(&found).Error
	if err != nil {
		return at, fmt.Errorf("what the books have of a purchase: %w", err)
	}
	found.Owed = min(found.Owed, found.Asked)
	return found.Standing, nil
}
