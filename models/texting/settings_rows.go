package texting

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/sms"
)

// TableName implements GORM's Tabler.
func (Settings) TableName() string { return "sms_settings" }

// sent is how many parts went out for a merchant on a day.
type sent struct {
	MerchantID uuid.UUID
	Day        calendar.Date
	Parts      int
}

// TableName implements GORM's Tabler.
func (sent) TableName() string { return "sms_days" }

// blocked is a number that gets no SMS of a merchant.
type blocked struct {
	MerchantID uuid.UUID
	Phone      string // in the form +27…
	Since      time.Time
}

// TableName implements GORM's Tabler.
func (blocked) TableName() string { return "sms_blocks" }

// Settings are those of a merchant, or the usual ones.
func (s Store) Settings(ctx context.Context, merchantID uuid.UUID) (found Settings, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&found).Error
	if fault.Is(err, fault.NotFound) {
		return Settings{MerchantID: merchantID, DailyParts: usualParts}, nil
	}
	return found, err
}

// saveSettings is false when somebody else changed them meanwhile.
func saveSettings(tx *database.Tx, s Settings) (bool, error) {
	return database.Found(tx.Gorm().Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "merchant_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"daily_parts", "wide_hours", "version", "updated_at"}),
		Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("sms_settings.version = excluded.version - 1")}}}).
		Create(&s))
}

// Used are the parts that went out on a day.
func (s Store) Used(ctx context.Context, merchantID uuid.UUID, day calendar.Date) (int, error) {
	var of []sent
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("day = ?", day).Find(&of).Error
	if err != nil || len(of) == 0 {
		return 0, err
	}
	return of[0].Parts, nil
}

// Blocked is since when a number gets no SMS of a merchant; zero: it gets them. The number is in the form +27….
func (s Store) Blocked(ctx context.Context, merchantID uuid.UUID, number string) (time.Time, error) {
	var of []blocked
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("phone = ?", number).Find(&of).Error
	if err != nil || len(of) == 0 {
		return time.Time{}, err
	}
	return of[0].Since, nil
}

// block blocks a number; false when it is blocked already.
func block(tx *database.Tx, merchantID uuid.UUID, number string) (bool, error) {
	return database.Found(tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).
		Create(&blocked{merchantID, number, tx.Now()}))
}

// unblock lets messages to a number go out again; false when it was not blocked.
func unblock(tx *database.Tx, merchantID uuid.UUID, number string) (bool, error) {
	return database.Found(tx.Gorm().Scopes(database.OfMerchant(merchantID)).Delete(&blocked{}, "phone = ?", number))
}

// waitingTo lists what waits to be sent to a number.
func waitingTo(tx *database.Tx, merchantID uuid.UUID, number string) ([]sms.Message, error) {
	return all(tx.Gorm().Scopes(database.OfMerchant(merchantID)).
		Where("recipient = ? AND state = ? AND handed_at IS NULL", number, sms.Queued).Order("id"))
}
