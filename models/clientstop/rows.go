package clientstop

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Store keeps the stops of clients.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (ClientStop) TableName() string { return "client_stops" }

// end ends a stop that holds; false when another was quicker.
func end(tx *database.Tx, s ClientStop) (bool, error) {
	return database.Found(tx.Gorm().Model(&s).Scopes(database.OfMerchant(s.MerchantID)).
		Where("state = ?", StopStanding).Select("state", "ended_by", "ended_name", "ended_at").UpdateColumns(s))
}

// Standing gives the stop of a client that holds; false when there is none.
func (s Store) Standing(ctx context.Context, merchantID, clientID uuid.UUID) (ClientStop, bool, error) {
	var found []ClientStop
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Find(&found, "client_id = ? AND state = ?", clientID, StopStanding).Error
	if err != nil || len(found) == 0 {
		return ClientStop{}, false, err
	}
	return found[0], true, nil
}
