// Package token knows stored bank accounts that can be charged: their state and
// what it allows. It must not know purchases.
package token

import (
	"cmp"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// State is where a token stands.
type State string

// The states of a token (reference: debit orders B).
const (
	Pending    State = "pending" // waits for the first collection; not listed, not chargeable
	Active     State = "active"
	Blocked    State = "blocked"    // charging is refused until new details are given
	Deleting   State = "deleting"   // out of use; the deletion can still be taken back
	Deleted    State = "deleted"    // final; evidence is kept
	Superseded State = "superseded" // replaced by a newer token of the same client
)

// Token is a stored bank account. Its id equals the id of the tokenising purchase.
type Token struct {
	ID, MerchantID, BrandID uuid.UUID
	ClientID                uuid.UUID // zero when the purchase had no client record
	MandateID               uuid.UUID
	Method                  string // eft or debicheck
	State                   State
	Description             string // a uuid-shaped text for eft
	HolderName              string
	BankCode                string
	AccountType             bank.AccountType
	Account                 bank.AccountNumber `gorm:"-"` // sealed; empty unless opened for the bank
	AccountMask             string             // "•••• 1234"
	SoftFailures            int                // in a row, codes 02 and 22
	Failures                int                // in a row, any code
	BlockedCode             string             // the bank's code that blocked it
	LastUsedAt              time.Time
	LastSuccessAt           time.Time
	CreatedBy               string
	HeldAt                  time.Time `gorm:"->"` // since when nothing is debited from it; zero: it may be
	// ObjectedAt is since when its client says that it did not agree to its mandate; HeldAt is set, too. Zero: it says no
	// such thing.
	ObjectedAt time.Time `gorm:"->"`
	// ParkedAt is since when the account, which came in with an import, waits for its group to be switched on; zero: it
	// does not.
	ParkedAt time.Time `gorm:"<-:create"`
	// NotBefore is the first day of a debit: until then the old system may have debited the same. Zero: any day.
	NotBefore            calendar.Date `gorm:"<-:create"`
	CreatedAt, UpdatedAt time.Time
}

// Named is what people call the account: "FNB •••• 1234". A bank that is not in our
// list goes by its branch code.
func (t Token) Named() string {
	return strings.TrimSpace(cmp.Or(bank.BankName(t.BankCode), t.BankCode) + " " + t.AccountMask)
}

// Live tells whether the token still exists for its client: it is listed and can
// be deleted. A blocked token is live but cannot be charged.
func (t Token) Live() bool { return t.State == Active || t.State == Blocked }

// Held tells that nothing is debited from the account until the debits of its client are resumed.
func (t Token) Held() bool { return !t.HeldAt.IsZero() }

// Objected tells that the client says that it did not agree to the mandate.
func (t Token) Objected() bool { return !t.ObjectedAt.IsZero() }

// Parked tells that nothing is debited from the account until the group of its import is switched on.
func (t Token) Parked() bool { return !t.ParkedAt.IsZero() }

// UsedUp tells that the account was never stored: its client allowed one debit, and
// that was made.
func (t Token) UsedUp() bool { return t.State == Deleted && t.BlockedCode == bank.CodeOnceOffDone }
