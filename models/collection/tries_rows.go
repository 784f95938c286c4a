package collection

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/estimate"
)

// Known is what a debit says about its client's pay day, and since when that was known.
type Known struct {
	estimate.Try
	At time.Time
}

// KnownTries are the newest answered debits of clients that say something about a pay day, the newest first. A client
// is found by its mandates, which are few. One that is named twice is looked at once.
func (s Store) KnownTries(ctx context.Context, merchantID uuid.UUID,
	clients []uuid.UUID) (map[uuid.UUID][]Known, error) {
	clients = slices.Clone(clients)
	slices.SortFunc(clients, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	clients = slices.Compact(clients)
	var found []struct {
		ClientID   uuid.UUID
		ActionDate calendar.Date
		State      State
		ResultCode string
		KnownAt    time.Time
	}
	err := s.Gorm(ctx).Raw(`SELECT d.* FROM unnest(?::uuid[]) AS a (client_id) CROSS JOIN LATERAL (
			SELECT m.client_id, c.action_date, c.state, c.result_code,
				coalesce(greatest(c.result_at, CASE WHEN c.state = 'final' THEN c.final_at END), c.updated_at) AS known_at
			FROM mandates m JOIN collections c ON c.mandate_id = m.id AND c.merchant_id = m.merchant_id
			WHERE m.merchant_id = ? AND m.client_id = a.client_id AND c.state = ANY(?::text[])
			ORDER BY c.id DESC LIMIT ?) d`, database.IDs(clients), merchantID,
		database.TextArray(Names(OutcomeCollected, OutcomeFailed, OutcomeDisputed)), 4*mostTries).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("debits that tell a pay day: %w", err)
	}
	out := map[uuid.UUID][]Known{}
	for _, f := range found {
		if try, says := tryOf(f.ActionDate, f.State, f.ResultCode); says {
			out[f.ClientID] = append(out[f.ClientID], Known{try, f.KnownAt})
		}
	}
	return out, nil
}
