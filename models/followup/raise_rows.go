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
	ids, notes := make([]uuid.UUID, len(about)), make([]Note, len(about))
	for i, r := range about {
		ids[i] = r.PurchaseID
		notes[i] = Note{ID: tx.NewID(), MerchantID: who.MerchantID, ObjectType: Purchase, ObjectID: r.PurchaseID,
			ClientID: r.ClientID, PurchaseID: r.PurchaseID, Text: r.Text, Author: who.Name, CreatedAt: tx.Now()}
	}
	if err := addNotes(tx, notes); err != nil {
		return err
	}
	err := tx.Gorm().Model(&Act{}).Scopes(database.OfMerchant(who.MerchantID)).
		Where("object_id IN ? AND state <> ?", ids, Waits).
		UpdateColumns(map[string]any{"state": Waits, "hidden_until": "-infinity", "reason": "", "actor_id": nil,
			"actor": who.Name, "acted_at": tx.Now()}).Error
	if err != nil {
		return fmt.Errorf("have purchases need attention: %w", err)
	}
	return nil
}
