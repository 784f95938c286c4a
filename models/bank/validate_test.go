package bank_test

import (
	"strings"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

func TestAccountLengthsFollowTheBank(t *testing.T) {
	for _, c := range []struct {
		name, branch, number string
		kind                 bank.AccountType
		code                 string // of the problem, or nothing
	}{
		{"Absa at its shortest", "632005", "40000000", "", ""},
		{"Absa one short", "632005", "4000000", "", "min_length"},
		{"Absa at its longest", "632005", "40000000000", "", ""},
		{"Absa one long", "632005", "400000000000", "", "max_length"},
		{"FNB with eleven", "250655", "62000000000", "", ""},
		{"FNB with ten", "250655", "6200000000", "", "min_length"},
		{"a branch of FNB with ten", "210554", "6200000000", "", "min_length"},
		{"a branch of FNB with eleven", "210554", "62000000000", "", ""},
		{"Capitec with ten", "470010", "1234567890", "", ""},
		{"Capitec with eleven", "470010", "12345678901", "", "max_length"},
		{"Capitec with nine", "470010", "123456789", "", "min_length"},
		{"Nedbank with ten", "198765", "1234567890", "CURRENT", ""},
		{"Nedbank with nine", "198765", "123456789", "CURRENT", "min_length"},
		{"Nedbank with eleven as current", "198765", "12345678901", "CURRENT", "invalid"},
		{"Nedbank with eleven as savings", "198765", "12345678901", "SAVINGS", ""},
		{"Nedbank with twelve", "198765", "123456789012", "", "invalid"},
		{"Nedbank with thirteen", "198765", "1234567890123", "", ""},
		{"Al Baraka starting with 786", "800000", "78600000000", "", ""},
		{"Al Baraka starting otherwise", "800000", "12300000000", "", "invalid"},
		{"Standard Bank: the length is not verified", "051001", "1234567", "", ""},
		{"Standard Bank far too short", "051001", "123456", "", "min_length"},
		{"unknown branch at thirteen", "601234", "1234567890123", "", ""},
		{"unknown branch at fourteen", "601234", "12345678901234", "", "max_length"},
		{"letters", "632005", "4000X000", "", "invalid"},
		{"zeros", "632005", "00000000", "", "min_value"},
		{"nothing", "632005", "", "", "required"},
		{"mock number at Capitec", "470010", "110000001", "", ""},
		{"mock number at FNB", "250655", "110000002", "", ""},
		{"mock number at Nedbank", "198765", "210000001", "", ""},
	} {
		got := bank.ValidateAccount(c.branch, bank.AccountNumber(c.number), c.kind)
		if code := onlyCode(got, bank.FieldAccount); code != c.code || got.OK() != (c.code == "") {
			t.Errorf("%s: %+v, want %q", c.name, got.Problems, c.code)
		}
		if got.CDV != bank.CDVUnverifiable {
			t.Errorf("%s: check digits %s without a table", c.name, got.CDV)
		}
	}
}

func onlyCode(c bank.Checked, field string) string {
	if len(c.Problems) == 1 && c.Problems[0].Field == field {
		return c.Problems[0].Code
	}
	return ""
}

func TestBranchCodesAreText(t *testing.T) {
	if bank.BankName("051001") != "Standard Bank" || bank.BankName("210554") != "FNB" || bank.BankName("123456") != "" {
		t.Error("names of banks")
	}
	for code, wrong := range map[string]bool{"": true, "51001": true, "05100": true, "0510011": true, "ABCDEF": true,
		"000000": true, "999999": true, "111111": true, "900145": true, "888000": false, "123456": false, "051001": false} {
		got := bank.ValidateAccount(code, "123456789", "")
		if got.OK() == wrong {
			t.Errorf("%q: %+v", code, got.Problems)
		}
	}
	got := bank.ValidateAccount("210554", "62000000000", "")
	if len(got.Hints) != 1 || !strings.Contains(got.Hints[0].Message, "250655") {
		t.Errorf("the universal code is advised: %+v", got.Hints)
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	got := bank.ValidateAccount("12", "x", "CHEQUE")
	fields := map[string]bool{}
	for _, p := range got.Problems {
		fields[p.Field] = true
	}
	if len(got.Problems) != 3 || !fields[bank.FieldBranch] || !fields[bank.FieldAccount] ||
		!fields[bank.FieldAccountType] {
		t.Errorf("%+v", got.Problems)
	}
}

func TestNoProblemRepeatsTheAccountNumber(t *testing.T) {
	for _, number := range []string{"123456", "12345678901234", "1234567X", "12345678901"} {
		for _, b := range bank.Branches() {
			for _, p := range bank.ValidateAccount(b.Code, bank.AccountNumber(number), bank.Current).Problems {
				if strings.Contains(p.Message, number) {
					t.Errorf("%s: %s", b.Bank, p.Message)
				}
			}
		}
	}
}

func TestCheckDigitsNeedATable(t *testing.T) {
	rules := []bank.CDVRule{{From: "100000", To: "100010", Type: bank.Current, Mod: 10, Fudge: 1,
		Weights: [11]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}}
	for _, c := range []struct {
		branch, number string
		kind           bank.AccountType
		want           bank.CDVResult
	}{
		{"100000", "9", bank.Current, bank.CDVPassed},
		{"100010", "18", bank.Current, bank.CDVPassed},
		{"100010", "19", bank.Current, bank.CDVFailed},
		{"100011", "19", bank.Current, bank.CDVUnverifiable},
		{"100000", "19", bank.Savings, bank.CDVUnverifiable},
		{"100000", "123456789012", bank.Current, bank.CDVUnverifiable},
	} {
		if got := bank.CheckDigits(rules, c.branch, bank.AccountNumber(c.number), c.kind); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.branch, c.number, got, c.want)
		}
	}
}

var today = calendar.Date{Year: 2026, Month: 11, Day: 23}

func TestIdentityNumbersAreRead(t *testing.T) {
	for text, born := range map[string]string{
		"8001015009087": "1980-01-01",
		"2001014800086": "2020-01-01",
		"8501015000085": "1985-01-01",
		"9006300123088": "1990-06-30",
		"0002295000083": "2000-02-29",
		"9602295000180": "1996-02-29",
	} {
		id, problems := bank.ParseIdentity(bank.IDNumber(text), today)
		if problems != nil || id.Kind != bank.SouthAfricanID || id.BirthDate.String() != born {
			t.Errorf("%s: %+v %+v", text, id, problems)
		}
	}
	if id, _ := bank.ParseIdentity("9602295000180", today); !id.PermanentResident {
		t.Error("digit 1 is a permanent resident")
	}
	if id, problems := bank.ParseIdentity("A0123456", today); problems != nil || id.Kind != bank.Passport {
		t.Errorf("passport: %+v %+v", id, problems)
	}
}

func TestWrongIdentityNumbersAreRefused(t *testing.T) {
	for text, count := range map[string]int{
		"9001015000087": 1, // check digit
		"8502305000085": 2, // 30 February, and so the check digit
		"8501015000385": 2, // citizenship digit 3, and so the check digit
		"8513405000985": 3,
		"":              1,
		"AB12":          1,
		"ab1234":        1,
		"850101 500008": 1,
	} {
		if _, problems := bank.ParseIdentity(bank.IDNumber(text), today); len(problems) != count {
			t.Errorf("%q: %+v, want %d", text, problems, count)
		}
	}
	if got := bank.CleanID(" 850101 5000-085 "); got.Reveal() != "8501015000085" {
		t.Error("spaces and hyphens are taken out")
	}
	if got := bank.CleanID("\u202a850101\u202f5000\u2011085\u202c\u200b"); got.Reveal() != "8501015000085" {
		t.Errorf("marks that nobody sees stay in %q", got.Reveal())
	}
}

func TestPhonesAreBroughtToOneForm(t *testing.T) {
	for _, text := range []string{"0821234567", "082 123 4567", "+27 82 123 4567", "+27 (0)82 123-4567", "0027821234567",
		"27821234567", "\u202a+27 82 123 4567\u202c", "082\u2011123\u20134567", "\ufeff082\u2009123\u200b4567"} {
		if got, ok := bank.NormalisePhone(text); !ok || got != "27821234567" {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "082123456", "08212345678", "+44 20 7946 0000", "call me", "27021234567"} {
		if got, ok := bank.NormalisePhone(text); ok {
			t.Errorf("%q was taken as %q", text, got)
		}
	}
}
