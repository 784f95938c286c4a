// Package batch knows how the rows of a table become invoices: what a column means, what its texts say, what is wrong
// and how to fix it, and how they are sent, watched and accounted for. It must not know databases, pages or how an
// invoice is worded.
package batch

import (
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Field is what a column can mean.
type Field string

// The fields of a row. The five of a product line come up to MostProducts times: product, product_2, …
const (
	Email        Field = "email"
	ClientID     Field = "client_id"
	FullName     Field = "full_name"
	Phone        Field = "phone"
	PersonalCode Field = "personal_code"
	BankCode     Field = "bank_code"
	BankAccount  Field = "bank_account"
	Amount       Field = "amount"
	Currency     Field = "currency"
	Due          Field = "due"
	Reference    Field = "reference"
	Notes        Field = "notes"
	Charge       Field = "charge" // yes: charge the client's token on the due date
	Method       Field = "payment_method"
	Product      Field = "product"
	Quantity     Field = "quantity"
	Price        Field = "price"
	Discount     Field = "discount"
	TaxPercent   Field = "tax_percent"
)

// MostProducts is how many product lines one row can carry.
const MostProducts = 5

var single = []Field{Email, ClientID, FullName, Phone, PersonalCode, BankCode, BankAccount, Amount, Currency, Due,
	Reference, Notes, Charge, Method}
var perProduct = []Field{Product, Quantity, Price, Discount, TaxPercent}

// Fields lists every field in the order that a form offers them.
func Fields() []Field {
	all := append([]Field{}, single...)
	for n := 1; n <= MostProducts; n++ {
		for _, f := range perProduct {
			all = append(all, f.Nth(n))
		}
	}
	return all
}

// Nth is the field of the n-th product line, from 1.
func (f Field) Nth(n int) Field {
	if n <= 1 {
		return f
	}
	if known := numbered[f]; n < len(known) {
		return known[n]
	}
	return f + Field("_"+strconv.Itoa(n))
}

// numbered holds price_2 and its like, which every row asks for.
var numbered = func() map[Field][MostProducts + 1]Field {
	all := map[Field][MostProducts + 1]Field{}
	for _, f := range perProduct {
		names := [MostProducts + 1]Field{f, f}
		for n := 2; n <= MostProducts; n++ {
			names[n] = f + Field("_"+strconv.Itoa(n))
		}
		all[f] = names
	}
	return all
}()

// parts takes price_2 apart into price and 2; a field of the first line has 1.
func (f Field) parts() (Field, int) {
	at := strings.LastIndexByte(string(f), '_')
	if at < 0 {
		return f, 1
	}
	n, err := strconv.Atoi(string(f[at+1:]))
	if err != nil {
		return f, 1
	}
	return f[:at], n
}

// Known tells whether f is one of Fields.
func (f Field) Known() bool {
	for _, one := range Fields() {
		if one == f {
			return true
		}
	}
	return false
}

var labels = map[Field]string{Email: "E-mail", ClientID: "Client id", FullName: "Name", Phone: "Phone",
	PersonalCode: "ID or passport number",
	BankCode:     "Branch code", BankAccount: "Account number", Amount: "Amount", Currency: "Currency", Due: "Due date",
	Reference: "Reference",
	Notes:     "Notes", Charge: "Charge the token", Method: "Payment method", Product: "Product", Quantity: "Quantity",
	Price:    "Price",
	Discount: "Discount", TaxPercent: "Tax %"}

// Label is the field for a person: "Price 2".
func (f Field) Label() string {
	base, n := f.parts()
	if n > 1 {
		return labels[base] + " " + strconv.Itoa(n)
	}
	return labels[f]
}

// secret fields are never repeated in a message.
func (f Field) secret() bool { return f == PersonalCode || f == BankAccount }

// number tells whether the column's decimal mark matters.
func (f Field) number() bool {
	base, _ := f.parts()
	return slices.Contains([]Field{Amount, Quantity, Price, Discount, TaxPercent}, base)
}

// Target is what one column means and how its texts are written; without a Field the column is ignored.
type Target struct {
	Field   Field          `json:"field,omitempty"`
	Guessed bool           `json:"guessed,omitempty"`
	Decimal money.Mark     `json:"decimal,omitempty"`
	Dates   calendar.Order `json:"dates,omitempty"`
}

// Mapping says what the columns of a table mean, in their order, and what holds for rows that do not say it themselves.
type Mapping struct {
	Columns  []Target      `json:"columns"`
	Due      calendar.Date `json:"due"`      // for rows without a due date
	Currency string        `json:"currency"` // for rows without one; ZAR when empty
	Product  string        `json:"product"`  // the name of the line of rows that have only an amount
}

// Column is where a field is, from 0; -1 when no column has it.
func (m Mapping) Column(f Field) int {
	for i, t := range m.Columns {
		if t.Field == f {
			return i
		}
	}
	return -1
}

func (m Mapping) has(f Field) bool { return m.Column(f) >= 0 }

// Check reports what keeps the mapping from being used: a field twice, somebody to bill, an amount, a due date, a
// brand's currency. All at once; the paths are columns[i/n] or the name of the missing field.
func (m Mapping) Check() fault.Problems {
	var wrong fault.Problems
	seen := map[Field]bool{}
	for i, t := range m.Columns {
		at := "columns[" + strconv.Itoa(i) + "/" + strconv.Itoa(len(m.Columns)) + "]"
		switch {
		case t.Field == "":
		case !t.Field.Known():
			wrong.Add(at, "invalid_choice", "%q is not a field of a row.", t.Field)
		case seen[t.Field]:
			wrong.Add(at, "unique", "%s is already another column. Choose one of them.", t.Field.Label())
		}
		seen[t.Field] = true
	}
	if !m.has(Email) && !m.has(ClientID) && !m.has(PersonalCode) {
		wrong.Add(string(Email), "required", "Choose the column that names the client: e-mail, ID number or client id.")
	}
	if !m.has(Amount) && !m.has(Price) {
		wrong.Add(string(Amount), "required", "Choose the column with the amount, or the one with the price.")
	}
	if !m.has(Due) && m.Due.IsZero() {
		wrong.Add(string(Due), "required", "Choose the column with the due date, or give one date for all rows.")
	}
	if m.Currency != "" && m.Currency != money.ZAR {
		wrong.Add(string(Currency), "invalid_choice", "Invoices are in ZAR.")
	}
	return wrong
}
