package bank_test

import (
	"testing"

	"debitdesk/models/bank"
)

func TestReasonsOfABankBecomeOneMeaning(t *testing.T) {
	own := map[string]string{"AM04": "22", "X9": "12", "7": "99"}
	iso := func(codes ...string) (list []bank.Reason) {
		for _, c := range codes {
			list = append(list, bank.Reason{Code: c})
		}
		return list
	}
	native := func(code string) []bank.Reason { return []bank.Reason{{Code: code, Own: true}} }
	for name, c := range map[string]struct {
		own     map[string]string
		stage   bank.Stage
		reasons []bank.Reason
		code    string
		trouble bank.Trouble
	}{
		"a twin":                                  {nil, bank.Returned, iso("AM04"), "02", ""},
		"a twin in small letters":                 {nil, bank.Returned, iso(" am04 "), "02", ""},
		"what the payer's bank will not say":      {nil, bank.Returned, iso("AG07"), "02", ""},
		"stopped":                                 {nil, bank.Returned, iso("SP01"), "04", ""},
		"stopped, by the old name":                {nil, bank.Returned, iso("MD16"), "04", ""},
		"stopped before":                          {nil, bank.Returned, iso("SP02"), "36", ""},
		"no documents":                            {nil, bank.Returned, iso("NOCM"), "56", ""},
		"recalled":                                {nil, bank.Returned, iso("FOCR"), "28", ""},
		"taken out of tracking":                   {nil, bank.Returned, iso("TRAC"), "28", ""},
		"out of tracking, as the mandate ended":   {nil, bank.Returned, iso("FRTR"), "28", ""},
		"frozen rather than dormant":              {nil, bank.Returned, iso("AC06"), "06", ""},
		"sequestration":                           {nil, bank.Returned, iso("AC16"), "08", ""},
		"blocked by a service":                    {nil, bank.Refused, iso("SL12"), "03", ""},
		"the payer wants it back":                 {nil, bank.Returned, iso("MD06"), "30", ""},
		"no such person":                          {nil, bank.Refused, iso("BE06"), "26", ""},
		"another amount, with the money":          {nil, bank.Returned, iso("AM09"), "32", ""},
		"another amount, in a status report":      {nil, bank.Refused, iso("AM09"), "NR", bank.Technical},
		"a wrong date, with the money":            {nil, bank.Returned, iso("DT01"), "32", ""},
		"a wrong date, in a status report":        {nil, bank.Refused, iso("DT01"), "NR", bank.Technical},
		"the bank's own, two digits":              {nil, bank.Returned, native("05"), "05", ""},
		"the bank's own, one digit":               {nil, bank.Returned, native("4"), "04", ""},
		"the bank's own digits before its table":  {own, bank.Returned, native("7"), "07", ""},
		"the bank's own digits that nobody knows": {nil, bank.Returned, native("77"), "77", ""},
		"the bank's table":                        {own, bank.Returned, native("X9"), "12", ""},
		"the bank's table before ours":            {own, bank.Returned, iso("AM04"), "22", ""},
		"digits that are not the bank's own":      {nil, bank.Returned, iso("05"), "05", ""},
		"the own code says more":                  {nil, bank.Refused, append(iso("MS03"), native("05")...), "05", ""},
		"the first that is understood":            {nil, bank.Refused, append(iso("AC01"), native("12")...), "26", ""},
		"trouble only when nothing else":          {nil, bank.Refused, iso("AM05", "AC04"), "12", ""},
		"a duplicate":                             {nil, bank.Refused, iso("DU05"), "NR", bank.Duplicate},
		"too late":                                {nil, bank.Refused, iso("TM01"), "NR", bank.Late},
		"not agreed":                              {nil, bank.Refused, iso("AG08"), "NR", bank.NotSetUp},
		"a signature":                             {nil, bank.Refused, iso("DS0H"), "NR", bank.NotSetUp},
		"the bank's fault":                        {nil, bank.Returned, iso("BE08"), "NR", bank.Technical},
		"clearing was stopped":                    {nil, bank.Refused, iso("AB05"), "NR", bank.Technical},
		"a fault of format":                       {nil, bank.Refused, iso("FF01"), "NR", bank.Technical},
		"unknown":                                 {nil, bank.Returned, iso("ZZ99"), "ZZ99", ""},
		"words alone":                             {nil, bank.Returned, []bank.Reason{{Text: "see letter"}}, "NARR", ""},
		"nothing":                                 {nil, bank.Returned, nil, "NARR", ""},
		"all is well, which explains no failure":  {nil, bank.Returned, append(native("00"), native("14")...), "NARR", ""},
	} {
		got := bank.ReadReason(bank.Codes{Own: c.own}, c.stage, c.reasons...)
		if got.Code != c.code || got.Trouble != c.trouble {
			t.Errorf("%s: %+v", name, got)
		}
		if !bank.CodeOf(got.Code).Failed() && got.Code != bank.CodeRecalled {
			t.Errorf("%s: %s is no failure", name, got.Code)
		}
	}
}

func TestAMeaningHasTheKindOfItsClass(t *testing.T) {
	for code, want := range map[string]bank.MessageKind{"02": bank.Unpaid, "12": bank.Unpaid, "36": bank.Disputed,
		"30": bank.Disputed, "28": bank.Recalled, "NR": bank.Unpaid, "ZZ99": bank.Unpaid} {
		if got := (bank.Meaning{Code: code}).Kind(); got != want {
			t.Errorf("%s: %s", code, got)
		}
	}
}

func TestEveryTwinIsReadBack(t *testing.T) {
	for _, c := range bank.ReturnCodes() {
		got := bank.ReadReason(bank.Codes{}, bank.Returned, bank.Reason{Code: c.ISO})
		if c.ISO != "" && got.Code != c.Code && c.Code != "05" { // dormant is said as frozen
			t.Errorf("%s: %s became %s", c.Code, c.ISO, got.Code)
		}
	}
}

func TestAReasonWithoutACodeSaysSo(t *testing.T) {
	for code, want := range map[string]string{
		"NARR": "The bank gave no reason (NARR)", "": "The bank gave no reason",
		"NR": "The bank did not run this debit (NR)", "ZZ99": "The bank gave a reason that is not in our list (ZZ99)",
		"MD08": "The bank offers no such mandates (MD08)",
	} {
		if got := bank.Label(code); got != want {
			t.Errorf("%q: %q", code, got)
		}
	}
}

func TestChannelsOfISOHaveOurNames(t *testing.T) {
	for code, want := range map[string]string{"ATMA": "atm", "CARD": "point_of_sale", "INBA": "internet_banking",
		"MOBI": "cellphone_banking", "mobi": "cellphone_banking", "": "",
		"Contact Centre": "contact_centre", "ussd": "ussd"} {
		if got := bank.ChannelOf(code); got != want {
			t.Errorf("%s became %s", code, got)
		}
	}
}

func TestARefusedMandateHasAReasonAndAKind(t *testing.T) {
	own := map[string]string{"B7": "MS03"}
	for _, c := range []struct {
		reasons  []bank.Reason
		accepted bool
		code     string
		kind     bank.MessageKind
	}{
		{[]bank.Reason{{Code: "NOAS"}}, false, "NOAS", bank.MandateUnanswered},
		{[]bank.Reason{{Code: "MD16"}}, false, "MD16", bank.MandateRejected},
		{[]bank.Reason{{Code: "ZZ99"}, {Code: "be01"}}, false, "BE01", bank.MandateRejected},
		{[]bank.Reason{{Code: "B7", Own: true}}, false, "MS03", bank.MandateRejected},
		{[]bank.Reason{{Code: "AM02"}}, false, "AM02", bank.MandateRejected},
		{[]bank.Reason{{Code: "AM05"}}, false, "AM05", bank.MandateFailed},
		{[]bank.Reason{{Code: "FF01"}}, false, "FF01", bank.MandateFailed},
		{[]bank.Reason{{Code: "ZZ99"}}, false, "ZZ99", bank.MandateRejected},
		{nil, false, "MS02", bank.MandateRejected},
		{[]bank.Reason{{Code: "MSUC"}}, true, "MSUC", bank.MandateSuspended},
	} {
		code := bank.ReadMandateReason(own, c.reasons...)
		if kind := bank.MandateKind(code, c.accepted); code != c.code || kind != c.kind {
			t.Errorf("%+v: %s, %s", c, code, kind)
		}
	}
	for _, c := range bank.MandateCodes() {
		if c.Meaning == "" || c.Remedy == "" || bank.Label(c.Code) != c.Meaning+" ("+c.Code+")" {
			t.Errorf("%+v", c)
		}
	}
}
