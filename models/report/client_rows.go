package report

import (
	"context"

	"github.com/google/uuid"
)

// clientPurchases are the newest purchases of a client, newest first.
func (s Store) clientPurchases(ctx context.Context, merchantID, clientID uuid.UUID,
	limit int) (found []ClientPurchase, err error) {
	err = s.Gorm(ctx).Raw(`SELECT p.id, coalesce(nullif(p.reference, ''), p.reference_generated) AS reference,
		p.currency, `+StandingColumns+`, coalesce(c.amount_cents, 0) AS debit_cents,
		c.state AS debit_state, c.action_date, c.submit_at, p.due_strict,
		CASE WHEN p.due_given THEN p.pass_at END AS pass_at,
		c.id IS NOT NULL AND NOT EXISTS (SELECT FROM collections b WHERE b.mandate_id = c.mandate_id
		AND b.id < c.id) AS first_debit
		FROM (SELECT * FROM purchases WHERE client_id = ? AND merchant_id = ? ORDER BY id DESC LIMIT ?) p
		LEFT JOIN collections c ON c.purchase_id = p.id AND c.attempt = p.collection_count
		`+StandingNotes+`
		ORDER BY p.id DESC`, clientID, merchantID, limit).Find(&found).Error
	return found, err
}
