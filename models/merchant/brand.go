package merchant

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// Languages are what a brand can write its purchases in, as programs read it there.
var Languages = []string{"en", "af", "zu", "xh"}

// BrandInput is what people say about a brand.
type BrandInput struct {
	Name, LegalName, RegistrationNumber, TaxNumber string
	Website, Email, Phone                          string
	StreetAddress, City, ZipCode                   string
	Language, ReferencePrefix, InvoicePrefix       string
	Shift, DebiCheckShift                          calendar.Shift
}

// Input is the brand as its form shows it.
func (b Brand) Input() BrandInput {
	return BrandInput{Name: b.Name, LegalName: b.LegalName, RegistrationNumber: b.RegistrationNumber,
		TaxNumber: b.TaxNumber, Website: b.Website, Email: b.Email,
		Phone: b.Phone, StreetAddress: b.StreetAddress, City: b.City, ZipCode: b.ZipCode, Language: b.Language,
		ReferencePrefix: b.ReferencePrefix,
		InvoicePrefix:   b.InvoicePrefix, Shift: b.Shift, DebiCheckShift: b.DebiCheckShift}
}

// NewBrand is what the form of a new brand begins with, beside those that are there.
func NewBrand(beside ...Brand) BrandInput {
	return BrandInput{Language: "en", ReferencePrefix: FreePrefix(beside), InvoicePrefix: DefaultInvoicePrefix, Shift: calendar.Previous,
		DebiCheckShift: calendar.Next}
}

// DefaultInvoicePrefix begins the numbers of invoices unless a brand says otherwise.
const DefaultInvoicePrefix = "INV"

func (b *Brand) take(in BrandInput) {
	b.Name, b.LegalName, b.RegistrationNumber, b.TaxNumber = in.Name, in.LegalName, in.RegistrationNumber, in.TaxNumber
	b.Website, b.Email, b.Phone, b.StreetAddress, b.City, b.ZipCode = in.Website, in.Email, in.Phone, in.StreetAddress,
		in.City, in.ZipCode
	b.Language, b.ReferencePrefix, b.InvoicePrefix, b.Shift, b.DebiCheckShift = in.Language, in.ReferencePrefix,
		in.InvoicePrefix, in.Shift, in.DebiCheckShift
}

// BrandField is one value of a brand by the name that forms and the audit use.
type BrandField struct {
	Name, Value string
}

// Fields lists the values in the order of the form.
func (in BrandInput) Fields() []BrandField {
	return []BrandField{{"name", in.Name}, {"legal_name", in.LegalName}, {"registration_number", in.RegistrationNumber},
		{"tax_number", in.TaxNumber},
		{"email", in.Email}, {"phone", in.Phone}, {"website", in.Website}, {"street_address", in.StreetAddress},
		{"city", in.City}, {"zip_code", in.ZipCode},
		{"language", in.Language}, {"reference_prefix", in.ReferencePrefix}, {"invoice_prefix", in.InvoicePrefix},
		{"shift", string(in.Shift)}, {"debicheck_shift", string(in.DebiCheckShift)}}
}

// changed is what differs, before and after.
func (in BrandInput) changed(to BrandInput) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{}
	after := to.Fields()
	for i, f := range in.Fields() {
		if f.Value != after[i].Value {
			was[f.Name], is[f.Name] = f.Value, after[i].Value
		}
	}
	return was, is
}

var (
	vatForm    = regexp.MustCompile(`^4\d{9}$`) // industry: VAT numbers have ten digits and begin with 4
	phoneForm  = regexp.MustCompile(`^\+?[0-9 ()-]{7,32}$`)
	prefixForm = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,7}$`)
	postalForm = regexp.MustCompile(`^\d{4}$`)
)

const creditPrefix = "CN" // of credit notes, which have their own series

func (in BrandInput) checked() (BrandInput, error) {
	for _, text := range []*string{&in.Name, &in.LegalName, &in.RegistrationNumber, &in.TaxNumber, &in.Website, &in.Email,
		&in.Phone, &in.StreetAddress, &in.City,
		&in.ZipCode, &in.ReferencePrefix, &in.InvoicePrefix} {
		*text = strings.Join(strings.Fields(*text), " ")
	}
	in.TaxNumber = strings.ReplaceAll(in.TaxNumber, " ", "")
	in.ReferencePrefix, in.InvoicePrefix = strings.ToUpper(in.ReferencePrefix), strings.ToUpper(in.InvoicePrefix)
	var wrong fault.Problems
	if in.Name == "" {
		wrong.Add("name", "required", "A brand needs a name. Clients see it on mandates, invoices and pages.")
	}
	for _, l := range []struct {
		name, value string
		most        int
	}{{"name", in.Name, 128}, {"legal_name", in.LegalName, 128}, {"registration_number", in.RegistrationNumber, 32},
		{"street_address", in.StreetAddress, 128},
		{"city", in.City, 128}, {"website", in.Website, 200}} {
		if utf8.RuneCountInString(l.value) > l.most {
			wrong.Add(l.name, "max_length", "At most %d characters.", l.most)
		}
		wrong.OneLine(l.name, l.value)
	}
	in.checkContact(&wrong)
	in.checkNumbers(&wrong)
	for name, s := range map[string]calendar.Shift{"shift": in.Shift, "debicheck_shift": in.DebiCheckShift} {
		if _, err := calendar.ParseShift(string(s)); err != nil {
			wrong.Add(name, "invalid_choice", "Choose the business day before or after.")
		}
	}
	return in, wrong.Err()
}

func (in BrandInput) checkContact(wrong *fault.Problems) {
	if a, err := mail.ParseAddress(in.Email); in.Email != "" &&
		(err != nil || a.Address != in.Email || len(in.Email) > 254) {
		wrong.Add("email", "invalid", "That is not an e-mail address.")
	}
	if in.Phone != "" && !phoneForm.MatchString(in.Phone) {
		wrong.Add("phone", "invalid", "A telephone number has 7 or more digits, such as 021 422 0199.")
	}
	if u, err := url.Parse(in.Website); in.Website != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" ||
		u.Host == "" || u.User != nil) {
		wrong.Add("website", "invalid", "A website begins with https://.")
	}
	if in.ZipCode != "" && !postalForm.MatchString(in.ZipCode) {
		wrong.Add("zip_code", "invalid", "A South African postal code has four digits.")
	}
}

func (in BrandInput) checkNumbers(wrong *fault.Problems) {
	if in.TaxNumber != "" && !vatForm.MatchString(in.TaxNumber) {
		wrong.Add("tax_number", "invalid",
			"A VAT number has ten digits and begins with 4. Leave it empty when you charge no VAT.")
	}
	known := false
	for _, l := range Languages {
		known = known || l == in.Language
	}
	if !known {
		wrong.Add("language", "invalid_choice", "Choose a language.")
	}
	if !prefixForm.MatchString(in.ReferencePrefix) {
		wrong.Add("reference_prefix", "invalid", "A reference prefix has 1 to 8 letters and digits and begins with a letter.")
	}
	switch {
	case !prefixForm.MatchString(in.InvoicePrefix):
		wrong.Add("invoice_prefix", "invalid", "An invoice prefix has 1 to 8 letters and digits and begins with a letter.")
	case in.InvoicePrefix == creditPrefix:
		wrong.Add("invoice_prefix", "invalid", "CN begins the numbers of credit notes.")
	}
}
