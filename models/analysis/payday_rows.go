package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/estimate"
)

// mostTries is how many of a client's newest debits are looked at: who is paid by another employer has another pay day.
const mostTries = 24

// tries are the newest answered debits of clients that say something about a pay day. A client is found by its
// mandates, which are few.
func (s Store) tries(ctx context.Context, merchantID uuid.UUID,
	clients []uuid.UUID) (map[uuid.UUID][]estimate.Try, error) {
	var (
		of          [16]byte
		on          calendar.Date
		state, code string
	)
	out := map[uuid.UUID][]estimate.Try{}
	err := s.Pool.Each(ctx, []any{&of, &on, &state, &code}, func() error {
		if try, says := tryOf(on, collection.State(state), code); says && len(out[of]) < mostTries {
			out[of] = append(out[of], try)
		}
		return nil
	}, `SELECT d.* FROM unnest($2::uuid[]) AS a (client_id) CROSS JOIN LATERAL (
			SELECT m.client_id, c.action_date, c.state, c.result_code FROM mandates m
				JOIN collections c ON c.mandate_id = m.id AND c.merchant_id = m.merchant_id
			WHERE m.merchant_id = $1 AND m.client_id = a.client_id AND c.state = ANY($3::text[])
			ORDER BY c.id DESC LIMIT $4) d`,
		database.Native([]any{merchantID, database.IDs(clients), collection.Names(collection.OutcomeCollected,
			collection.OutcomeFailed, collection.OutcomeDisputed), 2 * mostTries})...)
	if err != nil {
		return nil, fmt.Errorf("debits that tell a pay day: %w", err)
	}
	return out, nil
}
