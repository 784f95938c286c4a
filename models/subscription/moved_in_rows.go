package subscription

import (
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// RemoveParked takes subscriptions back that came in parked and never billed, started or not, and tells which of them
// are gone: the others were changed, or have billed.
func RemoveParked(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) (gone map[uuid.UUID]bool, err error) {
	gone = map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return gone, nil
	}
	var removed []uuid.UUID
	err = tx.Gorm().Raw(`DELETE FROM template_clients s WHERE merchant_id = ? AND id = ANY(?::uuid[])
			AND (why IN ? AND version = 1 OR status <> 'inactive' AND version = 2)
			AND NOT EXISTS (SELECT FROM billing_periods p WHERE p.template_client_id = s.id) RETURNING id`, merchantID,
		database.IDs(ids), []string{WhyParked, whyParkedPaused}).Find(&removed).Error
	if err != nil {
		return nil, fmt.Errorf("remove parked subscriptions: %w", err)
	}
	for _, id := range removed {
		gone[id] = true
	}
	return gone, nil
}

// RemoveUnused takes back a template that has no subscribers; false when it has, or was changed.
func RemoveUnused(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	removed, err := database.Found(tx.Gorm().Exec(`DELETE FROM billing_templates t WHERE merchant_id = ? AND id = ?
		AND version = 1 AND NOT EXISTS (SELECT FROM template_clients s WHERE s.template_id = t.id)
		AND NOT EXISTS (SELECT FROM price_letters l WHERE l.template_id = t.id)`, merchantID, id))
	if err != nil {
		return false, fmt.Errorf("remove a template: %w", err)
	}
	return removed, nil
}
