package purchase

import (
	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

// Stops holds the stops of clients.
var Stops = table.New[ClientStop]("client_stops")

var stopEnd = Stops.Write(`UPDATE client_stops SET @set(state, ended_by, ended_name, ended_at)
	WHERE merchant_id = @merchant_id AND id = @id AND state = 'standing'`)

func insertStop(tx *database.Tx, s ClientStop) { database.Insert(tx, Stops, s) }

// endStop ends a stop that holds; false when another was quicker.
func endStop(tx *database.Tx, s ClientStop) (bool, error) { return database.Change(tx, stopEnd, s) }

// restoreCollection plans a debit again that was cancelled before any process began to hand it over; false when the
// bank may have it, or its cut-off has passed.
func restoreCollection(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	return tx.ExecOne("restore collection", `UPDATE collections SET state = 'scheduled', updated_at = $3
		WHERE merchant_id = $1 AND id = $2 AND state = 'cancelled' AND claimed_until IS NULL AND NOT recall_due
		AND submit_at > $3`, merchantID, id, tx.Now())
}
