package bank

import (
	"fmt"
	"strings"

	"debitdesk/models/rulebook"
)

// Problem is one thing wrong with one field, in words for the person who typed it.
type Problem struct{ Field, Code, Message string }

// Hint is advice on one field that stops nothing.
type Hint struct{ Field, Message string }

// The fields that problems name.
const (
	FieldBranch      = "bank_code"
	FieldAccount     = "bank_account"
	FieldAccountType = "account_type"
	FieldID          = "personal_code"
	FieldPhone       = "phone"
)

// AccountType is the kind of bank account as banks name it.
type AccountType string

// The account types that debit orders use.
const (
	Current      AccountType = "CURRENT"
	Savings      AccountType = "SAVINGS"
	Transmission AccountType = "TRANSMISSION"
)

// AccountTypes lists the types in the order a form shows them.
func AccountTypes() []AccountType { return []AccountType{Current, Savings, Transmission} }

// Label is the type for a person: "Current account".
func (t AccountType) Label() string {
	switch t {
	case Current:
		return "Current account"
	case Savings:
		return "Savings account"
	case Transmission:
		return "Transmission account"
	}
	return string(t)
}

// Known tells whether t is one of AccountTypes.
func (t AccountType) Known() bool { return t == Current || t == Savings || t == Transmission }

// Checked is the outcome of ValidateAccount: everything wrong at once, advice, and what the check digits say.
type Checked struct {
	Bank     string // the bank's name, or nothing
	Problems []Problem
	Hints    []Hint
	CDV      CDVResult
}

// OK tells that nothing is wrong.
func (c Checked) OK() bool { return len(c.Problems) == 0 }

// The numbers of the sandbox bank pass at every branch.
const (
	MockAccepted AccountNumber = "110000001"
	MockUnpaid   AccountNumber = "110000002"
	MockDispute  AccountNumber = "210000001"
)

// Lengths where a bank's own is not verified.
const minDigits, maxDigits = 7, 13

// ValidateAccount checks branch, account number and account type (which may be empty when unknown) and reports all
// problems at once. It does not know whether the account exists: that is Verifier.Verify.
func ValidateAccount(branch string, number AccountNumber, accountType AccountType) Checked {
	var c Checked
	c.checkBranch(branch)
	c.checkNumber(branch, number, accountType)
	if accountType != "" && !accountType.Known() {
		c.problem(FieldAccountType, "invalid_choice", "Choose CURRENT, SAVINGS or TRANSMISSION.")
	}
	if accountType == Savings {
		c.hint(FieldAccountType, "Some savings accounts refuse debit orders (code 03).")
	}
	c.CDV = checkDigits(nil, branch, number, accountType)
	if c.CDV == CDVFailed {
		c.problem(FieldAccount, "invalid", "The check digit of this account number is wrong (CDV failed).")
	}
	return c
}

func (c *Checked) problem(field, code, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{field, code, fmt.Sprintf(format, args...)})
}

func (c *Checked) hint(field, format string, args ...any) {
	c.Hints = append(c.Hints, Hint{field, fmt.Sprintf(format, args...)})
}

func (c *Checked) checkBranch(code string) {
	b, universal, found := FindBranch(code)
	country, abroad := abroad(code)
	switch {
	case code == "":
		c.problem(FieldBranch, "required", "Enter the branch code.")
	case code == "51001":
		c.problem(FieldBranch, "invalid", "Invalid branch code: Standard Bank’s is 051001, with the zero.")
	case abroad:
		c.problem(FieldBranch, "invalid", "This branch is in %s. South African debit orders cannot debit accounts in other "+
			"countries of the Common Monetary Area.", country)
	case len(code) != 6 || !allDigits(code) || code == "000000":
		c.problem(FieldBranch, "invalid", "Invalid branch code: it has six digits.")
	case noBranch(code):
		c.problem(FieldBranch, "invalid", "Invalid branch code: no South African bank has %s.", code)
	case found && !universal:
		c.Bank = b.Bank
		c.hint(FieldBranch, "The universal code %s of %s is safer.", b.Code, b.Bank)
	case found:
		c.Bank = b.Bank
	default:
		c.hint(FieldBranch, "This branch is not in our list; the bank’s universal branch code is safer.")
	}
}

// abroad tells in which other country of the Common Monetary Area a branch lies. Since 30 September 2024 its accounts
// cannot be debited from here, whatever a bank says, so no new one is taken.
func abroad(code string) (country string, yes bool) {
	country, allowed := rulebook.Default().CMA(code, rulebook.NoEnd)
	return country, !allowed
}

func (c *Checked) checkNumber(branch string, number AccountNumber, accountType AccountType) {
	digits := number.Reveal()
	switch {
	case digits == "":
		c.problem(FieldAccount, "required", "Enter the account number.")
	case !allDigits(digits):
		c.problem(FieldAccount, "invalid", "The account number must be numeric.")
	case strings.Trim(digits, "0") == "":
		c.problem(FieldAccount, "min_value", "The account number must be greater than zero.")
	case number == MockAccepted || number == MockUnpaid || number == MockDispute:
	default:
		c.checkLength(branch, digits, accountType)
	}
}

func (c *Checked) checkLength(branch, digits string, accountType AccountType) {
	least, most, bank := minDigits, maxDigits, ""
	if b, _, found := FindBranch(branch); found && b.Verified {
		least, most, bank = b.MinDigits, b.MaxDigits, b.Bank
	}
	switch n := len(digits); {
	case n < least:
		c.problem(FieldAccount, "min_length", "Invalid account for bank branch: %s, this one has %d.",
			wanted(bank, least, most), n)
	case n > most:
		c.problem(FieldAccount, "max_length", "The account may not exceed %d digits: %s, this one has %d.", most,
			wanted(bank, least, most), n)
	case bank == "Nedbank" && !nedbankLength(n, accountType):
		c.problem(FieldAccount, "invalid",
			"Invalid account for bank branch: Nedbank account numbers have 10 digits, this one has %d.", n)
	case bank == "Al Baraka" && !strings.HasPrefix(digits, "786"):
		c.problem(FieldAccount, "invalid", "Invalid account for bank branch: Al Baraka account numbers start with 786.")
	}
}

// nedbankLength: 10 digits; 13-digit forms exist; accounts of the former FBC have 11 and are no current accounts
// (industry).
func nedbankLength(n int, t AccountType) bool {
	return n == 10 || n == 13 || n == 11 && t != Current
}

func wanted(bank string, least, most int) string {
	who := "account numbers have "
	if bank != "" {
		who = bank + " " + who
	}
	switch {
	case bank == "Nedbank":
		return who + "10 digits"
	case least == most:
		return fmt.Sprintf("%s%d digits", who, least)
	default:
		return fmt.Sprintf("%s%d to %d digits", who, least, most)
	}
}
