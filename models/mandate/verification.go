package mandate

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// Verification is what the bank said about an account when it was asked (AVS).
// It is kept whether the account passed or not.
type Verification struct {
	ID, MerchantID uuid.UUID
	ClientID       uuid.UUID          // zero when the client's details came with the request
	PurchaseID     uuid.UUID          // zero when the request was refused for it
	Account        bank.AccountNumber `gorm:"-"` // a hash of it is kept
	AccountMask    string
	BankCode       string
	Answers        bank.Verified `gorm:"serializer:json"`
	Passed         bool
	At             time.Time
}

// Summary is the outcome in one sentence.
func (v Verification) Summary() string {
	warnings := v.Answers.Warnings()
	switch {
	case !v.Answers.Checked():
		return "the bank could not answer."
	case !v.Passed:
		return strings.Join(v.Answers.Failures(), ", ") + "."
	case len(warnings) > 0:
		return "verified, but " + strings.Join(warnings, ", ") + "."
	}
	return "verified."
}
