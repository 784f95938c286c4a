package amendment

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Store keeps the amendments of stored accounts.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Amendment) TableName() string { return "amendments" }

// end ends an amendment that is open; fault.ErrLost when it is not any more.
func end(tx *database.Tx, a Amendment) error {
	return database.OneRow(tx.Gorm().Model(&a).Scopes(database.OfMerchant(a.MerchantID)).
		Where("state = ?", AmendmentOpen).Select("state", "moved", "finished_at").UpdateColumns(a))
}

// Amendment finds one; NotFound for unknown ids and those of others.
func (s Store) Amendment(ctx context.Context, merchantID, id uuid.UUID) (a Amendment, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&a, "id = ?", id).Error
	return a, err
}

// Of gives the newest amendment that replaces a token; NotFound when there is none.
func (s Store) Of(ctx context.Context, merchantID, oldTokenID uuid.UUID) (a Amendment, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("old_token_id = ?", oldTokenID).
		Order("id DESC").Take(&a).Error
	return a, err
}

// OpenReplacements gives the open amendments in which some tokens are to replace another, by the tokens.
func (s Store) OpenReplacements(ctx context.Context, merchantID uuid.UUID,
	newIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	var found []Amendment
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Find(&found, "state = ? AND purchase_id IN ?", AmendmentOpen, newIDs).Error
	open := make(map[uuid.UUID]uuid.UUID, len(found))
	for _, a := range found {
		open[a.NewID] = a.ID
	}
	return open, err
}
