package allocation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is where payments from the bank are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Payment) TableName() string { return "bank_payments" }

func (s Store) payment(ctx context.Context, merchantID, entryID, id uuid.UUID) (p Payment, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&p, "id = ? AND entry_id = ?", id, entryID).Error
	return p, err
}

func (s Store) paid(ctx context.Context, merchantID, entryID uuid.UUID) (found []Payment, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("id").
		Find(&found, "entry_id = ? AND undone_at IS NULL", entryID).Error
	if err != nil {
		return nil, fmt.Errorf("what a movement paid: %w", err)
	}
	return found, nil
}

// end notes that a payment was taken back; a conflict where it was before.
func end(tx *database.Tx, who actor.Actor, p Payment) error {
	ended, err := database.Found(tx.Gorm().Model(&Payment{ID: p.ID}).Scopes(database.OfMerchant(p.MerchantID)).
		Where("undone_at IS NULL").UpdateColumns(map[string]any{"undone_at": tx.Now(), "undone_by": who.Name}))
	if err == nil && !ended {
		return fault.New(fault.Conflict, "undone", "This payment was taken back already.")
	}
	return err
}

// numbered finds the purchases of invoices by their numbers.
func (s Store) numbered(ctx context.Context, merchantID uuid.UUID, numbers []string) (map[uuid.UUID]string, error) {
	var found []struct {
		PurchaseID uuid.UUID
		Number     string
	}
	err := s.Gorm(ctx).Raw(`SELECT purchase_id, number FROM invoices WHERE merchant_id = ? AND kind = 'invoice'
		AND number COLLATE "C" = ANY(?::text[]) LIMIT 10`, merchantID, database.TextArray(numbers)).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("invoices that a text names: %w", err)
	}
	of := make(map[uuid.UUID]string, len(found))
	for _, f := range found {
		of[f.PurchaseID] = f.Number
	}
	return of, nil
}
