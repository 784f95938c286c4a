package bank_test

import (
	"testing"

	"debitdesk/models/bank"
)

func TestReturnCodesKeepTheirClassAndTwins(t *testing.T) {
	for _, c := range []struct {
		code  string
		class bank.Class
		iso   string
		error string
	}{
		{"02", bank.Soft, "AM04", "insufficient_funds"},
		{"03", bank.Hard, "AG01", "payment_rejected_other_reason"},
		{"04", bank.Hard, "SP01", "payment_rejected_other_reason"},
		{"05", bank.Hard, "AC06", "payment_rejected_other_reason"},
		{"06", bank.Hard, "AC06", "payment_rejected_other_reason"},
		{"08", bank.Hard, "AC16", "payment_rejected_other_reason"},
		{"10", bank.Hard, "AC17", "payment_rejected_other_reason"},
		{"12", bank.Hard, "AC04", "payment_rejected_other_reason"},
		{"14", bank.Info, "", ""},
		{"16", bank.Hard, "AC15", "payment_rejected_other_reason"},
		{"18", bank.Hard, "MD07", "payment_rejected_other_reason"},
		{"22", bank.Soft, "", "insufficient_funds"},
		{"26", bank.Hard, "AC01", "payment_rejected_other_reason"},
		{"28", bank.Info, "FOCR", ""},
		{"30", bank.Dispute, "MD01", "payment_rejected_other_reason"},
		{"32", bank.Dispute, "", "payment_rejected_other_reason"},
		{"34", bank.Dispute, "CN01", "payment_rejected_other_reason"},
		{"36", bank.Dispute, "SP02", "payment_rejected_other_reason"},
		{"56", bank.Hard, "NOCM", "payment_rejected_other_reason"},
		{"60", bank.Blocked, "", "exceeds_frequency_limit"},
		{"NR", bank.NotRun, "", "acquirer_internal_error"},
	} {
		got, found := bank.FindCode(c.code)
		if !found || got.Class != c.class || got.ISO != c.iso || got.AttemptError != c.error {
			t.Errorf("%s: %+v", c.code, got)
		}
	}
	if got := bank.CodeOf("02").Label(); got != "Not enough money (02)" {
		t.Errorf("plain words first: %q", got)
	}
}

func TestEveryCodeSaysWhatItMeansAndWhatHelps(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range bank.ReturnCodes() {
		if seen[c.Code] {
			t.Errorf("%s stands twice", c.Code)
		}
		seen[c.Code] = true
		if c.Meaning == "" || c.Remedy == "" || c.ChargeAgain == "" {
			t.Errorf("%s is silent: %+v", c.Code, c)
		}
		if good := c.Class == bank.Success || c.Class == bank.Info; good == c.Failed() {
			t.Errorf("%s: class %s, failed %v", c.Code, c.Class, c.Failed())
		}
	}
	if got := bank.CodeOf("99"); got.Class != bank.Unknown || !got.Failed() {
		t.Errorf("an unknown code stops collecting: %+v", got)
	}
}

func TestOnlyFourNoesRefuseAnAccount(t *testing.T) {
	v := bank.Verified{Exists: bank.Yes, Open: bank.No, NameMatches: bank.No}
	if got := v.Refusal(); got != "The bank details could not be verified: account is closed." {
		t.Errorf("refusal: %q", got)
	}
	if w := v.Warnings(); len(w) != 1 || w[0] != "name does not match" {
		t.Errorf("warnings: %v", w)
	}
	if (bank.Verified{}).Refusal() != "" || (bank.Verified{}).Checked() {
		t.Error("not checked never fails")
	}
	if bank.AllYes().Refusal() != "" || len(bank.AllYes().Warnings()) != 0 {
		t.Error("all yes is fine")
	}
}
