package client

import "slices"

// TextField is one field of Details that is plain text.
type TextField struct {
	Name string // as programs and forms write it
	Max  int    // characters
	At   func(*Details) *string
	// Number tells that the text is a number which may come back masked.
	Number bool
}

// TextFields lists the plain texts of a client with their limits (source: API
// contract section 2). Account and identity number are no plain text.
func TextFields() []TextField { return textFields }

var textFields = []TextField{
	{"email", 254, func(d *Details) *string { return &d.Email }, false},
	{"phone", 32, func(d *Details) *string { return &d.Phone }, true},
	{"full_name", 128, func(d *Details) *string { return &d.FullName }, false},
	{"street_address", 128, func(d *Details) *string { return &d.StreetAddress }, false},
	{"city", 128, func(d *Details) *string { return &d.City }, false},
	{"state", 128, func(d *Details) *string { return &d.State }, false},
	{"zip_code", 32, func(d *Details) *string { return &d.ZipCode }, false},
	{"country", 128, func(d *Details) *string { return &d.Country }, false}, // a name until it is mapped to two letters
	{"shipping_street_address", 128, func(d *Details) *string { return &d.ShippingStreetAddress }, false},
	{"shipping_city", 128, func(d *Details) *string { return &d.ShippingCity }, false},
	{"shipping_state", 128, func(d *Details) *string { return &d.ShippingState }, false},
	{"shipping_zip_code", 32, func(d *Details) *string { return &d.ShippingZipCode }, false},
	{"shipping_country", 128, func(d *Details) *string { return &d.ShippingCountry }, false},
	{"legal_name", 128, func(d *Details) *string { return &d.LegalName }, false},
	{"brand_name", 128, func(d *Details) *string { return &d.BrandName }, false},
	{"registration_number", 32, func(d *Details) *string { return &d.RegistrationNumber }, true},
	{"tax_number", 32, func(d *Details) *string { return &d.TaxNumber }, true},
	{"bank_code", 11, func(d *Details) *string { return &d.BankCode }, true},
}

// Limits of the fields that are no plain text, in characters.
const (
	MaxPersonalCode = 32
	MaxBankAccount  = 34
	MaxEmail        = 254
	MaxCopies       = 50 // addresses in cc and in bcc
)

// Name is what a client is called in lists and sentences.
func (d Details) Name() string {
	for _, name := range []string{d.FullName, d.LegalName, d.BrandName, d.Email} {
		if name != "" {
			return name
		}
	}
	return "Account " + d.BankAccount.String()
}

// Changes lists what differs, as the audit keeps it: with account and identity numbers masked.
func Changes(before, after Details) (was, is map[string]any) { return changes(before, after) }

// changes lists what differs, with account and identity numbers masked.
func changes(before, after Details) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{}
	note := func(name string, differs bool, a, b any) {
		if differs {
			was[name], is[name] = a, b
		}
	}
	for _, f := range textFields {
		a, b := *f.At(&before), *f.At(&after)
		note(f.Name, a != b, a, b)
	}
	note("personal_code", before.PersonalCode != after.PersonalCode, before.PersonalCode.String(),
		after.PersonalCode.String())
	note("bank_account", before.BankAccount != after.BankAccount, before.BankAccount.String(), after.BankAccount.String())
	note("account_type", before.AccountType != after.AccountType, string(before.AccountType), string(after.AccountType))
	note("language", before.Language != after.Language, before.Language, after.Language)
	note("electronic_address", before.ElectronicAddress != after.ElectronicAddress, before.ElectronicAddress,
		after.ElectronicAddress)
	note("cc", !slices.Equal(before.CC, after.CC), before.CC, after.CC)
	note("tags", !slices.Equal(before.Tags, after.Tags), before.Tags, after.Tags)
	note("bcc", !slices.Equal(before.BCC, after.BCC), before.BCC, after.BCC)
	return was, is
}
