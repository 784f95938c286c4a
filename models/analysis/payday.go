package analysis

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
)

// PayDay is the day of the month on which a client probably has money, by its newest debits; false where it cannot be
// said.
func (s *Service) PayDay(ctx context.Context, who actor.Actor, clientID uuid.UUID) (estimate.PayDay, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return estimate.PayDay{}, false, err
	}
	days, err := s.Store.payDays(ctx, who.MerchantID, []uuid.UUID{clientID}, s.Calendar)
	found := days[clientID]
	return found.PayDay, found.Sure, err
}

// ClientPayDay is the pay day of a client, which is only Sure where it can be said.
type ClientPayDay struct {
	estimate.PayDay
	Sure bool
}

// payDays finds those of several clients; those without debits are left out.
func (s Store) payDays(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID,
	cal *calendar.Calendar) (map[uuid.UUID]ClientPayDay, error) {
	tries, err := s.tries(ctx, merchantID, clients)
	out := make(map[uuid.UUID]ClientPayDay, len(tries))
	for id, of := range tries {
		day, sure := estimate.PayDayOf(of, cal)
		out[id] = ClientPayDay{day, sure}
	}
	return out, err
}

// tryOf is what a debit says about a pay day; false where it says nothing, as one does that the client stopped.
func tryOf(on calendar.Date, state collection.State, code string) (estimate.Try, bool) {
	switch {
	case state.Collected(), state == collection.Disputed, state == collection.DisputeLost:
		return estimate.Try{On: on, Paid: true}, true // there was money, whatever the client said of it later
	case state == collection.Unpaid && bank.CodeOf(code).Class == bank.Soft:
		return estimate.Try{On: on}, true
	}
	return estimate.Try{}, false
}
