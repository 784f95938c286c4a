// Package client knows payers: how they are reached, who they are and where
// their account is. It must not know what they owe.
package client

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// Details is what is known of a payer. Purchases keep a copy of their own.
type Details struct {
	Email, Phone, FullName        string
	PersonalCode                  bank.IDNumber // South African ID or passport number
	StreetAddress, City, State    string
	ZipCode, Country              string
	ShippingStreetAddress         string
	ShippingCity, ShippingState   string
	ShippingZipCode               string
	ShippingCountry               string
	LegalName, BrandName          string
	RegistrationNumber, TaxNumber string
	BankAccount                   bank.AccountNumber
	BankCode                      string           // branch code, as text: 051001 keeps its zero
	AccountType                   bank.AccountType // empty when not known
	CC, BCC                       []string
}

// Client is a payer of one merchant.
type Client struct {
	ID, MerchantID uuid.UUID
	Details
	CreatedAt, UpdatedAt time.Time
}
