package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// accounts reads the newest purchases of each client that were made by a moment, each with the last status of its
// history and the sum of its movements by then.
func (s Store) accounts(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID, end time.Time,
	limit int) (out []AccountLine, err error) {
	err = s.Gorm(ctx).Raw(`SELECT p.id, p.client_id, p.created_at AS made_at, coalesce(p.due, p.created_at) AS due,
			coalesce(nullif(p.reference, ''), p.reference_generated, '') AS reference, p.currency,
			p.total_cents, coalesce(h.status, 'created') AS status, coalesce(h.at, p.created_at) AS changed_at,
			greatest(p.created_at, h.at, m.last, d.last) AS moved_at,
			coalesce(m.received, 0)::bigint AS received_cents,
			coalesce(m.refunded, 0)::bigint AS refunded_cents, coalesce(once.cents, 0)::bigint AS allowed_cents,
			coalesce(d.credited, 0)::bigint AS notes_cents,
			coalesce(d.invoiced, false) AS invoiced
		FROM unnest(?::uuid[]) AS c (id)
			CROSS JOIN LATERAL (SELECT * FROM purchases WHERE merchant_id = ? AND client_id = c.id AND created_at <= ?
				ORDER BY id DESC LIMIT ?) AS p
			LEFT JOIN LATERAL (SELECT x ->> 'status' AS status, (x ->> 'at')::timestamptz AS at
				FROM jsonb_array_elements(p.history) WITH ORDINALITY AS e (x, n)
				WHERE (x ->> 'at')::timestamptz <= ? ORDER BY n DESC LIMIT 1) AS h ON true
			LEFT JOIN LATERAL (SELECT sum(e.amount_cents) FILTER (WHERE e.kind <> 'refunded') AS received,
					-sum(e.amount_cents) FILTER (WHERE e.kind = 'refunded') AS refunded, max(e.at) AS last FROM ledger_entries e
				WHERE e.purchase_id = p.id AND e.merchant_id = p.merchant_id AND e.at <= ?) AS m ON true
			LEFT JOIN LATERAL (SELECT sum(x.cents) AS cents FROM (SELECT DISTINCT ON (e.refund_id) -e.amount_cents AS cents
				FROM ledger_entries e WHERE e.purchase_id = p.id AND e.merchant_id = p.merchant_id AND e.at <= ?
					AND e.kind = 'refunded') AS x) AS once ON m.refunded > 0
			LEFT JOIN LATERAL (SELECT bool_or(i.kind = 'invoice') AS invoiced,
					sum(i.total_cents) FILTER (WHERE i.kind = 'credit_note') AS credited, max(i.created_at) AS last
				FROM invoices i
				WHERE i.merchant_id = p.merchant_id AND i.kind IN ('invoice', 'credit_note') AND i.purchase_id = p.id
					AND i.created_at <= ?) AS d ON true
		ORDER BY p.id DESC`,
		database.IDs(clients), merchantID, end, limit, end, end, end, end).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("accounts of clients: %w", err)
	}
	return out, nil
}
