package merchant

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/logo"
)

// waits is how long a picture is kept that no brand took.
const waits = 24 * time.Hour

// keepLogo keeps a picture for a form that was not saved yet.
func keepLogo(tx *database.Tx, merchantID uuid.UUID, l logo.Logo) {
	tx.Later(`DELETE FROM brand_logos WHERE merchant_id = $1 AND brand_id IS NULL AND created_at < $2`,
		database.Native([]any{merchantID, tx.Now().Add(-waits)})...)
	tx.Later(`INSERT INTO brand_logos (id, merchant_id, name, picture, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, database.Native([]any{tx.NewID(), merchantID, string(l.Name), l.PNG, tx.Now()})...)
}

// takeLogo gives a brand that was written the picture that it names: the one that was chosen, or one that the business
// has.
func takeLogo(tx *database.Tx, b Brand) error {
	if b.Logo == "" {
		return nil
	}
	var row struct{ Picture []byte }
	if b.upload != nil {
		row.Picture = b.upload.read.PNG
	} else if err := tx.Gorm().Table("brand_logos").Select("picture").Where("merchant_id = ? AND name = ?", b.MerchantID,
		b.Logo).Limit(1).Take(&row).Error; fault.Is(err, fault.NotFound) {
		return fault.At("logo", "invalid", "The picture was not kept. Choose it again.")
	} else if err != nil {
		return fmt.Errorf("find a logo: %w", err)
	}
	tx.Later(`INSERT INTO brand_logos (id, merchant_id, brand_id, name, picture, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		database.Native([]any{tx.NewID(), b.MerchantID, b.ID, b.Logo, row.Picture, tx.Now()})...)
	return nil
}

// Logo gives a picture of any business: whoever has its name saw where it stands. NotFound otherwise.
func (s Store) Logo(ctx context.Context, name logo.Name) ([]byte, error) {
	var row struct{ Picture []byte }
	err := s.Gorm(ctx).Table("brand_logos").Scopes(database.AcrossMerchants).Select("picture").
		Where("name = ?", string(name)).Limit(1).Take(&row).Error
	if err != nil {
		return nil, fmt.Errorf("find a logo: %w", err)
	}
	return row.Picture, nil
}

// Letterhead is the picture of a name for a document; nil without a name. A picture that is gone keeps nobody from the
// document.
func (s Store) Letterhead(ctx context.Context, name logo.Name) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	picture, err := s.Logo(ctx, name)
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return picture, err
}
