package client_test

import (
	"strings"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

var today = calendar.Date{Year: 2026, Month: 11, Day: 20}

func codesOf(problems fault.Problems) string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Path+"="+p.Code)
	}
	return strings.Join(out, " ")
}

func TestEachTextHasItsLimit(t *testing.T) {
	for _, f := range client.TextFields() {
		if f.Name == "email" || strings.HasSuffix(f.Name, "country") {
			continue
		}
		d := client.Details{Email: "a@b.co"}
		*f.At(&d) = strings.Repeat("é", f.Max)
		if got := codesOf(d.Check(client.AsRecord, today)); got != "" {
			t.Errorf("%s with %d characters: %s", f.Name, f.Max, got)
		}
		*f.At(&d) += "é"
		if got := codesOf(d.Check(client.AsRecord, today)); got != f.Name+"=max_length" {
			t.Errorf("%s with %d characters: %s", f.Name, f.Max+1, got)
		}
	}
}

func TestARecordIsHeldToItsLimitsAlone(t *testing.T) {
	tests := []struct {
		name string
		d    client.Details
		want string
	}{
		{"nothing identifies it", client.Details{}, "email=required"},
		{"an account without a branch", client.Details{BankAccount: "1"}, "email=required"},
		{"a branch without an account", client.Details{BankCode: "1"}, "email=required"},
		{"account and branch, whatever they hold", client.Details{BankAccount: "x y", BankCode: "z"}, ""},
		{"the longest account", client.Details{BankAccount: bank.AccountNumber(strings.Repeat("9", 34)), BankCode: "1"}, ""},
		{"too long an account", client.Details{BankAccount: bank.AccountNumber(strings.Repeat("9", 35)), BankCode: "1"},
			"bank_account=max_length"},
		{"too long an identity number", client.Details{Email: "a@b.co", PersonalCode: bank.IDNumber(strings.Repeat("9", 33))},
			"personal_code=max_length"},
		{"an identity number that fails Luhn", client.Details{Email: "a@b.co", PersonalCode: "9001015000087"}, ""},
		{"a masked phone", client.Details{Email: "a@b.co", Phone: "•••• 2222"}, "phone=invalid"},
		{"masked numbers of a company", client.Details{Email: "a@b.co", TaxNumber: "•••• 1", RegistrationNumber: "•",
			BankCode: "•"}, "registration_number=invalid tax_number=invalid bank_code=invalid"},
		{"a mask that stands for nothing", client.Details{Email: "a@b.co", BankAccount: "•••• 1234"}, "bank_account=invalid"},
		{"a mask in place of a phone", client.Details{Email: "a@b.co", Phone: "•••• 2222"}, "phone=invalid"},
		{"an unknown country", client.Details{Email: "a@b.co", Country: "Wakanda"}, "country=invalid_choice"},
		{"a wrong copy", client.Details{Email: "a@b.co", CC: []string{"a@b.co", "b"}}, "cc[1/2]=invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := codesOf(tt.d.Check(client.AsRecord, today)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestADebitAsksWhatABankWould(t *testing.T) {
	tests := []struct {
		name string
		d    client.Details
		want string
	}{
		{"a good account", client.Details{BankAccount: "4055 123 456", BankCode: "632005", AccountType: bank.Current}, ""},
		{"no account at all", client.Details{}, ""},
		{"a branch alone", client.Details{BankCode: "632005"}, "bank_account=required"},
		{"a short account", client.Details{BankAccount: "1234567", BankCode: "632005"}, "bank_account=min_length"},
		{"a lost zero", client.Details{BankAccount: "123456789", BankCode: "51001"}, "bank_code=invalid"},
		{"a good identity number", client.Details{PersonalCode: "800101 5009 087"}, ""},
		{"a wrong check digit", client.Details{PersonalCode: "9001015000087"}, "personal_code=invalid"},
		{"a phone that is none", client.Details{Phone: "12"}, "phone=invalid"},
		{"a phone that is too short for one", client.Details{Phone: "+1 234"}, "phone=invalid"},
		{"a phone of brackets", client.Details{Phone: "+1((((((((("}, "phone=invalid"},
		{"a phone with more digits than there are", client.Details{Phone: "+1234567890123456"}, "phone=invalid"},
		{"a branch that is none", client.Details{BankAccount: "1234567890", BankCode: "999999"}, "bank_code=invalid"},
		{"a short identity number", client.Details{PersonalCode: "123"}, "personal_code=invalid"},
		{"a phone abroad, with zeros", client.Details{Phone: "0044 20 7946 0000"}, ""},
		{"a phone abroad", client.Details{Phone: "+44 20 7946 0000"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.d.Email = "a@b.co"
			if got := codesOf(tt.d.Check(client.ForDebit, today)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDetailsAreBroughtIntoTheirStoredForm(t *testing.T) {
	d := client.Details{Email: " a@b.co ", Phone: "+27 (0)82 123 4567", Country: "south africa", ShippingCountry: "gb",
		BankAccount: " 4055-123-456 ", BankCode: "632005"}
	if wrong := d.Check(client.ForDebit, today); len(wrong) > 0 {
		t.Fatal(codesOf(wrong))
	}
	if d.Email != "a@b.co" || d.Phone != "27821234567" || d.Country != "ZA" || d.ShippingCountry != "GB" ||
		d.BankAccount != "4055123456" {
		t.Errorf("stored form %+v", d)
	}
}

func TestCountriesAreKnownByCodeAndByName(t *testing.T) {
	for text, want := range map[string]string{"ZA": "ZA", "za": "ZA", "South Africa": "ZA", "NAMIBIA": "NA",
		"Botswana": "BW", "": "", " Germany ": "DE", "Swaziland": "SZ", "Eswatini": "SZ", "North Macedonia": "MK",
		"Macedonia": "MK", "Côte d'Ivoire": "CI", "Cote d’Ivoire": "CI", "Trinidad and Tobago": "TT", "The Gambia": "GM",
		"Saint Lucia": "LC", "St.  Helena": "SH", "Viet Nam": "VN", "Hong Kong": "HK", "RUSSIAN FEDERATION": "RU",
		"Tanzania, United Republic of": "TZ", "Türkiye": "TR", "Reunion": "RE", "Kosovo": "XK", "DR Congo": "CD"} {
		if got, ok := client.CountryCode(text); !ok || got != want {
			t.Errorf("%q is %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"ZZ", "EU", "EZ", "UN", "IC", "ZAF", "Africa", "Z", "UK", "the", "United Nations", "Eurozone"} {
		if got, ok := client.CountryCode(text); ok {
			t.Errorf("%q is %q, want none", text, got)
		}
	}
}

func TestAddressesHaveTheFormOfOne(t *testing.T) {
	for _, good := range []string{"a@b.co", "first.last+tag@sub.example.co.za", "o'neil@example.com",
		strings.Repeat("a", 64) + "@example.com"} {
		if !client.IsEmail(good) {
			t.Errorf("%s is refused", good)
		}
	}
	for _, bad := range []string{"", "a", "a@b", "a@@b.co", "a b@c.co", "<a@b.co>", "A <a@b.co>", ".a@b.co", "a.@b.co",
		"a..b@c.co", "a@-b.co", "a@b.co.", "a@b.co\n", strings.Repeat("a", 65) + "@b.co", "é@b.co"} {
		if client.IsEmail(bad) {
			t.Errorf("%q passes", bad)
		}
	}
}

// What is put right about an address invents none.
func TestAnAddressIsTidiedOnlyToOneThatItCanBe(t *testing.T) {
	for text, want := range map[string]string{
		"anna @ example. com": "anna@example.com", "mailto:Anna@example.com": "Anna@example.com",
		"Anna Smit <anna@example.com>": "anna@example.com", "anna@example,co,za": "anna@example.co.za",
		"anna@example.co,za": "anna@example.co.za", "anna@example.com;": "anna@example.com",
		"(anna@example.com)": "anna@example.com", "anna@example.com": "anna@example.com",
	} {
		if is, ok := client.TidyEmail(text); !ok || is != want {
			t.Errorf("%q is tidied to %q, %v", text, is, ok)
		}
	}
	for _, text := range []string{"not an email", "anna at example.com", "anna@example.com mom", "a@x.co b@y.co",
		"anna@example.com,work", "anna@example.com - home", "a b@example.com", "<a@x.co> or <b@y.co>", "@", ""} {
		if is, ok := client.TidyEmail(text); ok || is != text {
			t.Errorf("%q is tidied to %q, %v", text, is, ok)
		}
	}
}
