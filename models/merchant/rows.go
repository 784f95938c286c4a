package merchant

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	merchantTable  = table.New[Merchant]("merchants")
	insertMerchant = merchantTable.Write(`INSERT INTO merchants (@columns, updated_at) VALUES (@values, @created_at)`)
	brandTable     = table.New[Brand]("brands")
	insertBrand    = brandTable.Write(`INSERT INTO brands (@columns, created_at, updated_at) VALUES (@values, @now, @now)`,
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

func Insert(tx *database.Tx, m Merchant) {
	m.CreatedAt = tx.Now()
	database.Write(tx, insertMerchant, m)
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
func (s Store) Merchant(ctx context.Context, id uuid.UUID) (Merchant, error) {
	return database.One(ctx, s.DB, merchantTable, "id = $1", id)
}

// MerchantBySlug gives one merchant by its short name; NotFound otherwise.
func (s Store) MerchantBySlug(ctx context.Context, slug string) (Merchant, error) {
	return database.One(ctx, s.DB, merchantTable, "slug = $1", slug)
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
	brands, profiles, err := database.BothAsked(ctx, s.DB, brandTable, "SELECT "+brandTable.Columns("brands")+
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
func (s Store) Merchants(ctx context.Context) ([]Merchant, error) {
	return database.All(ctx, s.DB, merchantTable, "true ORDER BY id")
}

// Demands gives what the merchant wants a second person for.
func (s Store) Demands(ctx context.Context, id uuid.UUID) (Demands, error) {
	var d Demands
	err := s.Pool.QueryRow(ctx, `SELECT approve_deletions, approve_batches_cents, approve_files_cents,
		approve_settings FROM merchants WHERE id = $1`, id).Scan(&d.Deletions, &d.BatchesAbove, &d.FilesAbove, &d.Settings)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, fault.Missing()
	}
	if err != nil {
		return d, fmt.Errorf("find what needs a second person: %w", err)
	}
	return d, nil
}

// HasDemo tells whether a demo merchant is in the database.
func (s Store) HasDemo(ctx context.Context) (has bool, err error) {
	if err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM merchants WHERE is_demo)`).Scan(&has); err != nil {
		return false, fmt.Errorf("look for a demo merchant: %w", err)
	}
	return has, nil
}

// SetDemands says what needs a second person, and gives what was demanded before.
func SetDemands(tx *database.Tx, merchantID uuid.UUID, d Demands) (before Demands, err error) {
	var row struct {
		ApproveDeletions    bool
		ApproveBatchesCents *int64
		ApproveFilesCents   *int64
		ApproveSettings     bool
	}
	if err := tx.Gorm().Raw(`SELECT approve_deletions, approve_batches_cents, approve_files_cents, approve_settings
		FROM merchants WHERE id = ? FOR NO KEY UPDATE`, merchantID).Scan(&row).Error; err != nil {
		return before, fmt.Errorf("set demands: %w", err)
	}
	tx.Later(
		`UPDATE merchants SET approve_deletions = $2, approve_batches_cents = $3, approve_files_cents = $4, updated_at = $5,
			approve_settings = $6 WHERE id = $1`,
		merchantID,
		d.Deletions,
		d.BatchesAbove,
		d.FilesAbove,
		tx.Now(),
		d.Settings,
	)
	return Demands{Deletions: row.ApproveDeletions, BatchesAbove: row.ApproveBatchesCents,
		FilesAbove: row.ApproveFilesCents, Settings: row.ApproveSettings}, nil
}
