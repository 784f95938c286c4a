package source_test

import (
	"encoding/json"
	"fmt"
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
	for name, text := range map[string]string{"no K line": tabbed(netcashHead, netcashEntries[0]), "only H": tabbed(netcashHead),
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
		{"another sum", netcashKeys, line, "F→1→64901→9999", "", "sum of 161: the file says R 649,01, and its lines give R 649,00"},
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
	for text, want := range map[string]string{"FILE NOT READY": "netcash_not_ready", "###BEGIN→20261124\n###END": "empty_file",
		"###ERROR: 100": "netcash_error"} {
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

// tape is the example of a tape; records are filled to 180 characters.
func tape() []string {
	entry := func(kind, sequence, branch, account, kindOf, cents, class, reference, name string) string {
		return kind + "25065562000009999KS01" + sequence + branch + account + kindOf + cents + "261125" + class +
			fmt.Sprintf("%-30s%-30s", reference, name) + strings.Repeat("0", 20) + strings.Repeat(" ", 16) + "21"
	}
	lines := []string{"02000100000042KS010021261122261125004218000180TWO DAY",
		"04KS012611222611252611252611250000010042TWO DAY",
		entry("50", "000001", "250655", "62000001018", "1", "00000064900", "440   ", "KLOOFST   KSF1022       261125",
			"T NKOSI"),
		entry("50", "000002", "051001", "00020304050", "2", "00000045000", "440   ", "KLOOFST   KSF1023       261125",
			"A BOTHA"),
		entry("50", "000003", "470010", "01400000101", "2", "00000029995", "440   ", "KLOOFST   KSF1024       261125",
			"P SITHOLE"),
		entry("52", "000004", "250655", "62000009999", "1", "00000139895", "100000", "KLOOFST   CONTRA261125", "KLOOF"),
		"92KS01000001000004261125261125000003000001000001000000139895000000139895125420315168",
		"94000100000042KS010021261122261125004218000180TWO DAY   000001000004000004"}
	for n, l := range lines {
		lines[n] = fmt.Sprintf("%-180s", l)
	}
	return lines
}

func TestTapesAreRead(t *testing.T) {
	t.Parallel()
	framed := []string{fmt.Sprintf("%-198s", "000T")}
	for _, l := range tape() {
		framed = append(framed, fmt.Sprintf("%-198s", "001T"+l))
	}
	framed = append(framed, fmt.Sprintf("%-198s", "999T"))
	for name, text := range map[string]string{"CR LF": strings.Join(tape(), "\r\n") + "\r\n",
		"LF": strings.Join(tape(), "\n"), "CR": strings.Join(tape(), "\r"), "a transmission": strings.Join(framed, "\r\n")} {
		f, rows := read(t, text)
		if f.Report.Layout != "acb_180" || len(rows) != 4 || f.Report.Rows != 3 || !f.Report.Agree() ||
			len(f.Report.Sums) != 6 {
			t.Fatalf("%s: %d rows, %+v", name, len(rows), f.Report)
		}
		says(t, f, rows[0], map[source.Meaning]string{source.Reference: "KSF1022", source.FullName: "T NKOSI",
			source.Branch: "250655", source.Account: "62000001018", source.Type: "Current", source.Amount: "649.00",
			source.LastDebit: "2026-11-25"})
		if codes(rows[3]) != source.Aside || rows[0].Number != map[bool]int{true: 4, false: 3}[name == "a transmission"] {
			t.Errorf("%s: %+v", name, rows)
		}
		if warned := len(f.Report.Warnings) > 0; warned != (name == "a transmission") {
			t.Errorf("%s: it warns of %v", name, f.Report.Warnings)
		}
	}
}

func TestFaultsOfTapes(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name      string
		line      int
		old, with string
		want      string // that the report says, or the code of the row
	}{
		{"another account", 2, "62000001018", "62000001019", "hash"},
		{"another amount", 2, "00000064900", "00000064901", "sum of debits"},
		{"another count", 6, "261125000003", "261125000004", "debits: the file says 4"},
		{"an amount of letters", 2, "00000064900", "0000006490O", source.Unfit},
		{"a day that is none", 2, "261125440", "261325440", source.Unfit},
		{"a type that is unknown", 2, "620000010181", "620000010189", ""},
	} {
		lines := tape()
		lines[one.line] = strings.Replace(lines[one.line], one.old, one.with, 1)
		f, rows := read(t, strings.Join(lines, "\r\n"))
		if said := f.Report.SumWords() + codes(rows[0]); !strings.Contains(said, one.want) {
			t.Errorf("%s: it says %q", one.name, said)
		}
	}
	long := tape()
	long[2] = strings.Replace(strings.Replace(long[2], "62000001018", "00000000000", 1), strings.Repeat("0", 20),
		"00000000"+"123456789012", 1)
	if f, rows := read(t, strings.Join(long, "\n")); at(f, rows[0], source.Account) != "123456789012" {
		t.Errorf("a long account is %q", at(f, rows[0], source.Account))
	}
	short := append(tape()[:5], tape()[5])
	if f, _ := read(t, strings.Join(short, "\n")); !strings.Contains(strings.Join(f.Report.Warnings, ""), "cut short") {
		t.Errorf("a tape without its end: %v", f.Report.Warnings)
	}
	draft := tape()
	draft[2] = strings.Replace(draft[2], "261125440", "000000440", 1)
	if f, rows := read(t, strings.Join(draft, "\n")); at(f, rows[0], source.LastDebit) != "" || codes(rows[0]) != "" {
		t.Errorf("a draft has a day: %+v", rows[0])
	}
	if code, _ := refused(t, strings.Join(append(tape()[:2], tape()[5:]...), "\n")); code != "empty_file" {
		t.Errorf("a tape without debits: %q", code)
	}
}

func fnb(first, date, account string, rows ...string) string {
	return strings.Join(append([]string{first + ",,,,,,", date + ",,,,,,", account + ",,,,,,",
		"RECIPIENT NAME,RECIPIENT ACCOUNT,RECIPIENT ACCOUNT TYPE,BRANCHCODE,AMOUNT,OWN REFERENCE,RECIPIENT REFERENCE"},
		rows...), "\n") + "\n"
}

const fnbRow = "T NKOSI,62000001018,1,250655,649.00,KLOOFST   KSF1022       261125,KLOOFST   KSF1022       261125"

func TestFNBFilesAreReadBelowTheirPreamble(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"BInSol - U ver 1.00", "BINSOL – U VER 1.00", "binsol-u ver 1.00"} {
		f, rows := read(t, fnb(first, "25-11-2026", "62000009999", fnbRow))
		if f.Report.Layout != "fnb_binsol" || len(rows) != 1 || rows[0].Number != 5 {
			t.Fatalf("%s: %+v %+v", first, f.Report, rows)
		}
		says(t, f, rows[0], map[source.Meaning]string{source.Reference: "KSF1022", source.FullName: "T NKOSI",
			source.Account: "62000001018", source.Type: "1", source.Branch: "250655", source.Amount: "649.00",
			source.LastDebit: "25-11-2026"})
		if said := all(f, rows); strings.Contains(said, "62000009999") || !strings.Contains(said, "9999") {
			t.Errorf("%s: the account above the heading: %s", first, said)
		}
	}
	f, _ := read(t, fnb("BInSol - U ver 1.00", "2026-11-25", "1.23E+11", fnbRow))
	if !strings.Contains(strings.Join(f.Report.Warnings, ""), "scientific") {
		t.Errorf("%+v", f.Report)
	}
	f, rows := read(t, "BInSol - U ver 1.00\n25/11/2026\n62000009999\nPAYEE NAME,TO ACCOUNT,TO ACCOUNT TYPE,BRANCHCODE,"+
		"AMOUNT,MY REFERENCE,THEIR REFERENCE,EMAIL 1\nT NKOSI,62000001018,1,250655,649.00,x,KSF1022,t@example.com\n"+
		"Total,,,,649.00,,,\n")
	says(t, f, rows[0], map[source.Meaning]string{source.Reference: "KSF1022", source.FullName: "T NKOSI",
		source.Email: "t@example.com"})
	if len(rows) != 2 || codes(rows[1]) != source.Aside {
		t.Errorf("a line of totals: %+v", rows)
	}
	if code, _ := refused(t, "BInSol - U ver 1.00\n25/11/2026\n62000009999\nNAME,SUM\na,1\n"); code != "fnb_heading" {
		t.Errorf("no heading: %q", code)
	}
}

func TestAccountingPackagesAreNamedExactly(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		layout, name, text string
		want               map[source.Meaning]string
	}{
		{"xero_contacts", "Xero contacts", "*ContactName,AccountNumber,EmailAddress,FirstName,LastName,POAddressLine1,POCity," +
			"POPostalCode,PhoneNumber,MobileNumber,BankAccountName,BankAccountNumber,TaxNumber\n" +
			"Thandi Nkosi,KSF1022,t@example.com,Thandi,Nkosi,1 Kloof St,Cape Town,8001,021 555 1234,082 123 4567,T NKOSI," +
			"250655-6200-0001018,\n",
			map[source.Meaning]string{source.FullName: "Thandi Nkosi", source.Reference: "KSF1022", source.Phone: "082 123 4567",
				source.Account: "62000001018", source.Branch: "250655", source.Holder: "T NKOSI", source.City: "Cape Town"}},
		{"xero_contacts", "Xero contacts", "ContactName,AccountNumber,EmailAddress,BankAccountName,BankAccountNumber\n" +
			"Anna Botha,KSF1023,a@example.com,A BOTHA,0020-304-050\n",
			map[source.Meaning]string{source.Account: "0020304050", source.Branch: ""}},
		{"quickbooks_customers", "QuickBooks customers", "Name,Company,Email,Phone,Mobile,Website,Street,City,State,ZIP," +
			"Country,Opening Balance,Opening Balance Date\nThandi Nkosi,,t@example.com,021 555 1234,082 123 4567,,1 Kloof St," +
			"Cape Town,WC,8001,ZA,649.00,25/11/2026\n",
			map[source.Meaning]string{source.FullName: "Thandi Nkosi", source.Email: "t@example.com",
				source.Phone: "082 123 4567", source.PostCode: "8001", source.Amount: "(no column)"}},
		{"sage_accounting_uk", "Sage Accounting (UK, Ireland, Canada) customers", "Reference,Company Name,Currency," +
			"Credit Limit,Main Address Line 1,Main Contact Name,Phone,Mobile,Email,VAT Number,Ledger Account\n" +
			"NKOSI01,Thandi Nkosi,ZAR,0,1 Kloof St,Thandi,021 555 1234,082 123 4567,t@example.com,,4000\n",
			map[source.Meaning]string{source.Reference: "NKOSI01", source.FullName: "Thandi Nkosi",
				source.Phone: "082 123 4567", source.Street: "1 Kloof St"}},
		{"sage_business_cloud_za", "Sage Business Cloud Accounting South Africa (once Sage One) customers", "Name,Category," +
			"Tax Reference,Contact Name,Telephone,Mobile,Email,Postal Address 01,Postal Address 02,Balance\n" +
			"Thandi Nkosi,Gym,,Thandi,021 555 1234,082 123 4567,t@example.com,1 Kloof St,Cape Town,649.00\n",
			map[source.Meaning]string{source.FullName: "Thandi Nkosi", source.Phone: "082 123 4567",
				source.Street: "1 Kloof St", source.Amount: "(no column)"}},
	} {
		f, rows := read(t, one.text)
		if f.Report.Layout != one.layout || f.Report.Name != one.name || f.Report.Rows != 1 || len(f.Report.Limits) == 0 {
			t.Errorf("%s: %+v", one.layout, f.Report)
			continue
		}
		says(t, f, rows[0], one.want)
	}
	f, _ := read(t, "Member No;Name;Acc No;Bank\nKSF1;Thandi;62000001018;FNB\n")
	if f.Report.Known() {
		t.Errorf("a table of a gym is %s", f.Report.Layout)
	}
}
