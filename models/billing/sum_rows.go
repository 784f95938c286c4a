package billing

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// sums are what the invoices of a filter come to in each currency. It looks at up to limit of them; whoever asks
// compares the number with their count.
func (s Store) sums(ctx context.Context, merchantID uuid.UUID, f Filter,
	limit int64) (out []Sum, err error) {
	const sums = "SELECT currency, count(*) AS n, sum(cents)::text AS cents FROM (%s) AS part " +
		"GROUP BY currency ORDER BY currency"
	find := s.finder(merchantID, f)
	if find.Typed() {
		ids, err := listing.FindAll(ctx, s.DB, find)
		if ids == nil {
			return nil, err
		}
		err = s.Gorm(ctx).Raw(fmt.Sprintf(sums, `SELECT currency, total_cents AS cents FROM invoices
			WHERE merchant_id = ? AND kind = 'invoice'
			AND purchase_id = ANY(?::uuid[])`), merchantID, database.IDs(ids)).Scan(&out).Error
		return out, summing(err)
	}
	w := find.Walk
	of := fmt.Sprintf(
		"SELECT p.*, i.total_cents AS invoice_cents, i.currency AS invoice_currency FROM %s WHERE %s "+
			"ORDER BY i.purchase_id DESC LIMIT %d",
		w.Source(paging.Ask{}, int(limit)),
		w.Where,
		limit,
	)
	part := "SELECT invoice_currency AS currency, invoice_cents AS cents FROM (" + of + ") AS p"
	if w.Fits != "" {
		part += " WHERE " + w.Fits
	}
	err = s.Gorm(ctx).Raw(fmt.Sprintf(sums, part), slices.Concat(w.Values(paging.Ask{}), w.FitArgs)...).Scan(&out).Error
	return out, summing(err)
}

func summing(err error) error {
	if err != nil {
		return fmt.Errorf("sum up invoices: %w", err)
	}
	return nil
}
