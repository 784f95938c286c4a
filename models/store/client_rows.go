package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

type clientRow struct {
	ID                    uuid.UUID `gorm:"primaryKey"`
	MerchantID            uuid.UUID
	Email                 string
	Phone                 string
	FullName              string
	StreetAddress         string
	City                  string
	State                 string
	ZipCode               string
	Country               string
	ShippingStreetAddress string
	ShippingCity          string
	ShippingState         string
	ShippingZipCode       string
	ShippingCountry       string
	LegalName             string
	BrandName             string
	RegistrationNumber    string
	TaxNumber             string
	CC                    textArray
	BCC                   textArray
	BankCode              string
	AccountType           string
	BankAccountSealed     []byte
	BankAccountMask       string
	BankAccountHash       []byte
	PersonalCodeSealed    []byte
	PersonalCodeMask      string
	PersonalCodeHash      []byte
	Search                searchWords `gorm:"->:false;<-"`
	CreatedAt             time.Time
	UpdatedAt             time.Time
	ErasedAt              *time.Time     `gorm:"->"` // written by EraseClient alone
	EvidenceUntil         *calendar.Date `gorm:"->"`
}

func (clientRow) TableName() string { return "clients" }

// Kinds of sealed numbers, bound into their search hashes.
const (
	accountHash  = "bank_account"
	identityHash = "personal_code"
)

func (s *Store) clientRowOf(c client.Client) *clientRow {
	return &clientRow{
		ID: c.ID, MerchantID: c.MerchantID, Email: c.Email, Phone: c.Phone, FullName: c.FullName,
		StreetAddress: c.StreetAddress, City: c.City, State: c.State, ZipCode: c.ZipCode, Country: c.Country,
		ShippingStreetAddress: c.ShippingStreetAddress, ShippingCity: c.ShippingCity, ShippingState: c.ShippingState,
		ShippingZipCode: c.ShippingZipCode, ShippingCountry: c.ShippingCountry,
		LegalName: c.LegalName, BrandName: c.BrandName, RegistrationNumber: c.RegistrationNumber, TaxNumber: c.TaxNumber,
		CC: textArray(c.CC), BCC: textArray(c.BCC), BankCode: c.BankCode, AccountType: string(c.AccountType),
		BankAccountSealed:  s.seal.Seal(placeOf("clients", "bank_account_sealed", c.MerchantID, c.ID), c.BankAccount.Reveal()),
		BankAccountMask:    c.BankAccount.String(),
		BankAccountHash:    s.seal.Hash(c.MerchantID, accountHash, bank.CleanAccount(c.BankAccount.Reveal()).Reveal()),
		PersonalCodeSealed: s.seal.Seal(placeOf("clients", "personal_code_sealed", c.MerchantID, c.ID), c.PersonalCode.Reveal()),
		PersonalCodeMask:   c.PersonalCode.String(),
		PersonalCodeHash:   s.seal.Hash(c.MerchantID, identityHash, bank.CleanID(c.PersonalCode.Reveal()).Reveal()),
		Search: wordsOf(c.FullName, c.Email, c.Phone, c.LegalName, c.BrandName, c.RegistrationNumber, c.TaxNumber, c.City,
			c.BankAccount.Tail()),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

func (s *Store) clientOf(r clientRow) (client.Client, error) {
	account, err := s.seal.Open(placeOf("clients", "bank_account_sealed", r.MerchantID, r.ID), r.BankAccountSealed)
	if err != nil {
		return client.Client{}, fmt.Errorf("account of client %s: %w", r.ID, err)
	}
	identity, err := s.seal.Open(placeOf("clients", "personal_code_sealed", r.MerchantID, r.ID), r.PersonalCodeSealed)
	if err != nil {
		return client.Client{}, fmt.Errorf("identity number of client %s: %w", r.ID, err)
	}
	return client.Client{ID: r.ID, MerchantID: r.MerchantID, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), ErasedAt: utc(r.ErasedAt), EvidenceUntil: orZero(r.EvidenceUntil), Details: client.Details{
		Email: r.Email, Phone: r.Phone, FullName: r.FullName, PersonalCode: bank.IDNumber(identity),
		StreetAddress: r.StreetAddress, City: r.City, State: r.State, ZipCode: r.ZipCode, Country: r.Country,
		ShippingStreetAddress: r.ShippingStreetAddress, ShippingCity: r.ShippingCity, ShippingState: r.ShippingState,
		ShippingZipCode: r.ShippingZipCode, ShippingCountry: r.ShippingCountry,
		LegalName: r.LegalName, BrandName: r.BrandName, RegistrationNumber: r.RegistrationNumber, TaxNumber: r.TaxNumber,
		BankAccount: bank.AccountNumber(account), BankCode: r.BankCode, AccountType: bank.AccountType(r.AccountType),
		CC: r.CC, BCC: r.BCC,
	}}, nil
}

// InsertClient implements client.Tx.
func (t *Tx) InsertClient(c client.Client) { t.create(t.s.clientRowOf(c)) }

// LockClient implements client.Tx.
func (t *Tx) LockClient(merchantID, id uuid.UUID) (client.Client, error) {
	db, err := t.read()
	if err != nil {
		return client.Client{}, err
	}
	return t.s.takeClient(db.Where("merchant_id = ? AND id = ? AND deleted_at IS NULL", merchantID, id).Clauses(forUpdate))
}

// HoldClient implements purchase.Tx.
func (t *Tx) HoldClient(merchantID, id uuid.UUID) {
	t.must(`SELECT count(*) FROM (SELECT FROM clients WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND erased_at IS NULL FOR KEY SHARE) AS held`, merchantID, id)
}

// UpdateClient implements client.Tx.
func (t *Tx) UpdateClient(c client.Client) (bool, error) {
	row := t.s.clientRowOf(c)
	stmt := t.s.dry.WithContext(t.ctx).Model(&clientRow{}).Select("*").Omit("id", "merchant_id", "created_at").
		Where("merchant_id = ? AND id = ? AND deleted_at IS NULL", c.MerchantID, c.ID).UpdateColumns(row).Statement
	if stmt.Error != nil {
		return false, fmt.Errorf("update client: %w", stmt.Error)
	}
	n, err := t.exec(stmt.SQL.String(), stmt.Vars...)
	if err != nil {
		return false, fmt.Errorf("update client: %w", err)
	}
	return n == 1, nil
}

// DeleteClient implements client.Tx.
func (t *Tx) DeleteClient(merchantID, id uuid.UUID) (bool, error) {
	n, err := t.exec(`UPDATE clients SET deleted_at = $3, updated_at = $3 WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL`,
		merchantID, id, t.now)
	if err != nil {
		return false, fmt.Errorf("delete client: %w", err)
	}
	return n == 1, nil
}

func (s *Store) takeClient(db *gorm.DB) (client.Client, error) {
	var row clientRow
	err := db.Omit("search").Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return client.Client{}, fault.Missing()
	case err != nil:
		return client.Client{}, fmt.Errorf("find client: %w", err)
	}
	return s.clientOf(row)
}
