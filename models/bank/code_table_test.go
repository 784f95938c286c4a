package bank_test

import (
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

func TestACodeMeansWhatItsOwnTableSays(t *testing.T) {
	today := calendar.On(2026, 11, 24)
	for _, c := range []struct {
		table, code, meaning string
		class                bank.Class
		as                   string
	}{
		{"magtape_2003", "26", "Account closed", bank.Hard, "12"},
		{"", "26", "No such account", bank.Hard, "26"},
		{"", "05", "Account dormant", bank.Hard, "05"},
		{"magtape_2003", "05", "The bank gave a reason that is not in our list", bank.Unknown, "05"},
		{"magtape_2003", "56", "Account holder not FICA compliant", bank.Hard, "56"},
		{"", "99", "The bank gave a reason that is not in our list", bank.Unknown, "99"},
	} {
		got := bank.ReadCode(c.table, c.code, today)
		if got.Meaning != c.meaning || got.Class != c.class || got.As != c.as {
			t.Errorf("%s in %q: %+v", c.code, c.table, got)
		}
		read := bank.ReadReason(bank.Codes{Table: c.table, Day: today}, bank.Returned, bank.Reason{Code: c.code, Own: true})
		if read.Code != c.as {
			t.Errorf("%s of a bank with the table %q is read as %s", c.code, c.table, read.Code)
		}
	}
	if got := bank.CodeOf("99"); got.Class != bank.Unknown || !got.Failed() {
		t.Errorf("an unknown code is dropped: %+v", got)
	}
}

func TestTablesOfCodesHoldTogether(t *testing.T) {
	for _, table := range bank.CodeTables() {
		for _, known := range bank.ReturnCodes() {
			c := bank.ReadCode(table, known.Code, calendar.Date{})
			if ours, found := bank.FindCode(c.As); c.Class != bank.Unknown && (!found || ours.Class != c.Class) {
				t.Errorf("%s %s: %+v is read as %+v", table, known.Code, c, ours)
			}
		}
	}
}
