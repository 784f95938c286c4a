package merging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (apart) TableName() string { return "clients_apart" }

// keepApart keeps a pair, or lets it go; false when it was so already.
func keepApart(tx *database.Tx, a apart, is bool) (changed bool, err error) {
	if is {
		changed, err = database.Found(tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).Create(&a))
	} else {
		changed, err = database.Found(tx.Gorm().Scopes(database.OfMerchant(a.MerchantID)).
			Delete(&apart{}, "first_id = ? AND later_id = ?", a.FirstID, a.LaterID))
	}
	if err != nil {
		return false, fmt.Errorf("keep clients apart: %w", err)
	}
	return changed, nil
}

// apart lists pairs that are not the same client, the newest first.
func (s Store) apart(ctx context.Context, merchantID uuid.UUID, limit int) (pairs []apart, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("at DESC, first_id, later_id").Limit(limit).
		Find(&pairs).Error
	return pairs, err
}

// apartFrom are the clients who are not the same one as a client.
func (s Store) apartFrom(ctx context.Context, merchantID, id uuid.UUID) (map[uuid.UUID]bool, error) {
	var pairs []apart
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("first_id = ? OR later_id = ?", id, id).
		Find(&pairs).Error
	if err != nil {
		return nil, fmt.Errorf("find clients kept apart: %w", err)
	}
	out := map[uuid.UUID]bool{}
	for _, pair := range pairs {
		out[pair.FirstID], out[pair.LaterID] = true, true
	}
	delete(out, id)
	return out, nil
}
