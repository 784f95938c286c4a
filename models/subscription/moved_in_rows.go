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
	err = database.Query(tx, func(id *[16]byte) []any { return []any{id} }, func(id [16]byte) { gone[id] = true },
		`DELETE FROM template_clients s WHERE merchant_id = $1 AND id = ANY($2::uuid[])
			AND (why = ANY($3) AND version = 1 OR status <> 'inactive' AND version = 2)
			AND NOT EXISTS (SELECT FROM billing_periods p
				WHERE p.template_client_id = s.id) RETURNING id`, merchantID.String(), database.IDs(ids),
		[]string{WhyParked, whyParkedPaused})
	if err != nil {
		return nil, fmt.Errorf("remove parked subscriptions: %w", err)
	}
	return gone, nil
}

// RemoveUnused takes back a template that has no subscribers; false when it has, or was changed.
func RemoveUnused(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM billing_templates t WHERE merchant_id = $1 AND id = $2 AND version = 1
		AND NOT EXISTS (SELECT FROM template_clients s WHERE s.template_id = t.id)
		AND NOT EXISTS (SELECT FROM price_letters l WHERE l.template_id = t.id)`, merchantID, id)
	if err != nil {
		return false, fmt.Errorf("remove a template: %w", err)
	}
	return n == 1, nil
}
