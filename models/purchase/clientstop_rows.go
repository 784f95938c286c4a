package purchase

import (
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
