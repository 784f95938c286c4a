package source_test

import (
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/book/source"
)

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
		{"xero_contacts", "Xero contacts", "*ContactName,AccountNumber,EmailAddress,FirstName," +
			"LastName,POAddressLine1,POCity," +
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
