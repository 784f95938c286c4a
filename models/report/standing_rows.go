package report

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// StandingColumns is a Standing by now, of a row p of purchases beside StandingNotes.
const StandingColumns = `p.status, p.total_cents, p.net_cents + p.refunded_cents AS received_cents, p.refunded_cents,
	p.refunded_cents - p.overpaid_cents AS allowed_cents, coalesce(d.credited, 0)::bigint AS notes_cents,
	coalesce(d.invoiced, false) AS invoiced`

// StandingNotes joins what was invoiced and credited of a row p of purchases.
const StandingNotes = `LEFT JOIN LATERAL (SELECT bool_or(i.kind = 'invoice') AS invoiced,
		sum(i.total_cents) FILTER (WHERE i.kind = 'credit_note') AS credited FROM invoices i
	WHERE i.merchant_id = p.merchant_id AND i.kind IN ('invoice', 'credit_note') AND i.purchase_id = p.id) AS d ON true`

func (s Store) standings(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Standing, error) {
	var found []struct {
		ID uuid.UUID
		Standing
	}
	err := s.Gorm(ctx).Raw(`SELECT p.id, `+StandingColumns+` FROM purchases p `+StandingNotes+`
		WHERE p.merchant_id = ? AND p.id = ANY(?::uuid[])`, merchantID, database.IDs(ids)).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("standings: %w", err)
	}
	out := make(map[uuid.UUID]Standing, len(found))
	for _, f := range found {
		out[f.ID] = f.Standing
	}
	return out, nil
}

// alike are purchases that stand the same. Most invoices of a batch do.
type alike struct {
	Standing
	Times int64
}

func (s Store) standingsOfBatch(ctx context.Context, merchantID, batchID uuid.UUID) (out []alike, err error) {
	err = s.Gorm(ctx).Raw(`SELECT s.*, count(*) AS times FROM (SELECT `+StandingColumns+` FROM batch_rows r
			JOIN purchases p ON p.id = r.purchase_id AND p.merchant_id = r.merchant_id `+StandingNotes+`
			WHERE r.batch_id = ? AND r.merchant_id = ? AND r.state IN ('sent', 'voided')) AS s
		GROUP BY 1, 2, 3, 4, 5, 6, 7`, batchID, merchantID).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("standings of a batch: %w", err)
	}
	return out, nil
}
