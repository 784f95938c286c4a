package followup

import (
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
)

// Raised is what a person is asked to do about a purchase.
type Raised struct {
	PurchaseID, ClientID uuid.UUID
	Text                 string
}

// Raise writes notes on purchases and has them need attention, though somebody put them off or closed them.
func Raise(tx *database.Tx, who actor.Actor, about []Raised) error {
	ids := make([]uuid.UUID, len(about))
	for i, r := range about {
		ids[i] = r.PurchaseID
		InsertNote(tx, Note{ID: tx.NewID(), MerchantID: who.MerchantID, ObjectType: Purchase, ObjectID: r.PurchaseID,
			ClientID: r.ClientID, PurchaseID: r.PurchaseID, Text: r.Text, Author: who.Name, CreatedAt: tx.Now()})
	}
	_, err := tx.Exec(`UPDATE followups SET state = 'open', hidden_until = '-infinity', reason = '', actor_id = NULL,
			actor = $3, acted_at = $4
		WHERE merchant_id = $1 AND object_id = ANY($2::uuid[]) AND state <> 'open'`, who.MerchantID, database.IDs(ids),
		who.Name, tx.Now())
	if err != nil {
		return fmt.Errorf("have purchases need attention: %w", err)
	}
	return nil
}
