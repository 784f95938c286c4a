package batch

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
)

// person reads who is billed.
func (r *reading) person() {
	v := &r.line.Values
	v.FullName = r.text(FullName, 128)
	before := len(r.line.Problems)
	r.email()
	r.clientID()
	r.phone()
	r.identity()
	r.account()
	if v.Email == "" && v.ClientID == uuid.Nil && v.PersonalCode == "" && before == len(r.line.Problems) {
		who := Email
		for _, f := range []Field{Email, ClientID, PersonalCode} {
			if r.Mapping.has(f) {
				who = f
				break
			}
		}
		r.wrong(who, "required", RequiredOf(Email), "expected an e-mail address, an ID number or a client id, found nothing")
	}
}

func (r *reading) email() {
	text, ok := r.cell(Email)
	if !ok {
		return
	}
	if !client.IsEmail(text) {
		cause := CauseEmail
		if _, ok := client.TidyEmail(text); ok {
			cause = CauseStray
		}
		r.wrong(Email, "invalid", cause, expected(Email, "name@example.com", text))
		return
	}
	r.line.Values.Email = text
}

func (r *reading) clientID() {
	text, ok := r.cell(ClientID)
	if !ok {
		return
	}
	id, err := uuid.Parse(text)
	if err != nil {
		r.wrong(ClientID, "invalid", CauseClientID, expected(ClientID, "an id such as 018f0000-0000-7000-8000-000000000000",
			text))
		return
	}
	r.line.Values.ClientID = id
}

func (r *reading) phone() {
	text, ok := r.cell(Phone)
	if !ok || r.scientific(Phone, text) {
		return
	}
	phone, ok := client.Phone(text)
	if !ok && len(digitsOf(text)) == 9 {
		if phone, ok = client.Phone("0" + digitsOf(text)); ok {
			r.note(Phone, "mended", CauseZeros, "the zero that the spreadsheet dropped was put back")
		}
	}
	if !ok {
		r.wrong(Phone, "invalid", CausePhone, expected(Phone, "082 123 4567 or +27 82 123 4567", text))
		return
	}
	r.line.Values.Phone = phone
}

func (r *reading) identity() {
	text, ok := r.cell(PersonalCode)
	if !ok || r.scientific(PersonalCode, text) {
		return
	}
	id := bank.CleanID(text)
	_, problems := bank.ParseIdentity(id, r.Today)
	if digits := id.Reveal(); len(digits) >= 10 && len(digits) < 13 && digits == digitsOf(digits) {
		// Births from 2000 on begin with zeros. The birth date and the check digit prove that they belong there.
		padded := bank.IDNumber(strings.Repeat("0", 13-len(digits)) + digits)
		if _, still := bank.ParseIdentity(padded, r.Today); still == nil {
			r.note(PersonalCode, "mended", CauseZeros, "the zeros that the spreadsheet dropped were put back")
			id, problems = padded, nil
		}
	}
	for _, p := range problems {
		r.wrong(PersonalCode, p.Code, CauseID, p.Message)
	}
	if problems == nil {
		r.line.Values.PersonalCode = id
	}
}

func (r *reading) account() {
	branch, hasBranch := r.cell(BankCode)
	number, hasNumber := r.cell(BankAccount)
	if !hasBranch && !hasNumber || r.scientific(BankCode, branch) || r.scientific(BankAccount, number) {
		return
	}
	branch = bank.CleanBranch(branch)
	if _, _, found := bank.FindBranch("0" + branch); len(branch) == 5 && found {
		branch = "0" + branch
		r.note(BankCode, "mended", CauseZeros, "the branch code is "+branch+"; the spreadsheet dropped its zero")
	}
	account := bank.CleanAccount(number)
	checked := bank.ValidateAccount(branch, account, "")
	for _, p := range checked.Problems {
		field := Field(p.Field)
		message := p.Message
		if p.Code != "required" {
			message = strings.TrimSuffix(message, ".") +
				". If the spreadsheet dropped zeros at the front, format the column as text."
			if field == BankCode {
				message = expected(field, "six digits such as 051001", branch)
			}
		}
		r.wrong(field, p.Code, CauseBank, message)
	}
	if checked.OK() {
		r.line.Values.BankCode, r.line.Values.BankAccount = branch, account
	}
}

var exponent = regexp.MustCompile(`^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$`)

// scientific refuses 6.2E+10: the spreadsheet threw digits away that nobody can bring back.
func (r *reading) scientific(f Field, text string) bool {
	if !exponent.MatchString(text) {
		return false
	}
	r.wrong(
		f,
		"scientific",
		CauseScientific,
		"the spreadsheet shortened this number to scientific notation and digits are lost; "+
			"format the column as text and type the number again",
	)
	return true
}

func digitsOf(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, text)
}
