package savedreport

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/member"
)

// Store is where saved reports are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Report) TableName() string { return "saved_reports" }

func (s Store) ofOwner(ctx context.Context, merchantID, ownerID uuid.UUID) (reports []Report, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("owner_id = ?", ownerID).
		Order("lower(name), id").Limit(most).Find(&reports).Error
	return reports, err
}

// due lists reports that wait to be mailed in a month. It crosses merchants: the sweep serves them all.
func (s Store) due(ctx context.Context, month calendar.Date, after uuid.UUID, limit int) (reports []Report, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("monthly AND settled_on < ? AND id > ?", month, after).
		Order("id").Limit(limit).Find(&reports).Error
	return reports, err
}

// hold gives a report of its owner, and keeps it from others for this transaction.
func hold(tx *database.Tx, who actor.Actor, id uuid.UUID) (r Report, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(who.MerchantID), database.ForUpdate).
		Take(&r, "owner_id = ? AND id = ?", who.ID, id).Error
	return r, err
}

// count counts those of a person, one save after the other.
func count(tx *database.Tx, who actor.Actor) (n int64, err error) {
	if err = member.OneByOne(tx, who.MerchantID, who.ID); err == nil {
		err = tx.Gorm().Model(&Report{}).Scopes(database.OfMerchant(who.MerchantID)).Where("owner_id = ?", who.ID).
			Count(&n).Error
	}
	if err != nil {
		return 0, fmt.Errorf("count saved reports: %w", err)
	}
	return n, nil
}

// save changes a report that this transaction holds.
func save(tx *database.Tx, r Report) error {
	return database.OneRow(tx.Gorm().Model(&r).Scopes(database.OfMerchant(r.MerchantID)).
		Select("monthly", "settled_on", "note", "updated_at").UpdateColumns(r))
}

// settle notes that a report is settled for a month; false when somebody did so before.
func settle(tx *database.Tx, r Report) (bool, error) {
	return database.Found(tx.Gorm().Model(&r).Scopes(database.OfMerchant(r.MerchantID)).
		Where("monthly AND settled_on < ?", r.SettledOn).Select("settled_on", "note").UpdateColumns(r))
}

// drop deletes a report that this transaction holds.
func drop(tx *database.Tx, r Report) error {
	return tx.Gorm().Scopes(database.OfMerchant(r.MerchantID)).Delete(&r).Error
}
