package notice

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Store is where notices and what brands wish of them are kept.
type Store struct{ *database.DB }

// Notice is what a client was told, or could not be told, of one debit.
type Notice struct {
	CollectionID uuid.UUID     `gorm:"primaryKey"`
	ActionDate   calendar.Date `gorm:"primaryKey"`
	MerchantID   uuid.UUID
	BrandID      uuid.UUID
	Channel      Channel // empty: the client could not be told
	Why          string  // why not: a code
	CreatedAt    time.Time
}

// TableName implements GORM's Tabler.
func (Settings) TableName() string { return "notice_settings" }

// TableName implements GORM's Tabler.
func (Notice) TableName() string { return "debit_notices" }

// Settings gives what a brand wishes; no notices where nobody has set anything.
func (s Store) Settings(ctx context.Context, merchantID, brandID uuid.UUID) (set Settings, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&set, "brand_id = ?", brandID).Error
	if fault.Is(err, fault.NotFound) {
		return Settings{BrandID: brandID, MerchantID: merchantID, Channel: ByMail}, nil
	}
	return set, err
}

// save keeps the settings of a brand that this transaction has locked.
func save(tx *database.Tx, set Settings) error {
	return tx.Gorm().Clauses(clause.OnConflict{UpdateAll: true}).Create(&set).Error
}

// due lists the settings of the brands whose clients were not told on a day yet.
func (s Store) due(ctx context.Context, today calendar.Date) (all []Settings, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("days > 0 AND ran_on < ?", today).Order("brand_id").
		Find(&all).Error
	return all, err
}

// ranFirst is the earliest of the last days on which clients were told; false when no brand wishes it.
func (s Store) ranFirst(ctx context.Context) (day calendar.Date, found bool, err error) {
	var first []Settings
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("days > 0").Order("ran_on").Limit(1).Find(&first).Error
	if err != nil || len(first) == 0 {
		return day, false, err
	}
	return first[0].RanOn, true, nil
}

// ran notes that the clients of a brand were told on a day, unless a later one is noted.
func (s Store) ran(ctx context.Context, set Settings, today calendar.Date) error {
	return s.Gorm(ctx).Model(&Settings{}).Scopes(database.OfMerchant(set.MerchantID)).
		Where("brand_id = ? AND ran_on < ?", set.BrandID, today).UpdateColumn("ran_on", today).Error
}

// announcing are the mails that tell of the debit of a purchase themselves.
var announcing = []string{purchase.MailInvoice, purchase.MailAgreement, purchase.MailSubscribed, purchase.MailResumed}

// planned lists debits of a brand whose clients are to be told today: they run within the days of its settings, nobody
// was told of that day, and no mail of these days tells of them itself.
func planned(tx *database.Tx, set Settings, today calendar.Date, limit int) ([]collection.Collection, error) {
	var ids []uuid.UUID
	err := tx.Gorm().Raw(`SELECT c.id FROM collections c JOIN tokens t ON t.id = c.token_id
		WHERE c.merchant_id = ? AND c.action_date > ? AND c.action_date <= ? AND c.state IN ? AND c.brand_id = ?
			AND NOT c.recall_due AND t.state <> 'deleting'
			AND NOT EXISTS (SELECT FROM debit_notices n WHERE n.collection_id = c.id AND n.action_date = c.action_date)
			AND NOT EXISTS (SELECT FROM mails m WHERE m.merchant_id = c.merchant_id AND m.purchase_id = c.purchase_id
				AND m.kind IN ? AND m.created_at >= greatest(c.created_at, ?))
		ORDER BY c.action_date, c.id LIMIT ?`, set.MerchantID, today, today.AddDays(set.Days),
		collection.Names(collection.OutcomeOpen), set.BrandID, announcing, today.AddDays(-set.Days).At(0, 0), limit).
		Scan(&ids).Error
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	found, err := collection.Store{DB: tx.DB()}.ByID(tx.Context(), set.MerchantID, ids)
	slices.SortFunc(found, func(a, b collection.Collection) int {
		return slices.Index(ids, a.ID) - slices.Index(ids, b.ID)
	})
	return found, err
}

// accounts gives what a notice says of some accounts.
func accounts(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]token.Token, error) {
	var found []token.Token
	err := tx.Gorm().Scopes(database.OfMerchant(merchantID)).Select("id", "merchant_id", "account_mask", "bank_code").
		Find(&found, "id IN ?", ids).Error
	out := make(map[uuid.UUID]token.Token, len(found))
	for _, k := range found {
		out[k.ID] = k
	}
	return out, err
}

// insert keeps what was told. What another process told meanwhile stays as it is; its message is the same one.
func insert(tx *database.Tx, told []Notice) error {
	return tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).Create(&told).Error
}

// mostCompared is how many of the newest debits are compared: enough to tell shares apart that differ by a hundredth.
const mostCompared = 20_000

// Counted counts debits by how they went.
type Counted map[collection.Outcome]int64

// compared counts the newest debits of a brand up to today, with a notice and without, since the first notice of it.
func (s Store) compared(ctx context.Context, merchantID, brandID uuid.UUID,
	today calendar.Date) (with, without Counted, err error) {
	var rows []struct {
		State collection.State
		Told  bool
		N     int64
	}
	err = s.Gorm(ctx).Raw(`SELECT state, told, count(*) AS n FROM (
		SELECT c.state, EXISTS (SELECT FROM debit_notices n WHERE n.collection_id = c.id AND n.action_date = c.action_date
			AND n.channel <> '') AS told
		FROM collections c WHERE c.merchant_id = ? AND c.brand_id = ? AND c.action_date <= ?
			AND EXISTS (SELECT FROM debit_notices n WHERE n.merchant_id = ? AND n.brand_id = ?)
		ORDER BY c.action_date DESC, c.id DESC LIMIT ?) AS newest GROUP BY state, told`, merchantID, brandID, today,
		merchantID, brandID, mostCompared).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("compare debits with a notice: %w", err)
	}
	with, without = Counted{}, Counted{}
	for _, r := range rows {
		into := without
		if r.Told {
			into = with
		}
		if o := r.State.Outcome(); slices.Contains(collection.Answered, o) {
			into[o] += r.N
		}
	}
	return with, without, nil
}
