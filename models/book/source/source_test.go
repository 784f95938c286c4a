package source_test

import (
	"encoding/json"

	"slices"
	"strings"
	"testing"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/fault"
)

const (
	serviceKey = "3f2b1c0d-9a8e-4d7c-8b6a-5f4e3d2c1b0a"
	vendorKey  = "24ade73c-98cf-47b3-99be-cc7b867b3080"
)

// tabbed is a text whose arrows are tabs.
func tabbed(lines ...string) string {
	return strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "→", "\t")
}

const (
	netcashHead = "H→" + serviceKey + "→1→Update→KSF-MASTER→20261124→" + vendorKey
	netcashKeys = "K→101→102→103→131→132→133→134→135→136→161→201→202→281"
)

var netcashEntries = []string{
	"T→KSF1022→NKOSI T→1→1→T NKOSI→1→250655→0→62000001018→64900→t.nkosi@example.com→0821234567→GYM",
	"T→KSF1023→BOTHA A→1→1→A BOTHA→2→051001→0→20304050→45000→→0731112222→GYM",
	"T→KSF1024→SITHOLE P→0→1→P SITHOLE→2→470010→0→1400000101→29995→→→PT",
}

func netcash(lines ...string) string {
	return tabbed(append([]string{netcashHead, netcashKeys}, lines...)...)
}

// read gives what was recognised and all rows.
func read(t testing.TB, text string) (*source.File, []sheet.Row) {
	t.Helper()
	f, err := source.Open(strings.NewReader(text), sheet.Told{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	var rows []sheet.Row
	if err := f.Each(func(r sheet.Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if len(f.Columns) > 0 && len(r.Cells) != len(f.Columns) {
			t.Errorf("line %d has %d cells for %d columns", r.Number, len(r.Cells), len(f.Columns))
		}
	}
	return f, rows
}

// refused gives the code with which a file is refused, and its sentence.
func refused(t testing.TB, text string) (code, words string) {
	t.Helper()
	f, err := source.Open(strings.NewReader(text), sheet.Told{})
	if err == nil {
		_ = f.Close()
		return "", ""
	}
	no, is := fault.From(err)
	if !is {
		t.Fatalf("it is not a fault: %v", err)
	}
	return no.Code, no.Message
}

// at is the cell of a meaning in a row.
func at(f *source.File, r sheet.Row, m source.Meaning) string {
	n := slices.IndexFunc(f.Columns, func(c source.Column) bool { return c.Means == m })
	if n < 0 {
		return "(no column)"
	}
	return r.Cells[n]
}

// says asks for cells by their meaning.
func says(t testing.TB, f *source.File, r sheet.Row, want map[source.Meaning]string) {
	t.Helper()
	for m, text := range want {
		if got := at(f, r, m); got != text {
			t.Errorf("line %d: %s is %q, want %q", r.Number, m, got, text)
		}
	}
}

// spaced is a text with plain blanks.
func spaced(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

func codes(r sheet.Row) string {
	var out []string
	for _, p := range r.Broken {
		out = append(out, p.Code)
	}
	return strings.Join(out, " ")
}

func all(f *source.File, rows []sheet.Row) string {
	text, _ := json.Marshal(struct {
		Format sheet.Format
		Report source.Report
		Rows   []sheet.Row
	}{f.Format, f.Report, rows})
	return string(text)
}

func TestNetcashMasterFileIsReadByItsKeys(t *testing.T) {
	t.Parallel()
	f, rows := read(t, netcash(append(netcashEntries, "F→3→139895→9999")...))
	if f.Report.Layout != "netcash_master" || len(rows) != 3 || rows[0].Number != 3 {
		t.Fatalf("%s, %d rows: %+v", f.Report.Layout, len(rows), rows)
	}
	says(t, f, rows[0], map[source.Meaning]string{source.Reference: "KSF1022", source.FullName: "NKOSI T",
		source.Status: "1", source.Type: "1", source.Branch: "250655", source.Account: "62000001018",
		source.Amount: "649.00", source.Email: "t.nkosi@example.com", source.Phone: "0821234567", source.Group: "GYM",
		source.Holder: "T NKOSI"})
	says(t, f, rows[2], map[source.Meaning]string{source.Status: "0", source.Amount: "299.95"})
	if want := "Netcash master file: 3 rows read, service key dropped, vendor key dropped, instruction Update, " +
		"batch KSF-MASTER, action date 2026-11-24."; f.Report.Words() != want {
		t.Errorf("it says %q", f.Report.Words())
	}
	if !f.Report.AskTypes || !f.Report.Agree() || len(f.Report.Sums) != 2 || len(f.Report.Warnings) != 0 {
		t.Errorf("%+v", f.Report)
	}
}

// The order of the K line decides, not the place of a value.
func TestNetcashKeysMayComeInAnyOrder(t *testing.T) {
	t.Parallel()
	f, rows := read(t, tabbed(netcashHead, "K→136→134→777→102→162→101", "T→62000001018→250655→blue→NKOSI T→64900→KSF1022",
		"F→1→64900→9999"))
	says(t, f, rows[0], map[source.Meaning]string{source.Reference: "KSF1022", source.Account: "62000001018",
		source.Branch: "250655", source.Amount: "649.00", source.FullName: "NKOSI T"})
	if !slices.Equal(f.Report.Unknown, []string{"777"}) || f.Columns[2].Name != "777 Unknown field" ||
		rows[0].Cells[2] != "blue" {
		t.Errorf("an unknown key is not kept: %+v %v", f.Columns, rows[0].Cells)
	}
}

// A batch that is debited says on which day; a change of the master file does not.
func TestTheDayOfANetcashBatchIsThatOfADebit(t *testing.T) {
	t.Parallel()
	text := netcash(netcashEntries[0], "F→1→64900→9999")
	if f, rows := read(t, text); at(f, rows[0], source.LastDebit) != "(no column)" || f.Report.Collects {
		t.Errorf("an update has a day: %+v", rows[0])
	}
	for _, instruction := range []string{"TwoDay", "Sameday", "CompactTwoDay"} {
		f, rows := read(t, strings.Replace(text, "Update", instruction, 1))
		if at(f, rows[0], source.LastDebit) != "2026-11-24" || !f.Report.Collects {
			t.Errorf("%s has no day: %+v", instruction, rows[0])
		}
	}
	f, rows := read(t, tabbed(netcashHead, "K→101→102→161→250", "T→KSF1022→NKOSI T→64900→MNTH_25", "F→1→64900→9999"))
	says(t, f, rows[0], map[source.Meaning]string{source.Cycle: "MNTH", source.Day: "25"})
}

func TestCredentialsOfNetcashAreNotKept(t *testing.T) {
	t.Parallel()
	good := netcash(append(netcashEntries, "F→3→139895→9999")...)
	for name, text := range map[string]string{"tabs": good, "commas": strings.ReplaceAll(good, "\t", ","),
		"semicolons": strings.ReplaceAll(good, "\t", ";"), "CR LF": strings.ReplaceAll(good, "\n", "\r\n"),
		"a mark": "\ufeff" + good, "a title above": "My master file\n" + good,
		"the key as batch name": strings.Replace(good, "KSF-MASTER", serviceKey, 1),
		"the key as date":       strings.Replace(good, "20261124", serviceKey, 1),
		"the key as a field":    strings.Replace(good, "\t281", "\t"+serviceKey, 1),
		"the key in a rest":     good + serviceKey + "\n" + "X\t" + serviceKey + "\n",
	} {
		f, rows := read(t, text)
		if f.Report.Layout != "netcash_master" || len(rows) < 3 {
			t.Errorf("%s: it is %q with %d rows", name, f.Report.Layout, len(rows))
		}
		if said := all(f, rows); strings.Contains(said, serviceKey) || strings.Contains(said, vendorKey) {
			t.Errorf("%s: a key is in %s", name, said)
		}
	}
	for name, text := range map[string]string{"no K line": tabbed(netcashHead, netcashEntries[0]),
		"only H":      tabbed(netcashHead),
		"two H lines": netcash(netcashHead), "nothing to bring in": netcash("F→0→0→9999")} {
		if code, words := refused(t, text); code == "" || strings.Contains(words, serviceKey) {
			t.Errorf("%s: %q %q", name, code, words)
		}
	}
}

func TestFaultsOfNetcashMasterFiles(t *testing.T) {
	t.Parallel()
	line := netcashEntries[0]
	for _, one := range []struct {
		name, keys, entry, trailer, codes, said string
	}{
		{"fewer values than keys", netcashKeys, "T→KSF1022→NKOSI T", "F→1→0→9999", sheet.TooFewCells, ""},
		{"more values than keys", netcashKeys, line + "→more", "F→1→64900→9999", sheet.TooManyCells, ""},
		{"an amount in rands", netcashKeys, strings.Replace(line, "64900", "649.00", 1), "F→1→0→9999", source.Unfit, ""},
		{"an amount below zero", netcashKeys, strings.Replace(line, "64900", "-64900", 1), "F→1→0→9999", source.Unfit, ""},
		{"another sum", netcashKeys, line, "F→1→64901→9999", "",
			"sum of 161: the file says R 649,01, and its lines give R 649,00"},
		{"another count", netcashKeys, line, "F→2→64900→9999", "", "rows: the file says 2, and its lines give 1"},
		{"a trailer of words", netcashKeys, line, "F→one→64900→9999", "", "no count and sum that can be read"},
		{"no trailer", netcashKeys, line, "", "", "it may have been cut short"},
		{"an entry to be deleted", netcashKeys + "→104", line + "→1", "F→1→64900→9999", source.Aside, ""},
		{"a card", netcashKeys + "→137", strings.Replace(line, "→1→1→T", "→1→2→T", 1) + "→4111********1111",
			"F→1→64900→9999", source.Card, ""},
		{"a key twice", netcashKeys + "→101", line + "→OTHER", "F→1→64900→9999", "", "twice"},
		{"a line after the trailer", netcashKeys, line, "F→1→64900→9999\n" + line, "", ""},
	} {
		f, rows := read(t, tabbed(netcashHead, one.keys, one.entry, one.trailer))
		if codes(rows[0]) != one.codes {
			t.Errorf("%s: %q, want %q", one.name, codes(rows[0]), one.codes)
		}
		if said := spaced(strings.Join(f.Report.Warnings, " ") + f.Report.SumWords()); !strings.Contains(said, one.said) {
			t.Errorf("%s: it says %q", one.name, said)
		}
		if said := all(f, rows); strings.Contains(said, "4111") {
			t.Errorf("%s: a card is in %s", one.name, said)
		}
		if one.name == "a line after the trailer" && (len(rows) != 2 || codes(rows[1]) != source.Aside) {
			t.Errorf("%s: %+v", one.name, rows)
		}
	}
}

func mandate(status, reference, amount string) string {
	cells := make([]string, 41)
	copy(cells, []string{status, reference, "NKOSI T", amount, "8501015000085"})
	copy(cells[5:], []string{"250655", "62000001018", "1"})
	copy(cells[11:], []string{"1", "2", "25", "20250128", reference, "30", "1"})
	return strings.Join(cells, "→")
}

func TestNetcashMandateDataIsRead(t *testing.T) {
	t.Parallel()
	f, rows := read(t, tabbed("###BEGIN→20261124", mandate("6", "KSF1022", "649.0000"), mandate("7", "KSF1023", "450.5"),
		mandate("5", "KSF1024", "299.955"), mandate("12", "KSF1025", "x"), "6→SHORT→A→1.00", "###END", "after"))
	if f.Report.Layout != "netcash_mandates" || len(rows) != 6 || f.Report.Rows != 5 || len(f.Columns) != 41 {
		t.Fatalf("%d rows of %d columns: %+v", len(rows), len(f.Columns), f.Report)
	}
	says(t, f, rows[0], map[source.Meaning]string{source.MandateStatus: "accepted", source.Reference: "KSF1022",
		source.FullName: "NKOSI T", source.Amount: "649.00", source.Cycle: "monthly", source.Day: "25",
		source.SignedOn: "2025-01-28", source.OldMandate: "KSF1022", source.Account: "(no column)"})
	says(t, f, rows[1], map[source.Meaning]string{source.MandateStatus: "changed", source.Amount: "450.50"})
	says(t, f, rows[2], map[source.Meaning]string{source.MandateStatus: "declined"})
	says(t, f, rows[3], map[source.Meaning]string{source.MandateStatus: "12", source.Amount: "x"})
	for n, want := range []string{"", "", source.Unfit, "", sheet.TooFewCells, source.Aside} {
		if codes(rows[n]) != want {
			t.Errorf("line %d: %q, want %q", rows[n].Number, codes(rows[n]), want)
		}
	}
	if f.Columns[6].Name != "Column 7" || !slices.Contains(f.Report.Unknown, "Column 7") {
		t.Errorf("an unknown column is %+v", f.Columns[6])
	}
	for text, want := range map[string]string{"FILE NOT READY": "netcash_not_ready",
		"###BEGIN→20261124\n###END": "empty_file",
		"###ERROR: 100":             "netcash_error"} {
		if code, _ := refused(t, tabbed(text)); code != want {
			t.Errorf("%q: %q, want %q", text, code, want)
		}
	}
	if f, _ := read(t, tabbed("###BEGIN→20261124", mandate("6", "KSF1022", "649"))); len(f.Report.Warnings) != 1 {
		t.Errorf("a file without its end: %v", f.Report.Warnings)
	}
}

const stitchEFT = `RECORD_TYPE,CLIENT_ID,PRODUCT,CHANNEL,FILE_TYPE
P,00000000-0000-4000-8000-000000000001,COLLECTIONS,DEBIT ORDER,COLLECTION
RECORD_TYPE,EXTERNAL_BATCH_REFERENCE,SUBMISSION_DATETIME
H,KSF_2026_11,2026-11-23 13:05:00
RECORD_TYPE,NONCE,EXTERNAL_COLLECTION_REFERENCE,VALUE,COLLECTION_DATE,CONTRACT_REFERENCE,DEBTOR_NAME,` +
	`DEBTOR_ACCOUNT_NUMBER,DEBTOR_BRANCH_CODE,DEBTOR_ACCOUNT_TYPE
D,n1,KSF-C-1,649.0,2026-11-25,KSF1022,T Nkosi,62000001018,250655,Current
D,n2,KSF-C-2,450.00,2026-11-25,KSF1023,"Botha, A",0020304050,051001,Savings
RECORD_TYPE,TOTAL_RECORDS,TOTAL_VALUE
T,2,1099.00
`

const stitchDebiCheck = `RECORD_TYPE,CLIENT_ID,PRODUCT,CHANNEL,FILE_TYPE
P,00000000-0000-4000-8000-000000000001,COLLECTIONS,DEBICHECK,COLLECTION
RECORD_TYPE,EXTERNAL_BATCH_REFERENCE,SUBMISSION_DATETIME
H,KSF_2026_11,2026-11-23T13:05:00Z
RECORD_TYPE,NONCE,CONSENT_ID,CONTRACT_REFERENCE,VALUE,EXTERNAL_COLLECTION_REFERENCE,COLLECTION_DATE,TRACKING_PERIOD
D,n1,c1,KSF1022,649.0,KSF-C-1,2026-11-25,3
D,n2,c2,KSF1099,450.00,KSF-C-2,2026-11-25,0
RECORD_TYPE,TOTAL_RECORDS,TOTAL_VALUE,TOTAL_TRACKING_RECORDS,TOTAL_TRACKING_VALUE
T,2,1099.00,1,649.00
`

func TestStitchCollectionFilesAreRead(t *testing.T) {
	t.Parallel()
	f, rows := read(t, stitchEFT)
	if f.Report.Layout != "stitch_collections" || len(rows) != 2 || !f.Report.Agree() || !f.Report.Collects ||
		rows[0].Number != 6 {
		t.Fatalf("%+v %+v", f.Report, rows)
	}
	says(t, f, rows[1], map[source.Meaning]string{source.Reference: "KSF1023", source.FullName: "Botha, A",
		source.Account: "0020304050", source.Branch: "051001", source.Type: "Savings", source.Amount: "450.00",
		source.LastDebit: "2026-11-25"})
	f, rows = read(t, stitchDebiCheck)
	if !f.Report.OnlyJoins || !f.Report.Agree() || len(f.Report.Sums) != 4 || len(rows) != 2 {
		t.Fatalf("%+v", f.Report)
	}
	says(t, f, rows[0], map[source.Meaning]string{source.Reference: "KSF1022", source.Amount: "(no column)"})
	for _, one := range []struct{ name, old, with, want string }{
		{"a lost debit", "D,n1,KSF-C-1,649.0,2026-11-25,KSF1022,T Nkosi,62000001018,250655,Current\n", "",
			"rows: the file says 2, and its lines give 1"},
		{"another value", "450.00", "450.01", "sum: the file says R 1 099,00, and its lines give R 1 099,01"},
		{"no trailer", "T,2,1099.00\n", "", "cut short"},
		{"a trailer of words", "T,2,1099.00", "T,two,1099.00", "cannot be read"},
	} {
		f, _ := read(t, strings.Replace(stitchEFT, one.old, one.with, 1))
		if said := spaced(strings.Join(f.Report.Warnings, " ") + f.Report.SumWords()); !strings.Contains(said, one.want) {
			t.Errorf("%s: it says %q", one.name, said)
		}
	}
	_, rows = read(t, strings.Replace(stitchEFT, "450.00", `"R 450,00"`, 1))
	if codes(rows[1]) != source.Unfit {
		t.Errorf("a value with a comma: %+v", rows[1])
	}
	if code, _ := refused(t, "RECORD_TYPE,LINE,STATUS\nREPLY,6,SUCCESS\n"); code != "stitch_heading" {
		t.Errorf("an answer of Stitch: %q", code)
	}
}
