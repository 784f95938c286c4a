package trail

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/audit"
)

// walkChunk is how many links a walk reads at once.
const walkChunk = 2_000

// Walk visits the links of a merchant in their order, each with its entry; an entry that is gone
// has the zero id.
func (s Store) Walk(ctx context.Context, merchantID uuid.UUID, visit func(audit.Link, audit.Kept) error) error {
	for after := int64(0); ; {
		read, err := linksAfter(ctx, s.Pool.Query, merchantID, after, walkChunk)
		if err != nil {
			return fmt.Errorf("walk the audit: %w", err)
		}
		for _, one := range read {
			after = one.N
			if err := visit(one.Link, one.entry); err != nil {
				return err
			}
		}
		if len(read) < walkChunk {
			return nil
		}
	}
}

// entered is a link with its entry, whose id is zero when it is gone.
type entered struct {
	audit.Link
	entry audit.Kept
}

// query runs a statement that gives rows, by the pool or in a transaction.
type query func(ctx context.Context, sql string, args ...any) (pgx.Rows, error)

// linksAfter are the next links of a merchant.
func linksAfter(ctx context.Context, read query, merchantID uuid.UUID, after int64, limit int) ([]entered, error) {
	rows, err := read(ctx, `SELECT l.n, l.entry_id, l.hash, `+keptColumns+`
		FROM audit_links l LEFT JOIN audit_entries e ON e.id = l.entry_id
		WHERE l.merchant_id = $1 AND l.n > $2 ORDER BY l.n LIMIT $3`, merchantID, after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, enteredOf(merchantID))
}

func enteredOf(merchantID uuid.UUID) pgx.RowToFunc[entered] {
	return func(row pgx.CollectableRow) (one entered, err error) {
		var r keptRow
		one.MerchantID = merchantID
		err = row.Scan(append([]any{&one.N, &one.EntryID, &one.Hash}, r.into()...)...)
		one.entry = r.domain()
		return one, err
	}
}
