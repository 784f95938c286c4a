package exchange

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// heldByBooks tells whether a record in the books says what a movement is.
func (s Store) heldByBooks(ctx context.Context, merchantID, id uuid.UUID) (held bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM book_records r WHERE r.merchant_id = ? AND r.movement_id = ?
		AND r.kind <> 'taken_back' AND NOT EXISTS (SELECT FROM book_records u WHERE u.undoes = r.id))`, merchantID, id).
		Scan(&held).Error
	if err != nil {
		return false, fmt.Errorf("what the books say of a movement: %w", err)
	}
	return held, nil
}
