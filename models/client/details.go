// Package client knows whom a merchant collects from: how they are reached, who they are and where
// their account is. It must not know what they owe.
package client

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Details is what is known of a client. Purchases keep a copy of their own.
type Details struct {
	Email, Phone, FullName string `json:",omitempty"`
	// PersonalCode is a South African ID or passport number.
	PersonalCode                  bank.IDNumber `gorm:"column:personal_code_sealed;serializer:sealed" json:",omitempty"`
	StreetAddress, City, State    string        `json:",omitempty"`
	ZipCode, Country              string        `json:",omitempty"`
	ShippingStreetAddress         string        `json:",omitempty"`
	ShippingCity, ShippingState   string        `json:",omitempty"`
	ShippingZipCode               string        `json:",omitempty"`
	ShippingCountry               string        `json:",omitempty"`
	LegalName, BrandName          string        `json:",omitempty"`
	RegistrationNumber, TaxNumber string        `json:",omitempty"`
	// BankAccount is the number of the account that is debited, where the client has one on record.
	BankAccount bank.AccountNumber `gorm:"column:bank_account_sealed;serializer:sealed" json:",omitempty"`
	BankCode    string             `json:",omitempty"` // branch code, as text: 051001 keeps its zero
	AccountType bank.AccountType   `json:",omitempty"` // empty when not known
	CC, BCC     []string           `gorm:"type:text[];serializer:texts" json:",omitempty"`
	// Language is the one in which the client reads, of package locale; empty: not known. It is of no contract.
	Language string `json:",omitempty"`
	// ElectronicAddress is where structured invoices reach the client, of package endpoint. It is of no contract.
	ElectronicAddress string `json:",omitempty"`
	// Tags are of the record alone: a purchase does not copy them.
	Tags []string `gorm:"type:text[];serializer:texts" json:"-"`
}

// Client is a person or a business that one merchant collects from.
type Client struct {
	ID, MerchantID uuid.UUID
	Details
	CreatedAt, UpdatedAt time.Time
	ErasedAt             time.Time `gorm:"->"` // when its personal data was removed; zero: never
	// Of an erased client: until when the law keeps its evidence; zero: none is left.
	EvidenceUntil calendar.Date `gorm:"->"`
	// ChosenLanguage is what the client chose on its own page; it comes before Details.Language, which staff set.
	ChosenLanguage string
	StoppedAt      time.Time `gorm:"->"` // since when nothing is debited from the client; zero: debits run
	// ParkedAt is since when the client, who came in with an import, waits for the group to be switched on; zero: not.
	ParkedAt        time.Time           `gorm:"<-:create"`
	database.Damage `gorm:"-" json:"-"` // its numbers that cannot be read
	// Of a client without an account of its own in a list: the stored account that would be debited.
	TokenMask, TokenBank string `gorm:"-" json:"-"`
}

// Addressed are the details with the language in which the client reads.
func (c Client) Addressed() Details {
	d := c.Details
	d.Language = cmp.Or(c.ChosenLanguage, d.Language)
	return d
}

// AccountUnreadable tells that there is an account number, which cannot be read.
func (c Client) AccountUnreadable() bool { return c.Unreadable(accountSealed) }

// IdentityUnreadable tells that there is an identity number, which cannot be read.
func (c Client) IdentityUnreadable() bool { return c.Unreadable(identitySealed) }

// Erased tells that the personal data was removed: nothing can be added any more.
func (c Client) Erased() bool { return !c.ErasedAt.IsZero() }

// Knows tells whether a detail that a purchase wants to ask for is there already.
func (d Details) Knows(detail string) bool {
	switch detail {
	case "personal_code":
		return d.PersonalCode != ""
	case "bank_account":
		return d.BankAccount != ""
	case "billing_address":
		return d.StreetAddress != "" && d.City != "" && d.ZipCode != "" && d.Country != ""
	case "shipping_address":
		return d.ShippingStreetAddress != "" && d.ShippingCity != "" && d.ShippingZipCode != "" && d.ShippingCountry != ""
	}
	for _, f := range textFields {
		if f.Name == detail {
			return *f.At(&d) != ""
		}
	}
	return false
}
