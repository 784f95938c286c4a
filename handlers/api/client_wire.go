package api

import (
	"net/http"
	"reflect"

	"github.com/google/uuid"

	"debitdesk/handlers/api/input"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/client"
)

// ClientDetails is the JSON form of a client's details.
type ClientDetails struct {
	Email                 string           `json:"email"`
	Phone                 string           `json:"phone"`
	FullName              string           `json:"full_name"`
	PersonalCode          string           `json:"personal_code"`
	StreetAddress         string           `json:"street_address"`
	City                  string           `json:"city"`
	State                 string           `json:"state"`
	ZipCode               string           `json:"zip_code"`
	Country               string           `json:"country"`
	ShippingStreetAddress string           `json:"shipping_street_address"`
	ShippingCity          string           `json:"shipping_city"`
	ShippingState         string           `json:"shipping_state"`
	ShippingZipCode       string           `json:"shipping_zip_code"`
	ShippingCountry       string           `json:"shipping_country"`
	LegalName             string           `json:"legal_name"`
	BrandName             string           `json:"brand_name"`
	RegistrationNumber    string           `json:"registration_number"`
	TaxNumber             string           `json:"tax_number"`
	BankAccount           string           `json:"bank_account"`
	BankCode              string           `json:"bank_code"`
	CC                    []string         `json:"cc"`
	BCC                   []string         `json:"bcc"`
	ClientType            *string          `json:"client_type"`
	DeliveryMethods       []deliveryMethod `json:"delivery_methods"`
}

type deliveryMethod struct {
	Method  string            `json:"method"`
	Options map[string]string `json:"options"`
}

// deliveryMethods is the same for every client (source: API contract section 2).
var deliveryMethods = []deliveryMethod{
	{"email", map[string]string{}},
	{"text_message", map[string]string{"custom_message": ""}},
}

// DetailsBody is the JSON form of details with account and identity number
// masked, as everything but the client addresses shows them.
func DetailsBody(d client.Details) ClientDetails {
	body := ClientDetails{PersonalCode: d.PersonalCode.String(), BankAccount: d.BankAccount.String(), CC: orEmpty(d.CC),
		BCC:             orEmpty(d.BCC),
		DeliveryMethods: deliveryMethods}
	into := reflect.ValueOf(&body).Elem()
	for _, f := range client.TextFields() {
		if at, shown := detailAt[f.Name]; shown {
			into.Field(at).SetString(*f.At(&d))
		}
	}
	return body
}

// detailAt is where each detail stands in ClientDetails, by its name in JSON.
var detailAt = func() map[string]int {
	at := map[string]int{}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[ClientDetails]()) {
		at[f.Tag.Get("json")] = i
	}
	return at
}()

type clientBody struct {
	Type      string    `json:"type"`
	ID        uuid.UUID `json:"id"`
	CreatedOn int64     `json:"created_on"`
	UpdatedOn int64     `json:"updated_on"`
	ClientDetails
}

// clientAnswer is a client as the client addresses show it to this caller.
func clientAnswer(who actor.Actor) func(client.Client) any {
	return func(c client.Client) any {
		body := clientBody{"client", c.ID, c.CreatedAt.Unix(), c.UpdatedAt.Unix(), DetailsBody(c.Details)}
		numbers := c.InAnswer(who)
		body.BankAccount, body.PersonalCode = numbers.BankAccount, numbers.PersonalCode
		return body
	}
}

// ReadDetails puts what the request says over the details; what it does not
// name stays. Problems of shape are noted in the object.
func ReadDetails(in *input.Object, d *client.Details) {
	for _, f := range client.TextFields() {
		in.SetText(f.At(d), f.Name, f.Max)
	}
	if in.Has("personal_code") {
		d.PersonalCode = bank.IDNumber(in.Text("personal_code", client.MaxPersonalCode))
	}
	if in.Has("bank_account") {
		account := bank.AccountNumber(in.Text("bank_account", client.MaxBankAccount))
		if account != d.BankAccount && !bank.IsMasked(account.Reveal()) {
			d.AccountType = "" // it was known of the other account
		}
		d.BankAccount = account
	}
	if in.Has("cc") {
		d.CC = in.Texts("cc", client.MaxCopies, client.MaxEmail, true)
	}
	if in.Has("bcc") {
		d.BCC = in.Texts("bcc", client.MaxCopies, client.MaxEmail, true)
	}
}

// replaced is what PUT starts from: nothing but what the API cannot say.
func replaced(method string, now client.Details) client.Details {
	if method == http.MethodPatch {
		return now
	}
	return client.Details{AccountType: now.AccountType, Tags: now.Tags}
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
