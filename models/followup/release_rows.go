package followup

import (
	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Release gives what a person looked after back to nobody, for the person leaves, and tells how many things there were.
func Release(tx *database.Tx, merchantID, owner uuid.UUID) (int64, error) {
	given := tx.Gorm().Scopes(database.OfMerchant(merchantID)).Delete(&ownership{}, "owner_id = ?", owner)
	return given.RowsAffected, given.Error
}
