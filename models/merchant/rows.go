package merchant

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// profileOf is a profile with the brand that it belongs to.
type profileOf struct {
	Profile
	BrandID uuid.UUID
}

var (
	brandTable  = table.New[Brand]("brands")
	insertBrand = brandTable.Write(`INSERT INTO brands (@columns, created_at, updated_at) VALUES (@values, @now, @now)`,
		"now")
	brandUpdate = brandTable.Write(
		`UPDATE brands SET @set, updated_at = @now WHERE merchant_id = @merchant_id AND id = @id AND version = @version - 1`,
		"now")
	profileTable  = table.New[profileOf]("debit_profiles")
	profileInsert = profileTable.Write(
		`INSERT INTO debit_profiles (@columns, merchant_id, created_at) VALUES (@values, @merchant, @now)`, "merchant", "now")
)

// Store is where merchants, their brands and the profiles of these are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Merchant) TableName() string { return "merchants" }

// TableName implements GORM's Tabler.
func (Demands) TableName() string { return "merchants" }

// Insert adds a business with what waits, such as its first brand.
func Insert(tx *database.Tx, m Merchant) {
	tx.Later(`INSERT INTO merchants (id, slug, name, is_test, is_demo, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)`, database.Native([]any{m.ID, m.Slug, m.Name, m.IsTest, m.IsDemo, tx.Now()})...)
}

// Lock keeps others from changing what may be there once or not without another, such as the last brand of a business.
// Whoever only refers to the business goes on.
func Lock(tx *database.Tx, id uuid.UUID) error {
	if err := tx.Gorm().Exec(`SELECT 1 FROM merchants WHERE id = ? FOR NO KEY UPDATE`, id).Error; err != nil {
		return fmt.Errorf("lock merchant: %w", err)
	}
	return nil
}

func InsertBrand(tx *database.Tx, b Brand) {
	b.DebiCheckShift = cmp.Or(b.DebiCheckShift, calendar.Next)
	b.InvoicePrefix = cmp.Or(b.InvoicePrefix, DefaultInvoicePrefix)
	b.Version = max(b.Version, 1)
	database.Write(tx, insertBrand, b, tx.Now())
	for _, p := range b.Profiles {
		database.Write(tx, profileInsert, profileOf{p, b.ID}, b.MerchantID, tx.Now())
	}
}

// Merchant gives one merchant by id; NotFound otherwise.
func (s Store) Merchant(ctx context.Context, id uuid.UUID) (m Merchant, err error) {
	err = s.Gorm(ctx).Take(&m, "id = ?", id).Error
	return m, err
}

// MerchantBySlug gives one merchant by its short name; NotFound otherwise.
func (s Store) MerchantBySlug(ctx context.Context, slug string) (m Merchant, err error) {
	err = s.Gorm(ctx).Take(&m, "slug = ?", slug).Error
	return m, err
}

// Brand gives a brand of the merchant with its profiles; NotFound otherwise.
func (s Store) Brand(ctx context.Context, merchantID, brandID uuid.UUID) (Brand, error) {
	if b, ok := s.cache().brand(merchantID, brandID); ok {
		return b, nil
	}
	if brandID == uuid.Nil { // which means all of them below
		return Brand{}, fault.Missing()
	}
	before := s.cache().before()
	brands, err := s.brands(ctx, merchantID, brandID)
	if err != nil {
		return Brand{}, err
	}
	if len(brands) == 0 {
		return Brand{}, fault.Missing()
	}
	if database.TxOf(ctx) == nil { // what a transaction reads may never be kept
		s.cache().keep(brands[0], before)
	}
	return brands[0], nil
}

// Brands lists the merchant's brands, oldest first, with their profiles.
func (s Store) Brands(ctx context.Context, merchantID uuid.UUID) ([]Brand, error) {
	return s.brands(ctx, merchantID, uuid.Nil)
}

func (s Store) brands(ctx context.Context, merchantID, brandID uuid.UUID) ([]Brand, error) {
	const which = "merchant_id = $1 AND ($2::uuid IS NULL OR %s = $2)"
	brands, profiles, err := database.CollectBoth(ctx, s.DB, brandTable, "SELECT "+brandTable.Columns("brands")+
		", merchants.is_test, ("+ownRules+") AS own_rules, ("+ownWords+") AS own_words"+
		" FROM brands JOIN merchants ON merchants.id = brands.merchant_id"+
		" WHERE brands."+
		fmt.Sprintf(which, "brands.id")+" ORDER BY brands.id",
		profileTable, profileTable.Select+fmt.Sprintf(which, "brand_id")+defaultFirst, merchantID, database.OrNull(brandID))
	return withProfiles(brands, profiles), err
}

// ownRules are the stricter values of the business as JSON; NULL where there is none.
const ownRules = `SELECT jsonb_agg(jsonb_build_object('id', id, 'key', key, 'value', value, 'from', from_day, 'to',
	coalesce(to_day::text, ''), 'by', created_by,
	'known_from', (created_at AT TIME ZONE 'Africa/Johannesburg')::date))
	FROM own_rules WHERE merchant_id = brands.merchant_id AND (to_day IS NULL OR to_day > from_day)`

// ownWords are the newest words of the brand for each message as JSON; NULL where there are none.
const ownWords = `SELECT jsonb_agg(jsonb_build_object('kind', kind, 'language', language, 'opening', opening,
	'closing', closing)) FROM (SELECT DISTINCT ON (kind, language) * FROM message_words
	WHERE merchant_id = brands.merchant_id AND brand_id = brands.id ORDER BY kind, language, version DESC) AS newest
	WHERE opening <> '' OR closing <> ''`

// defaultFirst is the order of the profiles of a brand.
const defaultFirst = " ORDER BY is_default DESC, id"

// withProfiles gives brands those of the profiles that are theirs.
func withProfiles(brands []Brand, profiles []profileOf) []Brand {
	for i := range brands {
		for _, p := range profiles {
			if p.BrandID == brands[i].ID {
				brands[i].Profiles = append(brands[i].Profiles, p.Profile)
			}
		}
	}
	return brands
}

// Merchants lists all merchants, oldest first; for the command line alone.
func (s Store) Merchants(ctx context.Context) (all []Merchant, err error) {
	err = s.Gorm(ctx).Order("id").Find(&all).Error
	return all, err
}

// Demands gives what the merchant wants a second person for.
func (s Store) Demands(ctx context.Context, id uuid.UUID) (d Demands, err error) {
	err = s.Gorm(ctx).Take(&d, "id = ?", id).Error
	if err != nil && !fault.Is(err, fault.NotFound) {
		err = fmt.Errorf("find what needs a second person: %w", err)
	}
	return d, err
}

// HasDemo tells whether a demo merchant is in the database.
func (s Store) HasDemo(ctx context.Context) (bool, error) {
	var n int64
	if err := s.Gorm(ctx).Model(&Merchant{}).Where("is_demo").Count(&n).Error; err != nil {
		return false, fmt.Errorf("look for a demo merchant: %w", err)
	}
	return n > 0, nil
}

// SetDemands says what needs a second person, and gives what was demanded before.
func SetDemands(tx *database.Tx, merchantID uuid.UUID, d Demands) (before Demands, err error) {
	of := func() *gorm.DB { return tx.Gorm().Where("id = ?", merchantID) }
	err = of().Scopes(database.ForNoKeyUpdate).Take(&before).Error
	if err == nil {
		err = of().Model(&Merchant{}).UpdateColumns(map[string]any{"approve_deletions": d.Deletions,
			"approve_batches_cents": d.BatchesAbove, "approve_files_cents": d.FilesAbove, "approve_settings": d.Settings,
			"updated_at": tx.Now()}).Error
	}
	if err != nil {
		return before, fmt.Errorf("set demands: %w", err)
	}
	return before, nil
}
