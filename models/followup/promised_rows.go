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
	days := map[uuid.UUID]calendar.Date{}
	var id [16]byte
	var day string
	err := s.Pool.Each(ctx, []any{&id, &day}, func() (err error) {
		days[id], err = calendar.ParseDate(day)
		return err
	}, `SELECT p.id, max(w.due_on)::text FROM purchases p JOIN promises w ON w.merchant_id = p.merchant_id
			AND w.state = 'open' AND (w.purchase_id = p.id OR w.purchase_id IS NULL AND w.client_id = p.client_id)
		WHERE p.merchant_id = $1 AND p.id = ANY($2::uuid[]) GROUP BY p.id`,
		database.Native([]any{merchantID, purchases})...)
	if err != nil {
		return nil, fmt.Errorf("read what was promised: %w", err)
	}
	return days, nil
}
