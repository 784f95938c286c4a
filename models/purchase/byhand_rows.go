package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// paidFromBank is what of a purchase was booked from movements of the bank.
func (s Store) paidFromBank(ctx context.Context, merchantID, id uuid.UUID) (cents int64, err error) {
	err = s.Gorm(ctx).Raw(`SELECT coalesce(sum(amount_cents), 0)::bigint FROM bank_payments
		WHERE merchant_id = ? AND purchase_id = ? AND undone_at IS NULL`, merchantID, id).Scan(&cents).Error
	if err != nil {
		return 0, fmt.Errorf("what was booked from the bank: %w", err)
	}
	return cents, nil
}
