package files_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
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
		of    []journal.Document
		again journal.Repeats
		says  string
	}{
		"no name":      {[]journal.Document{nameless, nameless}, journal.Repeats{}, "2 documents have none, such as INV-1"},
		"same numbers": {nil, journal.Repeats{N: 1, First: "INV-2"}, "1 document has a number that was taken, such as INV-2"},
		"other VAT":    {[]journal.Document{other}, journal.Repeats{}, "1 document has other VAT, such as INV-3"},
	} {
		read := &journal.Documents{Total: int64(len(c.of)), Book: journal.Book{Repeats: c.again}}
		sheets := f.SheetsOf(read, func(name string) (io.Writer, error) {
			t.Errorf("%s: %s is written", what, name)
			return io.Discard, nil
		})
		for _, d := range c.of { // what is wrong with all is said at once
			must(t, sheets.Add(invoices(d)))
		}
		must(t, sheets.Close(read))
		if err := sheets.Err(); err == nil || !strings.Contains(fieldsOf(err), c.says) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
	}
}

func fieldsOf(err error) (said string) {
	if f, known := fault.From(err); known {
		for _, field := range f.Fields {
			said += field.Message + "\n"
		}
	}
	return said
}

func TestFiveHundredInvoicesAreOneFileAndMoreAreSeveral(t *testing.T) {
	f, err := files.Of("xero-invoices")
	must(t, err)
	var all []journal.Document
	for i := range 1001 {
		all = append(all, document(fmt.Sprintf("INV-%d", i), 100, 13))
	}
	var names []string
	var written []*bytes.Buffer
	numbers := map[string]bool{}
	write := func(all []journal.Document) (rows []int) {
		names, written = nil, nil
		read := &journal.Documents{Total: int64(len(all)), Book: *invoices()}
		sheets := f.SheetsOf(read, func(name string) (io.Writer, error) {
			names, written = append(names, name), append(written, &bytes.Buffer{})
			return written[len(written)-1], nil
		})
		for some := range slices.Chunk(all, f.MostDocuments()) {
			must(t, sheets.Add(invoices(some...)))
		}
		must(t, sheets.Close(read))
		must(t, sheets.Err())
		for _, file := range written {
			table, err := csv.NewReader(file).ReadAll()
			must(t, err)
			for _, row := range table[1:] {
				numbers[row[10]] = true
			}
			rows = append(rows, len(table)-1)
		}
		return rows
	}
	if rows := write(all[:500]); fmt.Sprint(rows) != "[500]" || strings.HasSuffix(names[0], "-1.csv") {
		t.Errorf("%v in %v", rows, names)
	}
	if rows := write(nil); fmt.Sprint(rows) != "[0]" {
		t.Errorf("of nothing: %v in %v", rows, names)
	}
	rows := write(all)
	base := strings.TrimSuffix(f.FileName(invoices().Ask), ".csv")
	if want := fmt.Sprintf("[%[1]s-1.csv %[1]s-2.csv %[1]s-3.csv]", base); fmt.Sprint(rows) != "[500 500 1]" ||
		fmt.Sprint(names) != want || len(numbers) != 1001 {
		t.Errorf("%v in %v with %d invoices, want %s", rows, names, len(numbers), want)
	}
}
