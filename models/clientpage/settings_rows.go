package clientpage

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// TableName implements GORM's Tabler.
func (Settings) TableName() string { return "client_page_settings" }

// settings are those of a brand, or the usual ones.
func (s Store) settings(ctx context.Context, merchantID, brandID uuid.UUID) (found Settings, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&found, "brand_id = ?", brandID).Error
	if fault.Is(err, fault.NotFound) {
		return Settings{MerchantID: merchantID, BrandID: brandID}, nil
	}
	return found, err
}

func saveSettings(tx *database.Tx, s Settings) error {
	return tx.Gorm().Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "brand_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"acts", "version", "updated_at"})}).Create(&s).Error
}
