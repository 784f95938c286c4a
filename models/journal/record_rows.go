package journal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (Record) TableName() string { return "book_records" }

// holdRetention has others who post wait, and gives what is held back in a currency.
func holdRetention(tx *database.Tx, merchantID uuid.UUID, currency string) (int64, error) {
	if err := holdBooks(tx, merchantID); err != nil {
		return 0, err
	}
	held, err := Store{tx.DB()}.held(tx.Context(), merchantID)
	return held[currency], err
}

func (s Store) held(ctx context.Context, merchantID uuid.UUID) (map[string]int64, error) {
	var found []struct {
		Currency string
		Cents    int64
	}
	err := s.Gorm(ctx).Model(&Record{}).Scopes(database.OfMerchant(merchantID)).
		Select("currency, sum(ret_cents)::bigint AS cents").Group("currency").Having("sum(ret_cents) <> 0").
		Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("what is held back: %w", err)
	}
	out := map[string]int64{}
	for _, f := range found {
		out[f.Currency] = f.Cents
	}
	return out, nil
}

func (s Store) record(ctx context.Context, merchantID, id uuid.UUID) (r Record, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&r, "id = ?", id).Error
	return r, err
}

func (s Store) line(ctx context.Context, merchantID, id uuid.UUID) (n exchange.Entry, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&n, "id = ?", id).Error
	return n, err
}

func (s Store) undone(ctx context.Context, merchantID, id uuid.UUID) (bool, error) {
	var n int64
	err := s.Gorm(ctx).Model(&Record{}).Scopes(database.OfMerchant(merchantID)).Where("undoes = ?", id).Count(&n).Error
	return n > 0, err
}

// withEnd is a record with the day of its entry and what took it back.
const withEnd = `SELECT r.*, j.day AS booked, u.id AS undone_id, u.what AS undone_why, u.by_name AS undone_by
	FROM book_records r LEFT JOIN book_records u ON u.undoes = r.id AND u.merchant_id = r.merchant_id
		LEFT JOIN journal_entries j ON j.source_id = r.id AND j.kind = r.kind
	WHERE r.merchant_id = @m`

func (s Store) recorded(ctx context.Context, merchantID, id uuid.UUID) (r Recorded, err error) {
	err = s.Gorm(ctx).Raw(withEnd+` AND r.id = @id`, map[string]any{"m": merchantID, "id": id}).Take(&r).Error
	return r, err
}

func (s Store) records(ctx context.Context, merchantID uuid.UUID, after RecordPlace, most int) (out []Recorded,
	err error) {
	if after.ID == uuid.Nil {
		after.Day = calendar.On(9999, 12, 31)
	}
	err = s.Gorm(ctx).Raw(withEnd+` AND (r.day, r.id) < (CAST(@day AS date), @id)
			ORDER BY r.day DESC, r.id DESC LIMIT @most`,
		map[string]any{"m": merchantID, "day": after.Day.String(), "id": after.ID, "most": most}).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("list fees and payouts: %w", err)
	}
	return out, nil
}
