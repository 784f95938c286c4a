package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// TableName implements GORM's Tabler.
func (WriteOff) TableName() string { return "write_offs" }

// holdPurchase waits for others who change a purchase or post for it, and has them wait.
func holdPurchase(tx *database.Tx, merchantID, id uuid.UUID) error {
	if _, err := tx.Exec(`SELECT FROM purchases WHERE merchant_id = $1 AND id = $2 FOR NO KEY UPDATE`, merchantID,
		id); err != nil {
		return fmt.Errorf("hold the purchase: %w", err)
	}
	return nil
}

// standing is what the books have of a purchase. The VAT of what is written off is its share of that of the documents,
// rounded once for all write-offs together, so that no cent of it is lost.
func (s Store) standing(ctx context.Context, merchantID, purchaseID uuid.UUID) (at Standing, err error) {
	var asked int64
	err = s.Row(ctx, `SELECT p.currency, p.status, b.ar, b.off, b.off_vat, b.back, b.back_vat, b.asked, b.deferred,
			coalesce(cents_share(b.vat + b.off_vat, b.off + least(b.ar, b.asked), b.asked + b.off), 0) - b.off_vat
		FROM purchases p CROSS JOIN LATERAL books_of_purchase(p.id) b WHERE p.merchant_id = ? AND p.id = ?`, merchantID,
		purchaseID).Scan(&at.Currency, &at.Status, &at.Owed, &at.Off, &at.OffVAT, &at.Back, &at.BackVAT, &asked, &at.Deferred,
		&at.OwedVAT)
	if errors.Is(err, pgx.ErrNoRows) {
		return at, fault.Missing()
	} else if err != nil {
		return at, fmt.Errorf("what the books have of a purchase: %w", err)
	}
	at.Owed = min(at.Owed, asked)
	return at, nil
}
