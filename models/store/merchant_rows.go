package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

type merchantRow struct {
	ID        uuid.UUID `gorm:"primaryKey"`
	Slug      string
	Name      string
	IsTest    bool
	IsDemo    bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (merchantRow) TableName() string { return "merchants" }

func (r merchantRow) domain() merchant.Merchant {
	return merchant.Merchant{ID: r.ID, Slug: r.Slug, Name: r.Name, IsTest: r.IsTest, IsDemo: r.IsDemo, CreatedAt: r.CreatedAt.UTC()}
}

type brandRow struct {
	ID                 uuid.UUID `gorm:"primaryKey"`
	MerchantID         uuid.UUID
	Name               string
	LegalName          string
	RegistrationNumber string
	TaxNumber          string
	Website            string
	Email              string
	Phone              string
	StreetAddress      string
	City               string
	ZipCode            string
	Country            string
	Currency           string
	Language           string
	ReferencePrefix    string
	Shift              string
	DebicheckShift     string
	InvoicePrefix      string
	Version            int
	CreatedAt          time.Time
	UpdatedAt          time.Time
	IsTest             bool `gorm:"->"`
}

func (brandRow) TableName() string { return "brands" }

func (r brandRow) domain() merchant.Brand {
	return merchant.Brand{ID: r.ID, MerchantID: r.MerchantID, Name: r.Name, LegalName: r.LegalName, RegistrationNumber: r.RegistrationNumber,
		TaxNumber: r.TaxNumber, Website: r.Website, Email: r.Email, Phone: r.Phone, StreetAddress: r.StreetAddress, City: r.City, ZipCode: r.ZipCode,
		Country: r.Country, Currency: r.Currency, Language: r.Language, ReferencePrefix: r.ReferencePrefix, Shift: calendar.Shift(r.Shift), DebiCheckShift: calendar.Shift(r.DebicheckShift), InvoicePrefix: r.InvoicePrefix, Version: r.Version, IsTest: r.IsTest}
}

type profileRow struct {
	ID              uuid.UUID `gorm:"primaryKey"`
	MerchantID      uuid.UUID
	BrandID         uuid.UUID
	ProfileCode     string
	AbbreviatedName string
	AccountNumber   string
	BranchCode      string
	IsDefault       bool
	CreatedAt       time.Time
}

func (profileRow) TableName() string { return "debit_profiles" }

func (r profileRow) domain() merchant.Profile {
	return merchant.Profile{ID: r.ID, ProfileCode: r.ProfileCode, AbbreviatedName: r.AbbreviatedName, AccountNumber: r.AccountNumber,
		BranchCode: r.BranchCode, IsDefault: r.IsDefault}
}

// InsertMerchant implements merchant.Tx.
func (t *Tx) InsertMerchant(m merchant.Merchant) {
	t.create(&merchantRow{ID: m.ID, Slug: m.Slug, Name: m.Name, IsTest: m.IsTest, IsDemo: m.IsDemo, CreatedAt: t.now, UpdatedAt: t.now})
}

// InsertBrand implements merchant.Tx.
func (t *Tx) InsertBrand(b merchant.Brand) {
	row := brandRow{ID: b.ID, MerchantID: b.MerchantID, Name: b.Name, LegalName: b.LegalName, RegistrationNumber: b.RegistrationNumber,
		TaxNumber: b.TaxNumber, Website: b.Website, Email: b.Email, Phone: b.Phone, StreetAddress: b.StreetAddress, City: b.City, ZipCode: b.ZipCode,
		Country: b.Country, Currency: b.Currency, Language: b.Language, ReferencePrefix: b.ReferencePrefix, Shift: string(b.Shift), DebicheckShift: string(cmp.Or(b.DebiCheckShift, calendar.Next)), InvoicePrefix: cmp.Or(b.InvoicePrefix, merchant.DefaultInvoicePrefix), Version: max(b.Version, 1), CreatedAt: t.now, UpdatedAt: t.now}
	t.create(&row)
	for _, p := range b.Profiles {
		t.create(&profileRow{ID: p.ID, MerchantID: b.MerchantID, BrandID: b.ID, ProfileCode: p.ProfileCode, AbbreviatedName: p.AbbreviatedName,
			AccountNumber: p.AccountNumber, BranchCode: p.BranchCode, IsDefault: p.IsDefault, CreatedAt: t.now})
	}
}

// Merchant implements merchant.Reader.
func (s *Store) Merchant(ctx context.Context, id uuid.UUID) (merchant.Merchant, error) {
	var row merchantRow
	err := s.read(ctx).Take(&row, "id = ?", id).Error
	return row.domain(), missing(err, "find merchant")
}

// MerchantBySlug implements merchant.Reader.
func (s *Store) MerchantBySlug(ctx context.Context, slug string) (merchant.Merchant, error) {
	var row merchantRow
	err := s.read(ctx).Take(&row, "slug = ?", slug).Error
	return row.domain(), missing(err, "find merchant")
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
	q := s.read(ctx).Table("brands").Select("brands.*, merchants.is_test").Joins("JOIN merchants ON merchants.id = brands.merchant_id").
		Where("brands.merchant_id = ?", merchantID).Order("brands.id")
	p := s.read(ctx).Where("merchant_id = ?", merchantID).Order("is_default DESC, id")
	if brandID != uuid.Nil {
		q, p = q.Where("brands.id = ?", brandID), p.Where("brand_id = ?", brandID)
	}
	var rows []brandRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("find brands: %w", err)
	}
	var profiles []profileRow
	if err := p.Find(&profiles).Error; err != nil {
		return nil, fmt.Errorf("find profiles: %w", err)
	}
	brands := make([]merchant.Brand, len(rows))
	for i, r := range rows {
		brands[i] = r.domain()
		for _, pr := range profiles {
			if pr.BrandID == r.ID {
				brands[i].Profiles = append(brands[i].Profiles, pr.domain())
			}
		}
	}
	return brands, nil
}

// missing turns "no such row" into NotFound and says what was being done otherwise.
func missing(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gorm.ErrRecordNotFound), fault.Is(err, fault.NotFound):
		return fault.Missing()
	}
	return fmt.Errorf("%s: %w", doing, err)
}
