package wording

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
)

// Store is where the words of messages are kept.
type Store struct{ *database.DB }

// testsOf counts the tests of a person since a moment, one asking after the other, and gives the number of the last.
func testsOf(tx *database.Tx, who actor.Actor, object uuid.UUID, since time.Time) (recent, last int, err error) {
	if _, err = tx.Exec(`SELECT 1 FROM memberships WHERE merchant_id = $1 AND user_id = $2 FOR NO KEY UPDATE`,
		who.MerchantID, who.ID); err != nil {
		return 0, 0, fmt.Errorf("count tests of messages: %w", err)
	}
	err = tx.DB().Pool.QueryRow(tx.Context(), `SELECT count(*) FILTER (WHERE created_at > $4), coalesce(max(attempt), 0)
		FROM mails WHERE merchant_id = $1 AND object_id = $2 AND kind = $3`,
		database.Native([]any{who.MerchantID, object, MailTest, since})...).Scan(&recent, &last)
	if err != nil {
		return 0, 0, fmt.Errorf("count tests of messages: %w", err)
	}
	return recent, last, nil
}
