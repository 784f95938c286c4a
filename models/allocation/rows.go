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

// named finds the purchases that are owed by what they are called, at most so many of a name, and those of invoices by
// their numbers. The first ones' condition is that of their index.
func (s Store) named(ctx context.Context, merchantID uuid.UUID, names []string, most int) (found []reference,
	err error) {
	err = s.Gorm(ctx).Raw(`SELECT i.number AS name, i.purchase_id, true AS invoice FROM invoices i
		WHERE i.merchant_id = ? AND i.kind = 'invoice' AND i.number COLLATE "C" = ANY(?::text[])
		UNION ALL
		SELECT n.name, x.id, false FROM unnest(?::text[]) AS n (name) CROSS JOIN LATERAL (
			SELECT p.id FROM purchases p WHERE p.merchant_id = ?
				AND upper(coalesce(nullif(p.reference, ''), p.reference_generated)) COLLATE "C" = n.name
				AND p.status IN ('created', 'sent', 'viewed', 'error', 'overdue', 'pending_charge', 'pending_execute')
			ORDER BY p.id DESC LIMIT ?) x`, merchantID, database.TextArray(names), database.TextArray(names), merchantID,
		most).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("purchases that texts name: %w", err)
	}
	return found, nil
}
