package followup

import (
	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Release gives what a person looked after back to nobody, for the person leaves, and tells how many things there were.
func Release(tx *database.Tx, merchantID, owner uuid.UUID) (int64, error) {
	return tx.Exec(`DELETE FROM owners WHERE merchant_id = $1 AND owner_id = $2`, merchantID, owner)
}
