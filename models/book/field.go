package book

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Field is what a column can mean.
type Field string

// The fields of a row.
const (
	ClientID   Field = "client_id"
	Reference  Field = "reference" // by which the business knows the client
	FullName   Field = "full_name"
	Surname    Field = "surname" // put behind the name
	Email      Field = "email"
	Phone      Field = "phone"
	Identity   Field = "personal_code"
	Street     Field = "street_address"
	City       Field = "city"
	PostCode   Field = "zip_code"
	Bank       Field = "bank"
	Branch     Field = "bank_code"
	Account    Field = "bank_account"
	Type       Field = "account_type"
	Holder     Field = "account_holder"
	SignedOn   Field = "signed_on"
	OldMandate Field = "contract_reference"
	// MandateStatus is what became of the permission at the old system.
	MandateStatus Field = "mandate_status"
	Template      Field = "template"
	Amount        Field = "amount" // of each debit
	CycleOf       Field = "cycle"
	DebitDay      Field = "day"
	NextDebit     Field = "next_debit"
	StartsOn      Field = "starts_on"  // the first period of the subscription, to come or long past
	LastDebit     Field = "last_debit" // by the old system
	Failures      Field = "failures"   // in a row at the old system
	Status        Field = "status"
	GroupOf       Field = "group"
	Notes         Field = "notes"

	Province     Field = "state"
	Country      Field = "country"
	LegalName    Field = "legal_name" // of a company
	TradeName    Field = "brand_name"
	Registration Field = "registration_number"
	TaxNumber    Field = "tax_number"
	Copies       Field = "cc"
	HiddenCopies Field = "bcc"
	ShipStreet   Field = "shipping_street_address"
	ShipCity     Field = "shipping_city"
	ShipProvince Field = "shipping_state"
	ShipPostCode Field = "shipping_zip_code"
	ShipCountry  Field = "shipping_country"
	// MandateAmount is the amount that the mandate names; without it that of each debit is taken.
	MandateAmount Field = "mandate_amount"
	// Remaining is how many debits are still to come; empty: no end.
	Remaining        Field = "remaining"
	Paused           Field = "paused"
	InvoiceReference Field = "subscription_reference"

	Tags          Field = "tags"
	OwedAmount    Field = "owed" // at the old system: an open item, or the balance
	OwedDue       Field = "owed_due"
	OwedReference Field = "owed_reference" // of the old invoice
)

var (
	labelOf = map[Field]string{}
	byWord  = map[string]Field{}
)

func init() {
	for _, r := range fieldRows {
		labelOf[r.field] = r.label
		for word := range strings.SplitSeq(r.words, "|") {
			if _, taken := byWord[word]; !taken {
				byWord[word] = r.field
			}
		}
	}
}

// Fields lists every field in the order that a form offers them.
func Fields() []Field {
	out := make([]Field, len(fieldRows))
	for i, r := range fieldRows {
		out[i] = r.field
	}
	return out
}

// Label is the field for a person.
func (f Field) Label() string { return labelOf[f] }

// Known tells whether f is one of Fields.
func (f Field) Known() bool { return labelOf[f] != "" }

// secret fields are never repeated in a message.
func (f Field) secret() bool { return f == Identity || f == Account }

// amounts are fields of money.
func (f Field) amounts() bool { return f == Amount || f == MandateAmount || f == OwedAmount }

var dates = []Field{SignedOn, NextDebit, StartsOn, LastDebit, OwedDue}

// dated fields hold dates.
func (f Field) dated() bool { return slices.Contains(dates, f) }

// plainWord is a heading without accents, blanks and signs.
func plainWord(heading string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))),
		strings.ToLower(heading))
	if err != nil {
		plain = strings.ToLower(heading)
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, plain)
}

// FieldOf finds the field that a heading names.
func FieldOf(heading string) (Field, bool) {
	word := plainWord(heading)
	for _, tail := range []string{"", "zar", "rand", "inclvat", "incl", "r"} {
		if rest, cut := strings.CutSuffix(word, tail); cut {
			if f, found := byWord[rest]; found {
				return f, true
			}
		}
	}
	return "", false
}

// Target is what one column means and how its texts are written; without a Field the column is ignored.
type Target struct {
	Field   Field          `json:"field,omitempty"`
	Guessed bool           `json:"guessed,omitempty"`
	Decimal money.Mark     `json:"decimal,omitempty"`
	Dates   calendar.Order `json:"dates,omitempty"`
}

// Mapping says what the columns of a file mean, in their order.
type Mapping struct {
	Columns []Target `json:"columns"`
	// Choices are what a person chose for all rows of a cause.
	Choices Choices `json:"choices,omitempty"`
}

// lasting are the choices about how a file is written, which hold for the next one with the same heading. The others
// are about these rows.
var lasting = []string{CauseDateOrder, CauseDecimalMark, CauseType, CauseDay31, CauseCycle, CauseBranchZero,
	CauseBankDiffers, CauseLine, CauseTypeDigits}

// forNext is what is remembered for the next file with the same heading.
func (m Mapping) forNext() Mapping {
	kept := Choices{}
	for cause, choice := range m.Choices {
		if slices.Contains(lasting, cause) {
			kept[cause] = choice
		}
	}
	next := Mapping{Columns: slices.Clone(m.Columns), Choices: kept}
	for n := range next.Columns { // the next file shows itself how it is written
		next.Columns[n].Decimal, next.Columns[n].Dates, next.Columns[n].Guessed = money.Unmarked, calendar.Unordered, false
	}
	return next
}

// Column is where a field is, from 0; -1 when no column has it.
func (m Mapping) Column(f Field) int {
	if f == "" {
		return -1
	}
	return slices.IndexFunc(m.Columns, func(t Target) bool { return t.Field == f })
}

// Has tells whether a column has the field.
func (m Mapping) Has(f Field) bool { return m.Column(f) >= 0 }

// Check reports what keeps the mapping from being used, all at once; the paths are columns[i/n] or a field's name.
func (m Mapping) Check() fault.Problems {
	var wrong fault.Problems
	seen := map[Field]bool{}
	for i, t := range m.Columns {
		at := "columns[" + strconv.Itoa(i) + "/" + strconv.Itoa(len(m.Columns)) + "]"
		switch {
		case t.Field == "":
		case !t.Field.Known():
			wrong.Add(at, "invalid_choice", "%q is not a field of a client.", t.Field)
		case seen[t.Field]:
			wrong.Add(at, "unique", "%s is already another column. Choose one of them.", t.Field.Label())
		}
		seen[t.Field] = true
	}
	if !slices.ContainsFunc(keys, m.Has) {
		wrong.Add(string(Reference), "required",
			"Choose the column that names each client: your reference, the ID number, the e-mail address or our client id.")
	}
	if m.Has(Account) && !m.Has(Branch) && !m.Has(Bank) {
		wrong.Add(string(Bank), "required", "Choose the column with the bank or the branch code: an account number alone "+
			"cannot be debited.")
	}
	return wrong
}

// keys are what clients are joined by, the surest first. A name alone joins nobody.
var keys = []Field{ClientID, Reference, Identity, Email}

// KeyName is the field by which the rows are joined with stored clients, in words.
func (m Mapping) KeyName() string {
	for _, f := range keys {
		if m.Has(f) {
			return f.Label()
		}
	}
	return ""
}
