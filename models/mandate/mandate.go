// Package mandate knows the client's permission to debit an account: its terms,
// how the client authenticates it at the bank, its wording and what proves it. It
// must not know single debits.
package mandate

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
)

// Kind is how the mandate was authenticated.
type Kind string

// The kinds of mandate.
const (
	EFT       Kind = "eft"
	DebiCheck Kind = "debicheck"
)

// Channel is how the client gave the permission.
type Channel string

// The channels of consent. For DebiCheck the bank names the channel of acceptance
// on the authentication.
const (
	PayPage     Channel = "pay_page"     // on the hosted page, with text, time and address
	SignedPaper Channel = "signed_paper" // on paper; a scan is kept
	ByAPI       Channel = "api"          // the integrator vouches for a permission it holds
	ByBank      Channel = "bank"         // DebiCheck: the client answers their own bank
)

// Consent is what the client agreed to, and the circumstances that prove it.
type Consent struct {
	Text    string
	At      time.Time
	IP      string
	Agent   string // the browser, as it named itself
	Channel Channel
}

// Mandate is one permission. Its id equals the id of the tokenising purchase.
type Mandate struct {
	ID, MerchantID, BrandID, ClientID uuid.UUID `gorm:"<-:create"`
	Kind                              Kind      `gorm:"<-:create"`
	State                             State
	ContractReference                 string // at most 14 characters, unique per brand, never used again
	ProfileCode                       string `gorm:"<-:create"`
	AbbreviatedName                   string `gorm:"<-:create"` // at most 10 characters
	ClearingAccount                   string `gorm:"<-:create"` // the merchant's
	PeriodUnits                       string `gorm:"<-:create"` // months, weeks, days
	DeductionDay                      int    `gorm:"<-:create"` // 1-30 or 99 for months, 1-7 for weeks, 0 for days
	AmountCents                       int64  // of the tokenising purchase
	Terms                             *Terms `gorm:"serializer:json;not null"` // nil for EFT
	OneDebit                          bool   // the account is not stored: it is for this purchase's debit alone
	HolderName                        string
	AccountMask                       string
	BankCode                          string
	AccountType                       bank.AccountType
	Consent                           Consent `gorm:"embedded;embeddedPrefix:consent_"`

	Fallback      bool      // it rests on the 48-hour fallback: every collection may be disputed
	BankReference string    // DebiCheck: given by the bank on acceptance, at most 35 characters
	ReasonCode    string    // why it is rejected, suspended or cancelled: the bank's code
	AcceptedAt    time.Time // when it became usable; zero before
	EndedAt       time.Time // when it stopped being usable for good

	CreatedAt, UpdatedAt time.Time

	// Of a list or a page: the account was blocked by a bank's answer, so that nothing is debited, whatever the state.
	AccountBlocked bool   `gorm:"-" json:"-"`
	BlockedCode    string `gorm:"-" json:"-"`
}

// ByID finds mandates by their ids.
func ByID(list []Mandate) map[uuid.UUID]Mandate {
	out := make(map[uuid.UUID]Mandate, len(list))
	for _, m := range list {
		out[m.ID] = m
	}
	return out
}

// OfOneDebit is the mandate of a client who lets one debit run and has nothing
// stored: by DebiCheck the bank is asked for a once-off mandate, which nothing adjusts.
func (m Mandate) OfOneDebit() Mandate {
	m.OneDebit = true
	if m.Terms != nil {
		t := *m.Terms
		t.DebitSequence, t.AdjustmentCategory, t.AdjustmentRate, t.AdjustmentAmountCents = OnceOff, Never, nil, nil
		m.Terms = &t
	}
	return m
}

// AllowsOneDebit tells that no second debit may run under the mandate.
func (m Mandate) AllowsOneDebit() bool {
	return m.OneDebit || m.Terms != nil && m.Terms.DebitSequence == OnceOff
}

// Replaced is a permission whose debit failed and that the client gave anew, as it was.
type Replaced struct {
	ID, MerchantID, MandateID         uuid.UUID
	ClientID                          uuid.UUID
	ContractReference                 string
	HolderName, AccountMask, BankCode string
	AccountType                       bank.AccountType
	Consent                           Consent `gorm:"embedded;embeddedPrefix:consent_"`
	CreatedAt, ReplacedAt             time.Time
}

// ReplacedAt is what stays on record of the mandate when the client gives another in its place.
func (m Mandate) ReplacedAt(id uuid.UUID, at time.Time) Replaced {
	return Replaced{ID: id, MerchantID: m.MerchantID, MandateID: m.ID, ClientID: m.ClientID,
		ContractReference: m.ContractReference, HolderName: m.HolderName, AccountMask: m.AccountMask,
		BankCode: m.BankCode, AccountType: m.AccountType, Consent: m.Consent, CreatedAt: m.CreatedAt, ReplacedAt: at}
}

// Evidence is a file that proves a mandate, such as the scan of a signed form.
type Evidence struct {
	ID, MerchantID, MandateID uuid.UUID
	Name, ContentType         string
	SizeBytes                 int64
	SHA256                    []byte `gorm:"column:sha256"`
	Content                   []byte `gorm:"serializer:sealed;not null"`
	CreatedAt                 time.Time

	database.Damage `gorm:"-" json:"-"` // its content that cannot be read
}
