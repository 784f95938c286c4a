package analysis

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
)

// PayDay is the day of the month on which a client probably has money, by its newest debits; false where it cannot be
// said.
func (s *Service) PayDay(ctx context.Context, who actor.Actor, clientID uuid.UUID) (estimate.PayDay, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return estimate.PayDay{}, false, err
	}
	known, err := collection.Store(s.Store).KnownTries(ctx, who.MerchantID, []uuid.UUID{clientID})
	if err != nil {
		return estimate.PayDay{}, false, err
	}
	day, sure := collection.PayDayBy(known[clientID], s.Now(), s.Calendar)
	return day, sure, nil
}
