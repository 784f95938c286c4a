package plan

import (
	"debitdesk/models/collection"
	"debitdesk/models/database"
)

// Begin has plans answer to debits that failed. It is called in the transaction that books the failures, and costs that
// no round trip.
func Begin(tx *database.Tx, failed []collection.Collection) {
	list := make([]Failure, 0, len(failed))
	for _, c := range failed {
		cause := CauseOf(c.Result.Code)
		list = append(list, Failure{ID: tx.NewID(), PurchaseID: c.PurchaseID, CollectionID: c.ID, Branch: cause.Branch(),
			Cause: cause, Code: c.Result.Code, FailedOn: c.ActionDate.String()})
	}
	if len(list) > 0 {
		begin(tx, list)
	}
}
