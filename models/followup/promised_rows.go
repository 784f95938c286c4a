package followup

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Promised gives the last day of the open promises about some purchases, or about all that their clients owe.
func (s Store) Promised(ctx context.Context, merchantID uuid.UUID,
	purchases []uuid.UUID) (map[uuid.UUID]calendar.Date, error) {
	var found []struct {
		ID  uuid.UUID
		Day calendar.Date
	}
	err := s.Gorm(ctx).Raw(`SELECT p.id, max(w.due_on) AS day FROM purchases p
			JOIN promises w ON w.merchant_id = p.merchant_id
			AND w.state = 'open' AND (w.purchase_id = p.id OR w.purchase_id IS NULL AND w.client_id = p.client_id)
		WHERE p.merchant_id = ? AND p.id = ANY(?::uuid[]) GROUP BY p.id`, merchantID, database.IDs(purchases)).
		Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("read what was promised: %w", err)
	}
	days := map[uuid.UUID]calendar.Date{}
	for _, f := range found {
		days[f.ID] = f.Day
	}
	return days, nil
}
