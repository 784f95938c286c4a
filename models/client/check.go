package client

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/endpoint"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
)

// Strictness says how closely a client's numbers are looked at.
type Strictness int

const (
	// AsRecord asks what a record may hold (ours: API contract 12.4): the rules
	// of banks apply when a debit order uses the account.
	AsRecord Strictness = iota
	// ForDebit asks also what a bank would: branch, length, identity number.
	ForDebit
)

// Check brings the details into their stored form and reports everything that
// is wrong with them. today decides the century of a birth year.
func (d *Details) Check(how Strictness, today calendar.Date) fault.Problems {
	return d.checkSince(Details{}, how, today)
}

// checkSince asks what a bank would only of numbers that changed: what is on
// record may have come from a program, under the rules of a record.
func (d *Details) checkSince(before Details, how Strictness, today calendar.Date) fault.Problems {
	var wrong fault.Problems
	for _, f := range textFields {
		at := f.At(d)
		*at = strings.TrimSpace(*at)
		tooLong(&wrong, f.Name, *at, f.Max)
		wrong.OneLine(f.Name, *at)
	}
	d.BankAccount = bank.AccountNumber(strings.TrimSpace(d.BankAccount.Reveal()))
	d.PersonalCode = bank.IDNumber(strings.TrimSpace(d.PersonalCode.Reveal()))
	tooLong(&wrong, "bank_account", d.BankAccount.Reveal(), MaxBankAccount)
	tooLong(&wrong, "personal_code", d.PersonalCode.Reveal(), MaxPersonalCode)
	d.checkMasks(&wrong)
	d.checkReach(&wrong)
	d.checkCountries(&wrong)
	d.checkTags(&wrong)
	if _, known := locale.Parse(d.Language); !known && d.Language != "" {
		wrong.Add("language", "invalid_choice", "Choose one of the languages.")
	}
	if at, err := endpoint.Parse(d.ElectronicAddress); err != nil {
		f, _ := fault.From(err)
		wrong.Add("electronic_address", f.Code, "%s", f.Message)
	} else {
		d.ElectronicAddress = at.String()
	}
	if how == ForDebit {
		d.checkForDebit(&wrong, before, today)
	}
	return wrong
}

func tooLong(wrong *fault.Problems, name, text string, max int) {
	if utf8.RuneCountInString(text) > max {
		wrong.Add(name, "max_length", "Ensure this field has no more than %d characters.", max)
	}
}

// checkMasks refuses a masked number that stands for nothing stored.
func (d *Details) checkMasks(wrong *fault.Problems) {
	const message = "This is a masked number. Send the full number, or leave the field out."
	for _, f := range textFields {
		if f.Number && bank.IsMasked(*f.At(d)) && !wrong.Has(f.Name) {
			wrong.Add(f.Name, "invalid", message)
		}
	}
	if bank.IsMasked(d.BankAccount.Reveal()) {
		wrong.Add("bank_account", "invalid", message)
	}
	if bank.IsMasked(d.PersonalCode.Reveal()) {
		wrong.Add("personal_code", "invalid", message)
	}
	if bank.IsMasked(d.Phone) && !wrong.Has("phone") {
		wrong.Add("phone", "invalid", message)
	}
}

// checkReach asks for what identifies a client: an e-mail address, or account
// and branch (source: API contract section 2).
func (d *Details) checkReach(wrong *fault.Problems) {
	switch {
	case d.Email == "" && (d.BankAccount == "" || d.BankCode == ""):
		wrong.Add("email", "required", "Enter an e-mail address, or a bank account with its branch code.")
	case d.Email != "" && !wrong.Has("email") && !IsEmail(d.Email):
		wrong.Add("email", "invalid", "Enter a valid e-mail address.")
	}
	d.CC = checkCopies(wrong, "cc", d.CC)
	d.BCC = checkCopies(wrong, "bcc", d.BCC)
	if phone, ok := bank.NormalisePhone(d.Phone); ok {
		d.Phone = phone
	}
}

func checkCopies(wrong *fault.Problems, name string, addresses []string) []string {
	if len(addresses) > MaxCopies {
		wrong.Add(name, "max_length", "Ensure this field has no more than %d elements.", MaxCopies)
		return addresses
	}
	for i, address := range addresses {
		addresses[i] = strings.TrimSpace(address)
		if utf8.RuneCountInString(address) > MaxEmail || !IsEmail(addresses[i]) {
			wrong.Add(entry(name, i, len(addresses)), "invalid", "Enter a valid e-mail address.")
		}
	}
	return addresses
}

func (d *Details) checkCountries(wrong *fault.Problems) {
	for _, f := range []struct {
		name string
		at   *string
	}{{"country", &d.Country}, {"shipping_country", &d.ShippingCountry}} {
		code, ok := CountryCode(*f.at)
		if ok {
			*f.at = code
		} else if !wrong.Has(f.name) {
			wrong.Add(f.name, "invalid_choice", "%q is not a valid choice.", *f.at)
		}
	}
}

func (d *Details) checkForDebit(wrong *fault.Problems, before Details, today calendar.Date) {
	var found []bank.Problem
	if d.BankAccount != before.BankAccount || d.BankCode != before.BankCode || d.AccountType != before.AccountType {
		found = append(found, d.accountProblems()...)
	}
	if d.PersonalCode != before.PersonalCode && d.PersonalCode != "" {
		found = append(found, d.IdentityProblems(today)...)
	}
	if d.Phone != before.Phone && d.Phone != "" {
		found = append(found, d.PhoneProblems()...)
	}
	for _, p := range found {
		if !wrong.Has(p.Field) {
			wrong.Add(p.Field, p.Code, "%s", p.Message)
		}
	}
}

func (d *Details) accountProblems() []bank.Problem {
	if d.BankAccount == "" && d.BankCode == "" {
		return nil
	}
	return d.AccountProblems()
}

// AccountProblems brings branch and account into the form in which a bank takes
// them, and tells what is wrong with them. It and the two that follow are the rules
// of every page and of the API, wherever a debit order uses the numbers.
func (d *Details) AccountProblems() []bank.Problem {
	d.BankAccount = bank.CleanAccount(d.BankAccount.Reveal())
	d.BankCode = bank.CleanBranch(d.BankCode)
	return bank.ValidateAccount(d.BankCode, d.BankAccount, d.AccountType).Problems
}

// IdentityProblems is AccountProblems for the identity or passport number.
func (d *Details) IdentityProblems(today calendar.Date) []bank.Problem {
	d.PersonalCode = bank.CleanID(d.PersonalCode.Reveal())
	_, wrong := bank.ParseIdentity(d.PersonalCode, today)
	return wrong
}

// PhoneProblems is AccountProblems for the phone number.
func (d *Details) PhoneProblems() []bank.Problem {
	phone, ok := Phone(strings.TrimSpace(d.Phone))
	if !ok {
		return []bank.Problem{{Field: bank.FieldPhone, Code: "invalid",
			Message: "Enter a South African number such as 082 123 4567, or + and the country code."}}
	}
	d.Phone = phone
	return nil
}

var (
	foreignPhone = regexp.MustCompile(`^(?:\+|00)[1-9][0-9 ().\x{a0}-]*$`)
	notDigits    = regexp.MustCompile(`[^0-9]`)
	mailTo       = regexp.MustCompile(`(?i)^mailto:\s*`)
	// Blanks beside a sign that parts an address.
	blanksAtSigns = regexp.MustCompile(` ?([@.,]) ?`)
	emailForm     = regexp.MustCompile(
		`^[A-Za-z0-9.!#$%&'*+/=?^_{|}~\x60-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?` +
			`(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$`,
	)
)

// Phone is the one rule on phone numbers, of page, API and batch: it brings a South
// African number into its stored form and leaves one of another country, in the
// international form (E.164), as it is; ok is false when the text is neither.
func Phone(text string) (phone string, ok bool) {
	if phone, ok = bank.NormalisePhone(text); ok {
		return phone, true
	}
	const least, most = 8, 15 // digits, with the country code
	n := len(notDigits.ReplaceAllString(strings.TrimPrefix(text, "00"), ""))
	return text, foreignPhone.MatchString(text) && n >= least && n <= most
}

// TidyEmail takes off what stands around an e-mail address, or between its parts: blanks, a name before it, signs.
// It invents none: words that only their blanks keep from being an address stay as they are.
func TidyEmail(text string) (string, bool) {
	if IsEmail(text) {
		return text, true
	}
	tidy := mailTo.ReplaceAllString(strings.TrimSpace(text), "")
	if open, shut := strings.LastIndexByte(tidy, '<'), strings.LastIndexByte(tidy, '>'); open >= 0 && shut > open {
		tidy = tidy[open+1 : shut]
	}
	tidy = strings.Trim(tidy, ".,;:<>\"'() \t\u00a0")
	tidy = blanksAtSigns.ReplaceAllString(strings.Join(strings.Fields(tidy), " "), "$1")
	// A comma is the point beside it on the keyboard, unless an address has ended before it.
	if before, after, is := strings.Cut(tidy, ","); is && (!IsEmail(before) || strings.EqualFold(after, "za")) {
		tidy = strings.ReplaceAll(tidy, ",", ".")
	}
	if strings.Count(text, "@") != 1 || !IsEmail(tidy) {
		return text, false
	}
	return tidy, true
}

// IsEmail tells whether text has the form of one e-mail address.
func IsEmail(text string) bool {
	local, _, _ := strings.Cut(text, "@")
	return len(text) <= MaxEmail && emailForm.MatchString(text) && len(local) <= 64 &&
		!strings.HasPrefix(local, ".") && !strings.HasSuffix(local, ".") && !strings.Contains(local, "..")
}
