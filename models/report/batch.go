package report

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// OfBatch is what the invoices of a batch come to by now, voided ones included: the sums of its rows.
func (s *Money) OfBatch(ctx context.Context, who actor.Actor, batchID uuid.UUID) (sums Sums, err error) {
	if err := who.May(actor.Read); err != nil {
		return sums, err
	}
	alike, err := s.Store.standingsOfBatch(ctx, who.MerchantID, batchID)
	for _, a := range alike {
		for range a.Times {
			sums.add(a.Standing)
		}
	}
	return sums, err
}

// Standings are what purchases of the merchant come to by now, by their ids. Ids of others are left out.
func (s *Money) Standings(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]Standing, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.standings(ctx, who.MerchantID, ids)
}
