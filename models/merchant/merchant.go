// Package merchant knows whom money is collected for: the business, the brands
// it trades as and its registrations at the bank. It must not know clients.
package merchant

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/money"
	"debitdesk/models/rulebook"
)

// Merchant is one business; everything else belongs to exactly one.
type Merchant struct {
	ID        uuid.UUID
	Slug      string
	Name      string
	IsTest    bool
	IsDemo    bool
	CreatedAt time.Time
}

// Demands is what the merchant wants a second person to agree to.
type Demands struct {
	Deletions    bool   `gorm:"column:approve_deletions"`     // of stored accounts, in the dashboard
	BatchesAbove *int64 `gorm:"column:approve_batches_cents"` // cents; nil: no batch
	FilesAbove   *int64 `gorm:"column:approve_files_cents"`   // cents, of files to the bank; nil: no file
	// Settings that direct money: clearing accounts, the default account, webhooks.
	Settings bool `gorm:"column:approve_settings"`
}

// NeedsTwo tells whether a batch of that sum, in cents, needs a second person.
func (d Demands) NeedsTwo(cents int64) bool { return d.BatchesAbove != nil && cents > *d.BatchesAbove }

// Any tells whether anything needs a second person.
func (d Demands) Any() bool {
	return d.Deletions || d.BatchesAbove != nil || d.FilesAbove != nil || d.Settings
}

// MaySend is nil when the actor may send invoices of that many cents together: within
// the actor's own limit, and without a second approver. It holds however a person asks
// for it, on a page or by the JSON API (API contract 12.29); programs are held to their scopes.
func (d Demands) MaySend(who actor.Actor, cents int64) error {
	if err := who.Sends(cents); err != nil {
		return err
	}
	if who.Kind == actor.User && d.NeedsTwo(cents) {
		return fault.New(
			fault.Conflict,
			"approval_needed",
			"Your business asks for a second approver before invoices of more than %s together are sent. "+
				"Upload them as a batch in the dashboard and ask for approval there.",
			money.Format(*d.BatchesAbove, money.ZAR),
		)
	}
	return nil
}

// Brand is a name the merchant trades as.
type Brand struct {
	ID, MerchantID uuid.UUID
	BrandInput
	Country  string    `gorm:"<-:create"` // ISO 3166 alpha-2
	Currency string    `gorm:"<-:create"`
	IsTest   bool      `gorm:"->;-:migration"`
	Version  int       // counts its changes, so that one does not hide another
	Profiles []Profile `gorm:"-"`
	// OwnRules are the stricter values that the business chose in the place of the scheme's.
	OwnRules []rulebook.Own `gorm:"->;-:migration;serializer:json"`
	// OwnWords are what the business adds to the mails of the brand.
	OwnWords []Wording `gorm:"->;-:migration;serializer:json"`
}

// Wording is what a business adds to a kind of message in one language: paragraphs in plain text, with names in braces.
// Its JSON is how it is read.
type Wording struct {
	Kind     string          `gorm:"not null" json:"kind"`
	Language locale.Language `gorm:"not null" json:"language"`
	Opening  string          `gorm:"not null" json:"opening"` // before the text of the house; empty: nothing
	Closing  string          `gorm:"not null" json:"closing"` // after it
}

// Words are those of a kind of message in a language; the zero value where there are none.
func (b Brand) Words(kind string, l locale.Language) Wording {
	for _, w := range b.OwnWords {
		if w.Kind == kind && w.Language == l {
			return w
		}
	}
	return Wording{}
}

// Rules are the rules that hold for the debits of the brand: a book with the stricter values of its business.
func (b Brand) Rules(book *rulebook.Book) *rulebook.Book {
	return book.ForMerchant(b.MerchantID.String(), b.OwnRules)
}

// Profile is one registration of the brand at the bank.
type Profile struct {
	ID              uuid.UUID
	ProfileCode     string
	AbbreviatedName string // at most 10 characters, on the client's statement
	AccountNumber   string // the merchant's clearing account, never a client's
	BranchCode      string
	IsDefault       bool
}

// DefaultProfile is the registration used when a request names none.
func (b Brand) DefaultProfile() (Profile, bool) {
	for _, p := range b.Profiles {
		if p.IsDefault {
			return p, true
		}
	}
	if len(b.Profiles) > 0 {
		return b.Profiles[0], true
	}
	return Profile{}, false
}

// ShiftFor is where a payment day moves that falls on a closed day.
func (b Brand) ShiftFor(m bank.Method) calendar.Shift {
	if m == bank.DebiCheck {
		return b.DebiCheckShift
	}
	return b.Shift
}
