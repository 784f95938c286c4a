package purchase

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// MovedIn is a bank account with its EFT mandate that a business brings from elsewhere. Its rules were asked before:
// a branch and a number that a bank takes, and a permission that the business holds.
type MovedIn struct {
	Brand    merchant.Brand
	ClientID uuid.UUID
	Payer    client.Details // with the account
	Holder   string
	Known    mandate.MovedIn
	Channel  mandate.Channel
	Units    string // of the deduction day: months, weeks, days
	Day      int
	// Contract is the reference that goes with each debit, Reference the one of the purchase that stores the account.
	// Both were never used before.
	Contract, Reference string
	NotBefore           calendar.Date // the first day of a debit
	Parked              bool
	Failures            int // debits that failed in a row at the old system
}

// ContractOf is the next reference of a mandate of a brand: its prefix and a number that was never used.
func ContractOf(b merchant.Brand, n int64) string { return contractReference(b, n) }

// ReferenceOf is the next generated reference of a purchase of a brand.
func ReferenceOf(b merchant.Brand, n int64) string { return fmt.Sprintf("%s%d", b.ReferencePrefix, n) }

// MostContract is how long the reference of a mandate may be.
const MostContract = 14

// FitsContract tells whether a reference of the old system can go on as the contract reference of a mandate: clients
// then find the same reference on their statements.
func FitsContract(reference string) bool {
	return reference != "" && len(reference) <= MostContract &&
		strings.Map(alphanumeric, reference) == reference && strings.ToUpper(reference) == reference
}

// InsertMovedIn writes the account, its mandate and the purchase that stands for both, without a mail and without
// telling a program: the permission was given before.
func (s *Service) InsertMovedIn(tx *database.Tx, who actor.Actor, in MovedIn) (token.Token, error) {
	now, id := tx.Now(), tx.NewID()
	profile, _ := in.Brand.DefaultProfile()
	dd := DirectDebit{ProfileCode: profile.ProfileCode, AbbreviatedName: profile.AbbreviatedName,
		AccountNumber: profile.AccountNumber, PeriodUnits: in.Units, DeductionDay: in.Day}
	p := Purchase{MerchantID: in.Brand.MerchantID, BrandID: in.Brand.ID, ClientID: in.ClientID, IsTest: in.Brand.IsTest,
		Status: Created, Product: ByPurchases, Currency: money.ZAR, Issued: calendar.DateOf(now),
		Reference: in.Known.OldReference, ReferenceGenerated: in.Reference, Method: EFT, Payer: in.Payer,
		Details: Details{Language: in.Brand.Language, Timezone: "Africa/Johannesburg", DirectDebit: &dd},
		Options: Options{Whitelist: []string{EFT}, ForceRecurring: true, SkipCapture: true, Platform: "web"},
	}
	if who.Kind == actor.User {
		p.UserID = who.ID
	}
	p.Begin(id, now)
	p.stored(now, who.IP)
	p.UpdatedAt = now
	kind := cmp.Or(in.Payer.AccountType, bank.Current)
	m := mandate.Mandate{ID: id, MerchantID: p.MerchantID, BrandID: p.BrandID, ClientID: p.ClientID, Kind: mandate.EFT,
		State: mandate.ActiveState, ContractReference: in.Contract, ProfileCode: dd.ProfileCode,
		AbbreviatedName: dd.AbbreviatedName, ClearingAccount: dd.AccountNumber, PeriodUnits: in.Units, DeductionDay: in.Day,
		AmountCents: in.Known.Cents, HolderName: in.Holder, AccountMask: in.Payer.BankAccount.String(),
		BankCode: in.Payer.BankCode, AccountType: kind, AcceptedAt: now, CreatedAt: now, UpdatedAt: now,
		Consent: mandate.Consent{At: in.givenAt(now), IP: who.IP, Channel: cmp.Or(in.Channel, mandate.ByAPI)}}
	m.Consent.Text = mandate.WordingOfMovedIn(m, in.Brand, in.Known)
	k := token.Token{ID: id, MerchantID: p.MerchantID, BrandID: p.BrandID, ClientID: p.ClientID, MandateID: id,
		Method: EFT,
		State:  token.Active, Description: uuid.NewSHA1(id, []byte("description")).String(), HolderName: in.Holder,
		BankCode: in.Payer.BankCode, AccountType: kind, Account: in.Payer.BankAccount,
		AccountMask: in.Payer.BankAccount.String(), CreatedBy: who.Name, NotBefore: in.NotBefore, Failures: in.Failures,
		CreatedAt: now,
		UpdatedAt: now}
	if in.Parked {
		k.ParkedAt = now
	}
	Insert(tx, p)
	mandate.Insert(tx, m)
	token.Insert(tx, k)
	return k, nil
}

func (in MovedIn) givenAt(now time.Time) time.Time {
	if in.Known.SignedOn.IsZero() {
		return now
	}
	return in.Known.SignedOn.At(0, 0).UTC()
}
