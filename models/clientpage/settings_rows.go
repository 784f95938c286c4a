package clientpage

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var (
	settingsTable = table.New[Settings]("client_page_settings")
	settingsSave  = settingsTable.Write(`INSERT INTO client_page_settings (@columns) VALUES (@values)
		ON CONFLICT (brand_id) DO UPDATE SET acts = excluded.acts, version = excluded.version,
		updated_at = excluded.updated_at`)
)

// settings are those of a brand, or the usual ones.
func (s Store) settings(ctx context.Context, merchantID, brandID uuid.UUID) (Settings, error) {
	found, err := database.One(ctx, s.DB, settingsTable, "merchant_id = $1 AND brand_id = $2", merchantID, brandID)
	if fault.Is(err, fault.NotFound) {
		return Settings{MerchantID: merchantID, BrandID: brandID}, nil
	}
	return found, err
}

func saveSettings(tx *database.Tx, s Settings) { database.Write(tx, settingsSave, s) }
