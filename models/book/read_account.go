package book

import (
	"regexp"
	"strings"

	"debitdesk/models/bank"
)

// account reads which bank account the client pays from.
func (r *reading) account() {
	v := &r.line.Values
	v.Holder = r.text(Holder, 128)
	text, given := r.number(Account)
	if !given {
		return
	}
	number := r.cleanAccount(text)
	branch, ok := r.branch()
	kind := r.accountType()
	if !ok || number == "" {
		return
	}
	number = r.judged(branch, number, kind)
	if number == "" {
		return
	}
	v.Details.BankCode, v.Details.BankAccount, v.Details.AccountType = branch, number, kind
}

var lettersFirst = regexp.MustCompile(`^[A-Za-z:. ]+(\d[\d -]*)$`)

// cleanAccount takes out what stands around the digits of an account number.
func (r *reading) cleanAccount(text string) bank.AccountNumber {
	if m := lettersFirst.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return bank.CleanAccount(text)
}

// withoutAccount tells that a person wants the client without an account that cannot be used.
func (r *reading) withoutAccount(cause string) bool {
	if r.chose(cause) != choiceNoDebit {
		return false
	}
	r.say(Note, Account, cause, "the account was left out")
	return true
}

// judged holds an account against the rules of its bank.
func (r *reading) judged(branch string, number bank.AccountNumber, kind bank.AccountType) bank.AccountNumber {
	checked := bank.ValidateAccount(branch, number, kind)
	if of, _, known := bank.FindBranch(branch); known && len(number.Reveal()) < of.MinDigits && of.Verified &&
		digitsOf(number.Reveal()) == number.Reveal() {
		if r.chose(CauseAccountZeros) == choiceYes {
			number = bank.AccountNumber(strings.Repeat("0", of.MinDigits-len(number.Reveal())) + number.Reveal())
			if checked = bank.ValidateAccount(branch, number, kind); checked.OK() {
				r.say(Note, Account, CauseAccountZeros, "zeros were put back in front of the number")
				return number
			}
		}
		if checked = bank.ValidateAccount(branch, number, kind); !checked.OK() {
			if !r.withoutAccount(CauseAccountZeros) {
				r.wrong(Account, CauseAccountZeros, "%s account numbers have %d digits at least, this one has %d. If a "+
					"spreadsheet dropped zeros at the front, put them back; digits that are missing otherwise cannot be guessed",
					of.Bank, of.MinDigits, len(number.Reveal()))
			}
			return ""
		}
	}
	for _, p := range checked.Problems {
		f, cause := Account, CauseAccount
		if p.Field == bank.FieldBranch {
			f = Branch
		}
		if strings.Contains(p.Message, "Common Monetary Area") {
			cause = CauseAbroad
		}
		if r.withoutAccount(cause) {
			return ""
		}
		r.wrong(f, cause, "%s", strings.TrimSuffix(p.Message, "."))
	}
	if !checked.OK() {
		return ""
	}
	return number
}

var numberOnly = regexp.MustCompile(`^\d+$`)

// branch reads the branch code from the columns of the bank and of the branch.
func (r *reading) branch() (code string, ok bool) {
	name, hasName := r.cell(Bank)
	text, hasCode := r.cell(Branch)
	universal, known := bankOf(name)
	if hasName && numberOnly.MatchString(bank.CleanBranch(name)) && !hasCode { // the code stands in the column of the bank
		text, hasCode, hasName = name, true, false
	}
	code = bank.CleanBranch(text)
	switch {
	case hasCode && exponent.MatchString(text):
		r.wrong(Branch, CauseScientific, "%s", lostDigits)
		return "", false
	case hasCode && !numberOnly.MatchString(code):
		return r.named(text, name, universal, known)
	case hasCode && len(code) < 6:
		return r.short(code, name, universal, known)
	case hasCode:
		return r.coded(code, name, universal, known)
	case known:
		return universal, true
	case r.withoutAccount(CauseBank):
		return "", false
	case hasName:
		r.wrong(Bank, CauseBank, "%s is not a bank that we know; write its name or its branch code", found(Bank, name))
	default:
		r.wrong(Bank, CauseBank, "expected the bank or its branch code, found nothing")
	}
	return "", false
}

// named is a branch whose name stands where the code should be: the bank's universal code, where the bank is certain.
func (r *reading) named(text, name, universal string, known bool) (string, bool) {
	if of, is := bankOf(text); is && !known {
		return of, true
	}
	if known {
		r.say(Note, Branch, CauseBranchName, "%s is the name of a branch: the universal code %s of %s is used",
			found(Branch, text), universal, bank.BankName(universal))
		return universal, true
	}
	if !r.withoutAccount(CauseBank) {
		r.wrong(Branch, CauseBank, "%s is the name of a branch, and %s names no bank that we know", found(Branch, text),
			map[bool]string{true: "nothing", false: found(Bank, name)}[name == ""])
	}
	return "", false
}

// short is a code that lost a zero: it is put back where a bank has that code.
func (r *reading) short(code, name, universal string, known bool) (string, bool) {
	full := strings.Repeat("0", 6-len(code)) + code
	if of, is, there := bank.FindBranch(full); there && is && (!known || bank.BankName(universal) == of.Bank) {
		r.say(Note, Branch, CauseBranchZero, "the zero in front of %s was lost and put back: %s is %s", code, full, of.Bank)
		return full, true
	}
	if known {
		r.say(Note, Branch, CauseBranchZero, "%s is not a branch code: the universal code %s of %s is used", code, universal,
			bank.BankName(universal))
		return universal, true
	}
	if !r.withoutAccount(CauseBank) {
		r.wrong(Branch, CauseBank, "a branch code has six digits, this one has %d", len(code))
	}
	return "", false
}

// coded is a code of six digits beside the name of a bank.
func (r *reading) coded(code, name, universal string, known bool) (string, bool) {
	of, isUniversal, there := bank.FindBranch(code)
	switch {
	case !known || !there && len(code) != 6:
		if there && !isUniversal {
			r.say(Note, Branch, CauseOldBranch, "%s is a branch of %s; its universal code %s is safer", code, of.Bank, of.Code)
		}
		return code, true
	case !there:
		r.say(Note, Branch, CauseOldBranch, "the old code %s is not in our list: the universal code %s of %s is used", code,
			universal, bank.BankName(universal))
		return universal, true
	case of.Bank == bank.BankName(universal):
		if !isUniversal {
			r.say(Note, Branch, CauseOldBranch, "%s is a branch of %s: the universal code %s is used", code, of.Bank, of.Code)
			return of.Code, true
		}
		return code, true
	}
	switch r.chose(CauseBankDiffers) {
	case choiceBank:
		return universal, true
	case choiceCode:
		return code, true
	}
	r.wrong(Branch, CauseBankDiffers, "the code %s is %s, and the bank is %s", code, of.Bank, found(Bank, name))
	return "", false
}

// accountType takes the type by its word or its digit. Without a column it is a current account; another word is one
// only after a yes.
func (r *reading) accountType() bank.AccountType {
	text, given := r.cell(Type)
	if !given {
		return bank.Current
	}
	if kind, known := accountTypes[plainWord(text)]; known {
		return r.typeDigit(text, kind)
	}
	if r.chose(CauseType) != choiceYes {
		r.wrong(Type, CauseType, "expected Current, Savings or Transmission, found %s", found(Type, text))
	}
	return bank.Current
}
