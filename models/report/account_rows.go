package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// account reads the purchases of a client that were made by a moment, each with the last status of its history and the
// sum of its movements by then.
func (s Store) account(ctx context.Context, merchantID, clientID uuid.UUID, end time.Time,
	limit int) ([]AccountLine, error) {
	rows, err := s.Pool.Query(
		ctx,
		`SELECT p.id, p.created_at, coalesce(nullif(p.reference, ''), p.reference_generated, ''), p.currency,
			p.total_cents, coalesce(h.status, 'created'), coalesce(h.at, p.created_at), coalesce(m.received, 0)::bigint,
			coalesce(m.refunded, 0)::bigint, coalesce(once.cents, 0)::bigint, coalesce(d.credited, 0)::bigint,
			coalesce(d.invoiced, false)
		FROM (SELECT * FROM purchases WHERE merchant_id = @m::uuid AND client_id = @client::uuid AND created_at <= @end
				ORDER BY id DESC LIMIT @limit) AS p
			LEFT JOIN LATERAL (SELECT x ->> 'status' AS status, (x ->> 'at')::timestamptz AS at
				FROM jsonb_array_elements(p.history) WITH ORDINALITY AS e (x, n)
				WHERE (x ->> 'at')::timestamptz <= @end ORDER BY n DESC LIMIT 1) AS h ON true
			LEFT JOIN LATERAL (SELECT sum(e.amount_cents) FILTER (WHERE e.kind <> 'refunded') AS received,
					-sum(e.amount_cents) FILTER (WHERE e.kind = 'refunded') AS refunded FROM ledger_entries e
				WHERE e.purchase_id = p.id AND e.merchant_id = p.merchant_id AND e.at <= @end) AS m ON true
			LEFT JOIN LATERAL (SELECT sum(x.cents) AS cents FROM (SELECT DISTINCT ON (e.refund_id) -e.amount_cents AS cents
				FROM ledger_entries e WHERE e.purchase_id = p.id AND e.merchant_id = p.merchant_id AND e.at <= @end
					AND e.kind = 'refunded') AS x) AS once ON m.refunded > 0
			LEFT JOIN LATERAL (SELECT bool_or(i.kind = 'invoice') AS invoiced,
					sum(i.total_cents) FILTER (WHERE i.kind = 'credit_note') AS credited FROM invoices i
				WHERE i.merchant_id = p.merchant_id AND i.kind IN ('invoice', 'credit_note') AND i.purchase_id = p.id
					AND i.created_at <= @end) AS d ON true
		ORDER BY p.id DESC`,
		pgx.NamedArgs{"m": merchantID.String(), "client": clientID.String(), "end": end, "limit": limit},
	)
	if err != nil {
		return nil, fmt.Errorf("account of a client: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l AccountLine, err error) {
		err = row.Scan((*[16]byte)(&l.ID), &l.MadeAt, &l.Reference, &l.Currency, &l.TotalCents, &l.Status, &l.ChangedAt,
			&l.ReceivedCents, &l.RefundedCents, &l.AllowedCents, &l.NotesCents, &l.Invoiced)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("account of a client: %w", err)
	}
	return out, nil
}
