package files_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/purchase"
)

func n(i int64) *int64 { return &i }

// document is an invoice of November with one line, at the standard rate.
func document(number string, total, vat int64) journal.Document {
	on := calendar.On(2026, time.November, 1)
	return journal.Document{
		Entry: journal.Entry{Kind: journal.Invoiced, Day: on, TrueDay: on, Currency: "ZAR", BrandID: brand},
		Paper: billing.Paper{Percent: decimal.NewFromInt(15),
			Purchase: purchase.Purchase{ReferenceGenerated: "KSF-1022", Due: calendar.On(2026, time.November, 25).At(9, 0)},
			Invoice: billing.Invoice{Kind: billing.Invoiced, Number: number, TotalCents: total, VATCents: n(vat),
				Currency: "ZAR",
				Particulars: billing.Particulars{Recipient: billing.Party{Name: "=T Nkosi", Email: "t.nkosi@example.com",
					Street: "1 Kloof Street", City: "Cape Town", ZipCode: "8001", Country: "ZA"}}},
			Lines: []billing.Line{{Text: "Membership November", Quantity: decimal.NewFromInt(1), UnitCents: total,
				AmountCents: total, VATCents: n(vat)}}}}
}

func invoices(all ...journal.Document) *journal.Book {
	b := few()
	b.Settings = journal.Settings{TaxRate: "No VAT", SalesTax: "Standard Rate Sales"}
	b.Documents = all
	return b
}

func TestInvoicesHaveTheColumnsOfXerosTemplate(t *testing.T) {
	one := document("INV-2026-000201", 64900, 8465)
	note := document("CN-2026-000007", 29995, 3912)
	note.Entry.Kind, note.Paper.Kind, note.Paper.Cancels = journal.Credited, billing.Credited, "INV-2026-000199"
	note.Entry.TrueDay = calendar.On(2026, time.October, 31)
	lines := document("INV-2026-000202", 50000, 1304)
	lines.Paper.Lines = []billing.Line{
		{Text: "Towels", Quantity: decimal.NewFromInt(4), UnitCents: 2500, AmountCents: 10000, VATCents: n(1304)},
		{Text: "Lessons", Quantity: decimal.NewFromInt(3), UnitCents: 15000, DiscountCents: 5000, AmountCents: 40000,
			VATCents: n(0)}}
	want := `*ContactName,EmailAddress,POAddressLine1,POAddressLine2,POAddressLine3,POAddressLine4,POCity,PORegion,` +
		`POPostalCode,POCountry,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,InventoryItemCode,*Description,*Quantity,` +
		`*UnitAmount,Discount,*AccountCode,*TaxType,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2,Currency,` +
		`BrandingTheme
`
	for _, row := range []string{
		"INV-2026-000201,KSF-1022,01/11/2026,25/11/2026,,Membership November,1,649.00,,1000000,Standard Rate Sales",
		`CN-2026-000007,"INV-2026-000199, issued 2026-10-31",01/11/2026,01/11/2026,,Membership November,1,-299.95,,1000000,` +
			`Standard Rate Sales`,
		"INV-2026-000202,KSF-1022,01/11/2026,25/11/2026,,Towels,4,25.00,,1000000,Standard Rate Sales",
		`INV-2026-000202,KSF-1022,01/11/2026,25/11/2026,,"Lessons (3 × 150.00, discount 50.00)",1,400.00,,1000000,No VAT`,
	} {
		want += "T Nkosi (t.nkosi@example.com),t.nkosi@example.com,1 Kloof Street,,,,Cape Town,,8001,ZA," + row +
			",,,,,ZAR,\n"
	}
	if got := strings.ReplaceAll(written(t, "xero-invoices", invoices(one, note, lines)), "\r\n", "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestInvoicesThatXeroWouldMistakeAreNamed(t *testing.T) {
	nameless := document("INV-1", 100, 13)
	nameless.Paper.Recipient = billing.Party{}
	other := document("INV-3", 10000, 500)
	other.Paper.Lines[0].VATCents = nil
	f, err := files.Of("xero-invoices")
	must(t, err)
	for what, c := range map[string]struct {
		of   []journal.Document
		says string
	}{
		"no name":      {[]journal.Document{nameless}, "1 document has none, such as INV-1"},
		"same numbers": {[]journal.Document{document("INV-2", 1, 0), document("INV-2", 2, 0)}, "such as INV-2"},
		"other VAT":    {[]journal.Document{other}, "1 document has other VAT, such as INV-3"},
	} {
		wrong := f.Check(invoices(c.of...))
		if len(wrong) != 1 || !strings.Contains(wrong[0].Message, c.says) {
			t.Errorf("%s: %v, want %q", what, wrong, c.says)
		}
	}
}

func TestFiveHundredInvoicesAreOneFileAndMoreAreSeveral(t *testing.T) {
	f, err := files.Of("xero-invoices")
	must(t, err)
	var all []journal.Document
	for i := range 1001 {
		all = append(all, document(fmt.Sprintf("INV-%d", i), 100, 13))
	}
	var one bytes.Buffer
	name, _, err := f.Pack(&one, invoices(all[:500]...))
	must(t, err)
	if rows := bytes.Count(one.Bytes(), []byte("\r\n")); !strings.HasSuffix(name, ".csv") || rows != 501 {
		t.Errorf("%s has %d rows", name, rows)
	}
	var packed bytes.Buffer
	name, _, err = f.Pack(&packed, invoices(all...))
	must(t, err)
	if !strings.HasSuffix(name, ".zip") {
		t.Errorf("several files are in %s", name)
	}
	z, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	must(t, err)
	var got []string
	numbers := map[string]bool{}
	for _, file := range z.File {
		in, err := file.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		must(t, err)
		got = append(got, fmt.Sprintf("%s %d", file.Name, len(rows)-1))
		for _, row := range rows[1:] {
			numbers[row[10]] = true
		}
	}
	base := strings.TrimSuffix(name, ".zip")
	if want := fmt.Sprintf("[%[1]s-1.csv 500 %[1]s-2.csv 500 %[1]s-3.csv 1]", base); fmt.Sprint(got) != want ||
		len(numbers) != 1001 {
		t.Errorf("%v with %d invoices, want %s", got, len(numbers), want)
	}
}
