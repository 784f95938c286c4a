package report

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/paging"
)

// clientFiles reads a page of the files of a client, newest first; ids follow the moment at which a file was made.
func (s Store) clientFiles(ctx context.Context, merchantID, clientID uuid.UUID,
	ask paging.Ask) (found []ClientFile, err error) {
	err = s.Gorm(ctx).Raw(`SELECT f.* FROM (
			SELECT i.id, i.kind, i.purchase_id AS object_id, i.number AS name, i.total_cents AS cents,
			i.currency, i.created_at AS at
				FROM (SELECT id FROM purchases WHERE client_id = ? AND merchant_id = ? ORDER BY id DESC LIMIT ?) p
					JOIN invoices i ON i.purchase_id = p.id AND i.merchant_id = ?
			UNION ALL SELECT m.id, 'mandate', m.id, m.contract_reference, 0, '', m.created_at
				FROM (SELECT * FROM mandates WHERE client_id = ? AND merchant_id = ? ORDER BY id DESC LIMIT ?) m
			UNION ALL SELECT e.id, 'evidence', e.mandate_id, e.name, 0, '', e.created_at
				FROM (SELECT id FROM mandates WHERE client_id = ? AND merchant_id = ? ORDER BY id DESC LIMIT ?) m
					JOIN mandate_evidence e ON e.mandate_id = m.id AND e.merchant_id = ?) f
		WHERE ?::uuid = '00000000-0000-0000-0000-000000000000' OR f.id < ?::uuid ORDER BY f.id DESC LIMIT ?`,
		clientID, merchantID, filesOf, merchantID, clientID, merchantID, filesOf, clientID, merchantID, filesOf, merchantID,
		ask.From, ask.From, ask.Fetch()).Find(&found).Error
	return found, err
}
