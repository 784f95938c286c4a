package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// debitWhere is the condition on debits, for figures, the list, its count and its
// export alike.
func debitWhere(merchantID uuid.UUID, f purchase.DebitFilter) (string, []any) {
	where, args := "merchant_id = ?", []any{merchantID}
	if len(f.Outcomes) > 0 {
		where, args = where+" AND state = ANY(?::text[])", append(args, statesArray(collection.StatesOf(f.Outcomes...)))
	}
	if !f.From.IsZero() {
		where, args = where+" AND action_date >= ?", append(args, f.From)
	}
	if !f.To.IsZero() {
		where, args = where+" AND action_date <= ?", append(args, f.To)
	}
	if !f.SubmitBy.IsZero() {
		where, args = where+" AND state = 'scheduled' AND submit_at <= ?", append(args, f.SubmitBy)
	}
	return where, args
}

func statesArray(states []collection.State) textArray {
	names := make(textArray, len(states))
	for i, s := range states {
		names[i] = string(s)
	}
	return names
}

// Debits implements purchase.Lister.
func (s *Store) Debits(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter, ask paging.Ask) ([]collection.Collection, error) {
	where, args := debitWhere(merchantID, f)
	return find(ctx, s, collectionTable, beside(list(ctx, s, collectionTable).Where(where, args...), ask))
}

// TallyDebits implements purchase.Lister; a limit of 0 is none.
func (s *Store) TallyDebits(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter, limit int64) (t purchase.Tally, err error) {
	where, args := debitWhere(merchantID, f)
	part := "SELECT amount_cents AS cents FROM collections WHERE " + where
	if limit > 0 {
		part += fmt.Sprintf(" LIMIT %d", limit)
	}
	if err := s.read(ctx).Raw("SELECT "+tallied+" FROM ("+part+") AS part", args...).Scan(&t).Error; err != nil {
		return t, fmt.Errorf("sum up debits: %w", err)
	}
	return t, nil
}
