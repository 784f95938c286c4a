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
	var lines []struct{ Client, TokenID, SubscriberID uuid.UUID }
	err = tx.Gorm().Raw(`SELECT CASE WHEN verdict = 'created' THEN client_id END AS client, token_id, subscriber_id
		FROM book_import_rows WHERE merchant_id = ? AND import_id = ? AND group_name = ? AND state IN ('applied', 'undone')
		ORDER BY n`, i.MerchantID, i.ID, group).Find(&lines).Error
	if err != nil {
		return out, fmt.Errorf("find what is parked: %w", err)
	}
	for _, l := range lines {
		for _, one := range []struct {
			id   uuid.UUID
			into *[]uuid.UUID
		}{{l.Client, &out.clients}, {l.TokenID, &out.tokens}, {l.SubscriberID, &out.subscriptions}} {
			if one.id != uuid.Nil {
				*one.into = append(*one.into, one.id)
			}
		}
	}
	return out, nil
}
