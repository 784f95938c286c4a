package merchant

import (
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/tint"
)

// Languages are what a brand can write its purchases in, as programs read it there.
var Languages = []string{"en", "af", "zu", "xh"}

// BrandInput is what people say about a brand.
type BrandInput struct {
	Name               string
	LegalName          string
	RegistrationNumber string
	TaxNumber          string // VAT number; empty for a business that charges no VAT
	Website            string
	Email, Phone       string
	StreetAddress      string
	City, ZipCode      string
	Language           string
	OfferedLanguages   string         // besides English, by their letters, separated by commas
	ReferencePrefix    string         // of reference_generated, e.g. "DD"
	InvoicePrefix      string         // of invoices, e.g. "INV"; a series that has begun keeps its own for the year
	Shift              calendar.Shift // where an EFT payment day moves that falls on a closed day
	DebiCheckShift     calendar.Shift `gorm:"column:debicheck_shift"` // the same for DebiCheck
	StructuredInvoices string         // UBL: files that programs read stand beside the PDF files; empty: off
	ElectronicAddress  string         // of package endpoint: where the brand is reached by structured invoices
	Colour             string         // of package tint: on pages and in mails for clients; empty: the house's
	Logo               string         // of package logo: the name of the picture; empty: none

	upload *chosen // takes the place of Logo
}

// Look is what pages and mails make of the brand's colour; false where the brand has none.
func (in BrandInput) Look() (tint.Look, bool) {
	c, err := tint.Parse(in.Colour)
	return tint.LookOf(c), err == nil
}

// Offered are the languages besides English in which the pages and mails of the brand can be read.
func (in BrandInput) Offered() (out []locale.Language) {
	for _, code := range listed(in.OfferedLanguages) {
		if l, known := locale.Parse(code); known && l != locale.English {
			out = append(out, l)
		}
	}
	return out
}

// Reads is the language for a reader of the brand's pages and mails: see locale.Choose.
func (in BrandInput) Reads(wishes ...string) locale.Language {
	return locale.Choose(in.Offered(), append(wishes, in.Language)...)
}

func listed(languages string) []string {
	return strings.FieldsFunc(languages, func(r rune) bool { return r == ',' || r == ' ' })
}

// inOrder writes languages in the order of all, each once, and what is none of them at the end. English goes without
// saying.
func inOrder(languages string) string {
	given, out := listed(languages), []string{}
	for _, l := range locale.Languages[1:] {
		if slices.Contains(given, string(l)) {
			out = append(out, string(l))
		}
	}
	for _, code := range given {
		if _, known := locale.Parse(code); !known {
			out = append(out, code)
		}
	}
	return strings.Join(out, ",")
}

// BrandText is one field of BrandInput that is plain text.
type BrandText struct {
	Name string // as forms and the audit write it
	Max  int    // characters in one line; 0: a rule of its own says what is right
	At   func(*BrandInput) *string
}

// BrandTexts lists the plain texts of a brand.
func BrandTexts() []BrandText { return brandTexts }

const maxName = 128 // characters

var brandTexts = []BrandText{
	{"name", maxName, func(in *BrandInput) *string { return &in.Name }},
	{"legal_name", 128, func(in *BrandInput) *string { return &in.LegalName }},
	{"registration_number", 32, func(in *BrandInput) *string { return &in.RegistrationNumber }},
	{"tax_number", 0, func(in *BrandInput) *string { return &in.TaxNumber }},
	{"email", 0, func(in *BrandInput) *string { return &in.Email }},
	{"phone", 0, func(in *BrandInput) *string { return &in.Phone }},
	{"website", 200, func(in *BrandInput) *string { return &in.Website }},
	{"street_address", 128, func(in *BrandInput) *string { return &in.StreetAddress }},
	{"city", 128, func(in *BrandInput) *string { return &in.City }},
	{"zip_code", 0, func(in *BrandInput) *string { return &in.ZipCode }},
	{"language", 0, func(in *BrandInput) *string { return &in.Language }},
	{"offered_languages", 0, func(in *BrandInput) *string { return &in.OfferedLanguages }},
	{"reference_prefix", 0, func(in *BrandInput) *string { return &in.ReferencePrefix }},
	{"invoice_prefix", 0, func(in *BrandInput) *string { return &in.InvoicePrefix }},
	{"structured_invoices", 0, func(in *BrandInput) *string { return &in.StructuredInvoices }},
	{"electronic_address", 0, func(in *BrandInput) *string { return &in.ElectronicAddress }},
	{"colour", 0, func(in *BrandInput) *string { return &in.Colour }},
	{"logo", 0, func(in *BrandInput) *string { return &in.Logo }},
}

// NewBrand is what the form of a new brand begins with, beside those that are there.
func NewBrand(beside ...Brand) BrandInput {
	return BrandInput{Language: "en", ReferencePrefix: FreePrefix(beside), InvoicePrefix: DefaultInvoicePrefix,
		Shift: calendar.Previous, DebiCheckShift: calendar.Next}
}

// DefaultInvoicePrefix begins the numbers of invoices unless a brand says otherwise.
const DefaultInvoicePrefix = "INV"

// BrandField is one value of a brand by the name that forms and the audit use.
type BrandField struct {
	Name, Value string
}

// Fields lists the values in the order of the form.
func (in BrandInput) Fields() []BrandField {
	var out []BrandField
	for _, t := range brandTexts {
		out = append(out, BrandField{t.Name, *t.At(&in)})
	}
	return append(out, BrandField{"shift", string(in.Shift)}, BrandField{"debicheck_shift", string(in.DebiCheckShift)})
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
	vatForm    = regexp.MustCompile(`^4\d{9}$`)
	phoneForm  = regexp.MustCompile(`^\+?[0-9 ()-]{7,32}$`)
	prefixForm = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,7}$`)
	postalForm = regexp.MustCompile(`^\d{4}$`)
)

// IsVATNumber tells whether a text can be a VAT number (industry: they have ten digits and begin with 4).
func IsVATNumber(text string) bool { return vatForm.MatchString(text) }

const creditPrefix = "CN" // of credit notes, which have their own series

func (in BrandInput) checked() (BrandInput, error) {
	for _, t := range brandTexts {
		*t.At(&in) = strings.Join(strings.Fields(*t.At(&in)), " ")
	}
	in.OfferedLanguages = inOrder(in.OfferedLanguages)
	in.TaxNumber = strings.ReplaceAll(in.TaxNumber, " ", "")
	in.ReferencePrefix, in.InvoicePrefix = strings.ToUpper(in.ReferencePrefix), strings.ToUpper(in.InvoicePrefix)
	var wrong fault.Problems
	if in.Name == "" {
		wrong.Add("name", "required", "A brand needs a name. Clients see it on mandates, invoices and pages.")
	}
	for _, t := range brandTexts {
		if t.Max == 0 {
			continue
		}
		if utf8.RuneCountInString(*t.At(&in)) > t.Max {
			wrong.Add(t.Name, "max_length", "At most %d characters.", t.Max)
		}
		wrong.OneLine(t.Name, *t.At(&in))
	}
	in.checkContact(&wrong)
	in.checkNumbers(&wrong)
	in.checkStructured(&wrong)
	in.checkColour(&wrong)
	in.checkLogo(&wrong)
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

func (in *BrandInput) checkColour(wrong *fault.Problems) {
	if in.Colour == "" {
		return
	}
	c, err := tint.Parse(in.Colour)
	if f, is := fault.From(err); is {
		wrong.Add("colour", f.Code, "%s", f.Message)
		return
	}
	in.Colour = c.String()
}

func (in BrandInput) checkNumbers(wrong *fault.Problems) {
	if in.TaxNumber != "" && !IsVATNumber(in.TaxNumber) {
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
	for _, code := range listed(in.OfferedLanguages) {
		if _, known := locale.Parse(code); !known {
			wrong.Add("offered_languages", "invalid_choice", "Choose among the languages that there are.")
			break
		}
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
