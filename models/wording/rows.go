package wording

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/locale"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
)

// Store is where the words of messages are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Words) TableName() string { return "message_words" }

// MostVersions is how far back the history of words is shown.
const MostVersions = 50

// History lists the versions of the words of a kind in a language, newest first, and the one before the last that is
// shown.
func (s Store) History(ctx context.Context, b merchant.Brand, kind string, l locale.Language) (all []Words, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(b.MerchantID)).
		Where("brand_id = ? AND kind = ? AND language = ?", b.ID, kind, l).
		Order("version DESC").Limit(MostVersions + 1).Find(&all).Error
	return all, err
}

// newest gives the words that count; without a version where there are none.
func newest(tx *database.Tx, b merchant.Brand, kind string, l locale.Language) (w Words, err error) {
	all, err := Store{tx.DB()}.History(tx.Context(), b, kind, l)
	if err != nil || len(all) == 0 {
		return Words{Wording: merchant.Wording{Kind: kind, Language: l}}, err
	}
	return all[0], nil
}

func insert(tx *database.Tx, w Words) error { return tx.Gorm().Create(&w).Error }

// testsOf counts the tests of a person since a moment, one asking after the other, and gives the number of the last.
func testsOf(tx *database.Tx, who actor.Actor, object uuid.UUID, since time.Time) (recent, last int, err error) {
	if err = member.OneByOne(tx, who.MerchantID, who.ID); err != nil {
		return 0, 0, fmt.Errorf("count tests of messages: %w", err)
	}
	err = tx.DB().Pool.QueryRow(tx.Context(), `SELECT count(*) FILTER (WHERE created_at > $4), coalesce(max(attempt), 0)
		FROM mails WHERE merchant_id = $1 AND object_id = $2 AND kind = $3`,
		database.Native([]any{who.MerchantID, object, MailTest, since})...).Scan(&recent, &last)
	if err != nil {
		return 0, 0, fmt.Errorf("count tests of messages: %w", err)
	}
	return recent, last, nil
}
