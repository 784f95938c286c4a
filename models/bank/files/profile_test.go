package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// smallest is the least that a profile must say.
const smallest = `{"services": {"eft": {"lead_days": 2, "success": "silence"}}}`

func parsed(t *testing.T, content string) files.Profile {
	t.Helper()
	p, err := files.ParseProfile([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func shipped(t *testing.T, name string) files.Profile {
	t.Helper()
	content, err := files.ShippedProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(content))
}

func TestTheShippedProfilesAreRight(t *testing.T) {
	t.Parallel()
	generic := shipped(t, "generic").Rules()
	if want := (bank.Capabilities{Refunds: true}); generic.Capabilities != want {
		t.Errorf("generic can do %+v", generic.Capabilities)
	}
	if generic.Name != "files" || generic.MaxItems != 50000 || generic.LeadDays[bank.EFT] != 2 ||
		generic.Success[bank.EFT] != exchange.BySilence || generic.AckWithin != time.Hour ||
		generic.Deadline != (calendar.TimeOfDay{Hour: 15}) || len(generic.Cuts) != 3 || len(generic.Success) != 1 {
		t.Errorf("generic has the rules %+v", generic)
	}
	simulator := shipped(t, "simulator")
	rules := simulator.Rules()
	if want := (bank.Capabilities{DebiCheck: true, Refunds: true, RecallOne: true}); rules.Capabilities != want {
		t.Errorf("simulator can do %+v", rules.Capabilities)
	}
	if rules.Success[bank.EFT] != exchange.BySilence || rules.Success[bank.DebiCheck] != exchange.ByReport {
		t.Errorf("simulator has the rules %+v", rules)
	}
	for kind, want := range map[exchange.Kind]string{exchange.Debits: "pain.008.001.09",
		exchange.Refunds:  "pain.001.001.10",
		exchange.Mandates: "pain.009.001.05", exchange.Cancellations: "pain.011.001.05",
		exchange.Recalls: "camt.055.001.09"} {
		if got := simulator.Encoder().Name(kind); got != want {
			t.Errorf("%s are written as %s, not %s", kind, got, want)
		}
	}
}

// Mandates are cancelled in the version in which they are asked for.
func TestTheVersionsOfMandateMessagesGoTogether(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"05", "07", "08"} {
		p := shipped(t, "simulator")
		p.MandateMessages = "pain.009.001." + version
		if got, want := p.Encoder().Name(exchange.Cancellations), "pain.011.001."+version; got != want {
			t.Errorf("mandates of version %s are cancelled by %s, not %s", version, got, want)
		}
	}
}

// Every problem is said at once, each at its field.
func TestEveryProblemOfAProfileIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	_, err := files.ParseProfile([]byte(`{
		"debit_mesage": "pain.008.001.02", "uetr": "yes", "cuts": ["8:00"], "max_items": 0, "name_length": 1.5,
		"services": {"eft": {"lead": 2}, "debichek": {}}, "branch_scheme": null, "initiating_party": {"nam": "x"},
		"answers": ["camt.054.001.8"], "end_to_end": "uuid", "zip": true, "sequence": "gapless-daily",
		"codes": {"X1": "99"}, "file_name": "{service}_{yyyymmdd}.xml", "recall_message": "pain.007.001.01",
		"account_types": {"CHEQUE": "CACC"}, "name": "a", "name": "b"}`))
	f, is := fault.From(err)
	if !is {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, p := range f.Fields {
		fmt.Fprintf(&said, "%s: %s\n", p.Path, p.Message)
	}
	for _, want := range []string{
		`debit_mesage: There is no such key. Did you mean "debit_message"?`,
		`uetr: This must be true or false.`, `cuts: This must be a list of times such as ["08:00", "11:30"].`,
		`max_items: 0 is not between 1 and 1000000.`, `name_length: This must be a whole number.`,
		`services.eft.lead: There is no such key. Did you mean "lead_days"?`,
		`services.eft.lead_days: Say how many business days lie between the deadline and the debit date: 0 to 60.`,
		`services.eft.success: Say how you know that a debit was paid: silence, booked or reported.`,
		`services.debichek: There is no such service. Did you mean "debicheck"?`,
		`branch_scheme: Leave the key out instead of giving it no value.`,
		`initiating_party.nam: There is no such key. Did you mean "name"?`,
		`answers: "camt.054.001.8" is not a message that Debitdesk reads. Did you mean "camt.054.001.08"?`,
		`answers: Name the status report (pain.002)`, `end_to_end: "uuid" is not one of uuid32, statement_line, sequence.`,
		`zip: Debitdesk does not do this yet.`, `sequence: Numbers run on`, `codes.X1: "99" is not a return code`,
		`file_name: Two files could get the same name.`,
		`recall_message: "pain.007.001.01" is not one of camt.055.001.09, pain.007.001.10, none.`,
		`account_types.CHEQUE: There is no such account type`, `name: This key comes twice.`,
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is missing in\n%s", want, said.String())
		}
	}
}

func TestWhatDoesNotFitTogetherIsRefused(t *testing.T) {
	t.Parallel()
	with := func(more string) string { return strings.TrimSuffix(smallest, "}") + ", " + more + "}" }
	debiCheck := func(more string) string {
		return `{"services": {"debicheck": {"lead_days": 1, "success": "silence"}}` + more + `}`
	}
	for content, want := range map[string]string{
		`{}`:             "services: Name the service by which the bank collects",
		`[]`:             "profile.json: This must be an object in braces.",
		"{\n\"name\": }": "profile.json: It is not JSON: line 2",
		debiCheck(``):    "services.debicheck: DebiCheck needs mandates.",
		debiCheck(`, "mandate_messages": "pain.009.001.05"`):                          "answers: Name pain.012.001.05",
		debiCheck(`, "answers": ["pain.002.001.10"]`):                                 "silence cannot mean that it was paid",
		with(`"mandate_messages": "pain.009.001.05"`):                                 "mandate_messages: Mandates are for DebiCheck.",
		with(`"uetr": true, "debit_message": "pain.008.001.02"`):                      "uetr: pain.008.001.02 has no UETR.",
		with(`"cuts": ["15:30"]`):                                                     "cuts: 15:30 does not lie before the bank’s deadline, 15:00",
		with(`"cuts": ["09:00", "08:00"]`):                                            "cuts: 08:00 does not come after 09:00.",
		with(`"cuts": []`):                                                            "cuts: Name at least one time",
		with(`"file_name": "{id}.xml.part"`):                                          "still being written",
		with(`"file_name": ".{id}.xml"`):                                              "still being written",
		with(`"file_name": "a b {id}"`):                                               "has characters other than",
		with(`"file_name": "a/{id}"`):                                                 "has characters other than",
		with(`"file_name": "{id}{number}"`):                                           "{number} is not one of",
		with(`"file_name": "{partner}{id}"`):                                          "partner: The template",
		with(`"file_name": "{id}{id}{id}{id}"`):                                       "at most 64 are allowed",
		with(`"file_services": {"debits": "RF"}`):                                     "file_services: Each kind of message needs a name of its own.",
		with(`"file_services": {"debit": "RF"}`):                                      "file_services.debit: There is no such kind",
		with(`"statement_line_at": "EndToEndId", "end_to_end": "sequence"`):           "end_to_end: The end-to-end id",
		with(`"authentication_channels": {"REALTIME": "X"}`):                          "Only DELAYED and FALLBACK",
		with(`"success": "hope"`):                                                     `success: "hope" is not one of silence, booked, reported.`,
		with(`"calendar": "US"`):                                                      "calendar:",
		with(`"account_types": {"CURRENT": "toolong"}`):                               "account_types.CURRENT:",
		with(`"initiating_party": {"name": "💐"}`):                                     "initiating_party.name:",
		with(`"creditor_branch": "123"`):                                              "creditor_branch:",
		with(`"recall_message": "camt.055.001.09", "answers": ["camt.053.001.08"]`):   "answers: Name camt.029.001.10 or a pain.002",
		`{"services": {"eft_same_day": {}, "eft": {"lead_days": 0, "success": "x"}}}`: "give eft a lead_days of 0",
	} {
		if _, err := files.ParseProfile([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", content, err, want)
		}
	}
	for _, content := range []string{smallest, "\ufeff" + smallest, with(`"success": "booked"`),
		with(`"account_types": {"TRANSMISSION": "Prtry:3"}, "branch_scheme": "none"`),
		with(`"partner": "ACME1", "file_name": "{partner}_{message}_{seq}"`)} {
		parsed(t, content)
	}
}

func TestFilesAreNamedByTheTemplate(t *testing.T) {
	t.Parallel()
	m := exchange.Message{ID: "RF20261122-000003", Kind: exchange.Refunds, Name: "pain.001.001.09", Number: 3,
		MadeAt: time.Date(2026, 11, 22, 22, 30, 5, 0, time.UTC)}
	for template, want := range map[string]string{
		"": "RF_20261123003005_000003.xml",
		`, "file_name": "{partner}-{message}.{seq}", "partner": "ACME1"`: "ACME1-pain.001.001.09.3",
		`, "file_name": "{id}_{yyyymmdd}.XML"`:                           "RF20261122-000003_20261123.XML",
		`, "file_services": {"refunds": "PAYOUT"}`:                       "PAYOUT_20261123003005_000003.xml",
	} {
		p := parsed(t, strings.TrimSuffix(smallest, "}")+template+"}")
		if got := p.Encoder().FileName(m); got != want {
			t.Errorf("%s: %s, not %s", template, got, want)
		}
	}
}

// A file never grows beyond what the bank takes: fewer items go into it.
func TestTheSizeOfAFileLimitsItsItems(t *testing.T) {
	t.Parallel()
	p := parsed(t, strings.TrimSuffix(smallest, "}")+`, "max_file_bytes": 1500000}`)
	if got := p.Rules().MaxItems; got != 1000 {
		t.Error(got)
	}
}

// No item takes more bytes than the limit counts for one.
func TestTheLongestItemIsCountedInFull(t *testing.T) {
	t.Parallel()
	p := parsed(t, `{"debit_message": "pain.008.001.10", "mandate_messages": "pain.009.001.05", "uetr": true,
		"account_scheme": "BBAN", "branch_scheme": "ZANCC", "account_types": {"CURRENT": "Prtry:35 CHARACTERS 35 CHARACTERS 35 C"},
		"answers": ["pain.002.001.10", "pain.012.001.05"], "success": "reported", "services": {
		"debicheck": {"lead_days": 1, "local_instrument": "`+strings.Repeat("L",
		35)+`", "service_level": "`+strings.Repeat("S", 35)+`"},
		"registered_mandate": {"local_instrument": "`+strings.Repeat("R",
		35)+`", "service_level": "`+strings.Repeat("S", 35)+`"}}}`)
	in := bank.Instruction{Method: bank.DebiCheck, AmountCents: 99_999_999_999_999, Currency: "ZAR",
		ActionDate: calendar.On(2026, 12, 1), Branch: "250655", Account: bank.AccountNumber(strings.Repeat("1", 34)),
		AccountType: bank.Current, HolderName: strings.Repeat("N", 300), StatementLine: strings.Repeat("L", 140),
		Sequence: bank.RecurringDebit, MandateReference: strings.Repeat("M", 35), MandateDate: calendar.On(2026, 11, 1),
		TrackingDays: 10, Creditor: bank.Creditor{Name: "Gym", Account: "1", Branch: "250655"}}
	size := func(n int) int {
		g := exchange.Group{ID: "DD-01", Method: in.Method, ActionDate: in.ActionDate, Sequence: in.Sequence,
			Creditor: in.Creditor}
		for i := range n {
			one := in
			one.ID[0], one.Disputable = byte(i), i%2 == 0
			g.Items = append(g.Items, exchange.Item{ID: one.ID, AmountCents: one.AmountCents,
				Order: exchange.Order{Debit: &one}})
			g.Count, g.SumCents = g.Count+1, g.SumCents+one.AmountCents
		}
		m := exchange.Outgoing{Message: exchange.Message{ID: "DD", Kind: exchange.Debits, Name: "pain.008.001.10",
			Count:    g.Count,
			SumCents: g.SumCents, MadeAt: time.Now()}, Groups: []exchange.Group{g}}
		var out strings.Builder
		if err := p.Encoder().Encode(&out, m); err != nil {
			t.Fatal(err)
		}
		return out.Len()
	}
	if each := (size(12) - size(2)) / 10; each > 1500 {
		t.Errorf("an item has %d bytes", each)
	} else {
		t.Logf("an item has %d bytes", each)
	}
}

func TestAMissingProfileSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bank")
	_, err := files.ReadProfile(dir)
	if want := "debitdesk bank check " + dir + " --init generic"; err == nil || !strings.Contains(err.Error(), want) {
		t.Fatal(err)
	}
	path, err := files.InitProfile(dir, "generic")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if _, err := files.ReadProfile(dir); err != nil {
		t.Error(err)
	}
	if _, err := files.InitProfile(dir, "simulator"); err == nil || !strings.Contains(err.Error(), "left as it is") {
		t.Error(err)
	}
	if _, err := files.InitProfile(dir, "other"); err == nil || !strings.Contains(err.Error(), "generic or simulator") {
		t.Error(err)
	}
}

func TestAProfileIsSaidInWords(t *testing.T) {
	t.Parallel()
	say := func(p files.Profile) string {
		var said strings.Builder
		for _, w := range p.Words() {
			said.WriteString(w.Title + "\n" + strings.Join(w.Lines, "\n") + "\n")
		}
		return said.String()
	}
	reversing := shipped(t, "simulator")
	reversing.RecallMessage = "pain.007.001.10"
	for want, said := range map[string]string{
		"Debits are written as pain.008.001.08, in files such as DD_20261122093000_000042.xml.": say(shipped(t,
			"generic")),
		"Recalls of single debits are not offered.": say(shipped(t,
			"generic")),
		"Files with debits and refunds leave at 08:00, 12:30 and 14:30 SAST on business days.": say(shipped(t,
			"generic")),
		"EFT debits leave at the last of these times, 14:30 SAST, 2 business days before the debit date.": say(shipped(t,
			"generic")),
		"It does not collect by DebiCheck.": say(shipped(t,
			"generic")),
		"By which local instrument or service level does the bank know EFT?": say(shipped(t,
			"generic")),
		"Does the bank take pain.007.001.10 for debits that it has not run yet?": say(reversing),
		"DebiCheck: when a status report of the bank says so.": say(shipped(t,
			"simulator")),
		"EFT: when the bank has acknowledged the file and returned nothing by 08:00 SAST": say(shipped(t,
			"simulator")),
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
}
