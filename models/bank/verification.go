package bank

import (
	"strings"

	"github.com/google/uuid"
)

// Verification asks a bank about an account (AVS). Fields that are not known stay empty and are not checked.
type Verification struct {
	MerchantID  uuid.UUID
	Branch      string
	Account     AccountNumber
	AccountType AccountType
	ID          IDNumber
	FullName    string
	Email       string
	Phone       string
}

// Answer is a bank's answer to one check. The zero Answer is NotChecked.
type Answer string

// The answers to one check.
const (
	NotChecked Answer = ""
	Yes        Answer = "yes"
	No         Answer = "no"
)

// Verified is what a bank says about an account, check by check.
type Verified struct {
	Exists               Answer `json:"exists"`
	Open                 Answer `json:"open"`
	AcceptsDebits        Answer `json:"accepts_debits"`
	IDMatches            Answer `json:"id_matches"`
	AcceptsCredits       Answer `json:"accepts_credits"`
	TypeMatches          Answer `json:"type_matches"`
	InitialsMatch        Answer `json:"initials_match"`
	NameMatches          Answer `json:"name_matches"`
	OlderThanThreeMonths Answer `json:"older_than_three_months"`
	EmailMatches         Answer `json:"email_matches"`
	PhoneMatches         Answer `json:"phone_matches"`
}

// AllYes is a bank that agrees with everything.
func AllYes() Verified {
	return Verified{Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes}
}

// Check is one line of a verification for a person.
type Check struct {
	Label  string
	Answer Answer
	Fatal  bool // a No fails the request
	no     string
}

// Checks lists all lines in the order to show them.
func (v Verified) Checks() []Check {
	return []Check{
		{"Account exists", v.Exists, true, "account not found"},
		{"Account is open", v.Open, true, "account is closed"},
		{"Accepts debit orders", v.AcceptsDebits, true, "account does not accept debits"},
		{"Identity number matches", v.IDMatches, true, "identity number does not match the account holder"},
		{"Accepts credits", v.AcceptsCredits, false, "account does not accept credits"},
		{"Account type matches", v.TypeMatches, false, "account is of another type"},
		{"Initials match", v.InitialsMatch, false, "initials do not match"},
		{"Name matches", v.NameMatches, false, "name does not match"},
		{"Older than three months", v.OlderThanThreeMonths, false, "account is younger than three months"},
		{"E-mail matches", v.EmailMatches, false, "e-mail address does not match"},
		{"Phone matches", v.PhoneMatches, false, "phone number does not match"},
	}
}

// Failures are the reasons to refuse the account: not found, closed, no debits, another identity. Not checked never
// fails.
func (v Verified) Failures() []string { return v.noes(true) }

// Warnings are the other noes, to show on the token.
func (v Verified) Warnings() []string { return v.noes(false) }

func (v Verified) noes(fatal bool) (words []string) {
	for _, c := range v.Checks() {
		if c.Answer == No && c.Fatal == fatal {
			words = append(words, c.no)
		}
	}
	return words
}

// Checked tells whether the bank answered anything at all.
func (v Verified) Checked() bool { return v != Verified{} }

// Refusal is the sentence for a failed verification, or nothing.
func (v Verified) Refusal() string {
	failures := v.Failures()
	if len(failures) == 0 {
		return ""
	}
	return "The bank details could not be verified: " + strings.Join(failures, ", ") + "."
}
