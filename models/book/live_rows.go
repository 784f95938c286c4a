package book

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

var noTime time.Time

// parkedRows are what a group brought in that is parked.
type parkedRows struct{ clients, tokens, subscriptions []uuid.UUID }

// parkedOf finds what a group brought in.
func parkedOf(tx *database.Tx, i Import, group string) (out parkedRows, err error) {
	type line struct{ client, token, subscription *string }
	err = database.Query(tx, func(l *line) []any { return []any{&l.client, &l.token, &l.subscription} }, func(l line) {
		for _, one := range []struct {
			id   *string
			into *[]uuid.UUID
		}{{l.client, &out.clients}, {l.token, &out.tokens}, {l.subscription, &out.subscriptions}} {
			if one.id != nil {
				*one.into = append(*one.into, idFrom(*one.id))
			}
		}
	}, `SELECT CASE WHEN verdict = 'created' THEN client_id::text END, token_id::text, subscriber_id::text
		FROM book_import_rows WHERE merchant_id = $1 AND import_id = $2 AND group_name = $3 AND state IN ('applied', 'undone')
		ORDER BY n`, i.MerchantID.String(), i.ID.String(), group)
	if err != nil {
		return out, fmt.Errorf("find what is parked: %w", err)
	}
	return out, nil
}
