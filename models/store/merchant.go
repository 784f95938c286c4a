package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/store/table"
)

// profileOf is a profile with the brand that it belongs to.
type profileOf struct {
	merchant.Profile
	BrandID uuid.UUID
}

var (
	merchantTable  = table.New[merchant.Merchant]("merchants")
	insertMerchant = merchantTable.Write(`INSERT INTO merchants (@columns, updated_at) VALUES (@values, @created_at)`)
	brandTable     = table.New[merchant.Brand]("brands")
	insertBrand    = brandTable.Write(`INSERT INTO brands (@columns, created_at, updated_at) VALUES (@values, @now, @now)`,
		"now")
	updateBrand = brandTable.Write(
		`UPDATE brands SET @set, updated_at = @now WHERE merchant_id = @merchant_id AND id = @id AND version = @version - 1`,
		"now")
	profileTable  = table.New[profileOf]("debit_profiles")
	insertProfile = profileTable.Write(
		`INSERT INTO debit_profiles (@columns, merchant_id, created_at) VALUES (@values, @merchant, @now)`, "merchant", "now")
)

// InsertMerchant implements merchant.Tx.
func (t *Tx) InsertMerchant(m merchant.Merchant) {
	m.CreatedAt = t.now
	write(t, insertMerchant, m)
}

// InsertBrand implements merchant.Tx.
func (t *Tx) InsertBrand(b merchant.Brand) {
	b.DebiCheckShift = cmp.Or(b.DebiCheckShift, calendar.Next)
	b.InvoicePrefix = cmp.Or(b.InvoicePrefix, merchant.DefaultInvoicePrefix)
	b.Version = max(b.Version, 1)
	write(t, insertBrand, b, t.now)
	for _, p := range b.Profiles {
		write(t, insertProfile, profileOf{p, b.ID}, b.MerchantID, t.now)
	}
}

// Merchant implements merchant.Reader.
func (s *Store) Merchant(ctx context.Context, id uuid.UUID) (merchant.Merchant, error) {
	return one(ctx, s, merchantTable, "id = $1", id)
}

// MerchantBySlug implements merchant.Reader.
func (s *Store) MerchantBySlug(ctx context.Context, slug string) (merchant.Merchant, error) {
	return one(ctx, s, merchantTable, "slug = $1", slug)
}

// Brand implements merchant.Reader.
func (s *Store) Brand(ctx context.Context, merchantID, brandID uuid.UUID) (merchant.Brand, error) {
	if b, ok := s.kept.brand(merchantID, brandID); ok {
		return b, nil
	}
	if brandID == uuid.Nil { // which means all of them below
		return merchant.Brand{}, fault.Missing()
	}
	brands, err := s.brands(ctx, merchantID, brandID)
	if err != nil {
		return merchant.Brand{}, err
	}
	if len(brands) == 0 {
		return merchant.Brand{}, fault.Missing()
	}
	if txOf(ctx) == nil { // what a transaction reads may never be kept
		s.kept.keep(brands[0])
	}
	return brands[0], nil
}

// Brands implements merchant.Reader.
func (s *Store) Brands(ctx context.Context, merchantID uuid.UUID) ([]merchant.Brand, error) {
	return s.brands(ctx, merchantID, uuid.Nil)
}

func (s *Store) brands(ctx context.Context, merchantID, brandID uuid.UUID) ([]merchant.Brand, error) {
	const which = "merchant_id = $1 AND ($2::uuid IS NULL OR %s = $2)"
	brands, err := collect(ctx, s, brandTable, "SELECT "+brandTable.Columns("brands")+
		", merchants.is_test FROM brands JOIN merchants ON merchants.id = brands.merchant_id WHERE brands."+
		fmt.Sprintf(which, "brands.id")+" ORDER BY brands.id", []any{merchantID, orNull(brandID)})
	if err != nil {
		return nil, err
	}
	return brands, s.withProfiles(ctx, brands, fmt.Sprintf(which, "brand_id"), merchantID, orNull(brandID))
}

// withProfiles gives brands their profiles, the default one first.
func (s *Store) withProfiles(ctx context.Context, brands []merchant.Brand, which string, args ...any) error {
	profiles, err := all(ctx, s, profileTable, which+" ORDER BY is_default DESC, id", args...)
	for i := range brands {
		for _, p := range profiles {
			if p.BrandID == brands[i].ID {
				brands[i].Profiles = append(brands[i].Profiles, p.Profile)
			}
		}
	}
	return err
}

// Merchants lists all merchants, oldest first; for the command line alone.
func (s *Store) Merchants(ctx context.Context) ([]merchant.Merchant, error) {
	return all(ctx, s, merchantTable, "true ORDER BY id")
}

// Demands implements merchant.Reader.
func (s *Store) Demands(ctx context.Context, id uuid.UUID) (merchant.Demands, error) {
	var d merchant.Demands
	err := s.Pool.QueryRow(ctx, `SELECT approve_deletions, approve_batches_cents FROM merchants WHERE id = $1`,
		id).Scan(&d.Deletions, &d.BatchesAbove)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, fault.Missing()
	}
	if err != nil {
		return d, fmt.Errorf("find what needs a second person: %w", err)
	}
	return d, nil
}

// HasDemo tells whether a demo merchant is in the database.
func (s *Store) HasDemo(ctx context.Context) (has bool, err error) {
	if err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM merchants WHERE is_demo)`).Scan(&has); err != nil {
		return false, fmt.Errorf("look for a demo merchant: %w", err)
	}
	return has, nil
}

// brandCache keeps brands for a moment: every purchase asks for its brand, and a
// brand changes a few times in its life. A change is seen everywhere within keepFor.
type brandCache struct {
	mu   sync.RWMutex
	kept map[uuid.UUID]keptBrand
}

type keptBrand struct {
	brand merchant.Brand
	until time.Time
}

const (
	keepFor    = 2 * time.Second
	mostBrands = 10_000 // then it starts anew
)

func (c *brandCache) brand(merchantID, brandID uuid.UUID) (merchant.Brand, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k, ok := c.kept[brandID]
	if !ok || k.brand.MerchantID != merchantID || time.Now().After(k.until) {
		return merchant.Brand{}, false
	}
	return k.brand, true
}

func (c *brandCache) keep(b merchant.Brand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= mostBrands {
		c.kept = map[uuid.UUID]keptBrand{}
	}
	c.kept[b.ID] = keptBrand{b, time.Now().Add(keepFor)}
}

// drop makes this process read a brand anew; others do within keepFor.
func (c *brandCache) drop(brandID uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, brandID)
}
