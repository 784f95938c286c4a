package files_test

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
)

// few is the book of the example of the reference: an invoice and its collection.
func few() *journal.Book {
	b := aBook(1)
	invoiced, paid := calendar.On(2026, time.November, 1), calendar.On(2026, time.November, 25)
	b.Opening, b.Entries = nil, []journal.Entry{
		{N: 8700, Kind: journal.Invoiced, Day: invoiced, TrueDay: invoiced, Currency: "ZAR", BrandID: brand,
			Reference: "INV-2026-000201", Client: "KSF T Nkosi", Cents: cents(map[journal.Role]int64{journal.Debtors: 64900,
				journal.Revenue: -56435, journal.OutputVAT: -8465})},
		{N: 8801, Kind: journal.Collected, Day: paid, TrueDay: paid, Currency: "ZAR", BrandID: brand, Reference: "KSF-1022",
			Client: "=T Nkosi", Cents: cents(map[journal.Role]int64{journal.Debtors: -64900, journal.Transit: 64900})}}
	return b
}

func TestFilesHaveTheColumnsOfTheirPackages(t *testing.T) {
	for format, want := range map[string]string{
		"xero-journal": `*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2
Debitdesk 2026-11-01 inv-8700,01/11/2026,Invoice INV-2026-000201 [inv-8700/AR],8100000,No VAT,649.00,,,,
Debitdesk 2026-11-01 inv-8700,01/11/2026,Invoice INV-2026-000201 [inv-8700/REV],1000000,No VAT,-564.35,,,,
Debitdesk 2026-11-01 inv-8700,01/11/2026,Invoice INV-2026-000201 [inv-8700/VATO],9500000,No VAT,-84.65,,,,
Debitdesk 2026-11-25 led-8801,25/11/2026,Collected KSF-1022 [led-8801/AR],8100000,No VAT,-649.00,,,,
Debitdesk 2026-11-25 led-8801,25/11/2026,Collected KSF-1022 [led-8801/CLR],8450000,No VAT,649.00,,,,
`,
		"quickbooks": `*JournalNo,*JournalDate,*AccountName,*Debits,*Credits,Description,Name,Currency,Location,Class
INV-8700,01/11/2026,Debtors,649.00,,Invoice INV-2026-000201 inv-8700/AR,KSF T Nkosi,ZAR,,
INV-8700,01/11/2026,Sales,,564.35,Invoice INV-2026-000201 inv-8700/REV,,ZAR,,
INV-8700,01/11/2026,Output VAT,,84.65,Invoice INV-2026-000201 inv-8700/VATO,,ZAR,,
LED-8801,25/11/2026,Debtors,,649.00,Collected KSF-1022 led-8801/AR,T Nkosi,ZAR,,
LED-8801,25/11/2026,Collections in transit,649.00,,Collected KSF-1022 led-8801/CLR,,ZAR,,
`,
		"pastel": `9,01/11/2026,G,8100000,I8700,INVOICE INV-2026-000201,649.00,0,0,A,,0000000,1,1,1,0,0,649.00
9,01/11/2026,G,1000000,I8700,INVOICE INV-2026-000201,-564.35,0,0,A,,0000000,1,1,1,0,0,-564.35
9,01/11/2026,G,9500000,I8700,INVOICE INV-2026-000201,-84.65,0,0,A,,0000000,1,1,1,0,0,-84.65
9,25/11/2026,G,8100000,L8801,COLLECTED KSF-1022,-649.00,0,0,A,,0000000,1,1,1,0,0,-649.00
9,25/11/2026,G,8450000,L8801,COLLECTED KSF-1022,649.00,0,0,A,,0000000,1,1,1,0,0,649.00
`} {
		if got := strings.ReplaceAll(written(t, format, few()), "\r\n", "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
		}
	}
}

func TestAFormatSaysWhatItsPackageRefuses(t *testing.T) {
	many := aBook(1)
	for len(many.Entries) < 200 {
		many.Entries = append(many.Entries, many.Entries...)
	}
	long := few()
	long.Accounts = journal.Accounts{}
	long.Accounts.Set(journal.Transit, journal.EveryBrand, journal.Account{Code: "820", Name: "Transit"})
	for _, c := range []struct {
		format, field, says string
		book                *journal.Book
	}{
		{"xero-journal", "to", "Xero takes 300 lines in a file", many},
		{"pastel", "accounts", "Collections in transit is 820", long},
	} {
		f, err := files.Of(c.format)
		must(t, err)
		wrong := f.Check(c.book)
		if len(wrong) != 1 || wrong[0].Path != c.field || !strings.Contains(wrong[0].Message, c.says) {
			t.Errorf("%s: %v, want %s", c.format, wrong, c.says)
		}
	}
	if _, err := files.Of("excel"); err == nil {
		t.Error("a format that there is not was found")
	}
}

func TestNoTextOfATableIsAFormula(t *testing.T) {
	for _, format := range []string{"csv", "quickbooks", "pastel"} {
		rows, err := csv.NewReader(strings.NewReader(written(t, format, aBook(2)))).ReadAll()
		must(t, err)
		number := regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)
		for _, row := range rows {
			for _, cell := range row {
				if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") && !number.MatchString(cell) {
					t.Fatalf("%s: %q", format, cell)
				}
			}
		}
	}
}

// The file is read by a reader of its own, which knows SGML as OFX 1.02 has it: elements with values are not closed.
func TestTheStatementOfTransitAddsUpForAnOFXReader(t *testing.T) {
	b := aBook(3)
	text := written(t, "ofx", b)
	head, body, found := strings.Cut(text, "\n\n")
	if !found || !strings.HasPrefix(head, "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102") {
		t.Fatalf("the head is %q", head)
	}
	var open []string
	var sum int64
	ids, value := map[string]bool{}, map[string]string{}
	for _, m := range regexp.MustCompile(`<(/?)([A-Z0-9]+)>([^<]*)`).FindAllStringSubmatch(body, -1) {
		closing, name, text := m[1] == "/", m[2], strings.TrimSpace(m[3])
		switch {
		case closing:
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		case text == "":
			open = append(open, name)
		default:
			value[name] = text
		}
		switch name {
		case "TRNAMT":
			sum += inCents(t, text)
		case "FITID":
			if ids[text] {
				t.Errorf("%s is there twice", text)
			}
			ids[text] = true
		case "NAME":
			if len(text) > 40 || strings.ContainsFunc(text, func(r rune) bool { return r > 126 }) {
				t.Errorf("the name is %q", text)
			}
		}
	}
	opening := int64(64900)
	if len(open) != 0 || value["CURDEF"] != "ZAR" || inCents(t, value["BALAMT"]) != opening+sum ||
		b.Closing().Of(journal.Transit) != opening+sum {
		t.Errorf("open %v, %v, the movements come to %d", open, value, sum)
	}
	moved := 0
	for _, e := range b.Entries {
		if e.Cents.Of(journal.Transit) != 0 {
			moved++
		}
	}
	if len(ids) != moved {
		t.Errorf("%d movements, want %d", len(ids), moved)
	}
}

func inCents(t *testing.T, text string) int64 {
	t.Helper()
	digits := strings.ReplaceAll(text, ".", "")
	var n int64
	for _, d := range strings.TrimPrefix(digits, "-") {
		n = n*10 + int64(d-'0')
	}
	if strings.HasPrefix(text, "-") {
		return -n
	}
	return n
}

func TestAPayoutHasItsSidesInEveryFile(t *testing.T) {
	on := calendar.On(2026, time.November, 30)
	b := aBook(1)
	b.Opening, b.Entries = nil, []journal.Entry{{N: 8815, Kind: journal.PaidOut, Day: on, TrueDay: on, Currency: "ZAR",
		Reference: "PO-77", Cents: cents(map[journal.Role]int64{journal.Bank: 60000, journal.Fees: 600,
			journal.InputVAT: 90, journal.HeldBack: 4210, journal.Transit: -64900})}}
	for format, want := range map[string]string{
		"xero-journal": "Payout PO-77 [rec-8815/RET],8460000,No VAT,42.10",
		"quickbooks":   "REC-8815,30/11/2026,Input VAT,0.90,,Payout PO-77 rec-8815/VATI,,ZAR",
		"pastel":       "G,3200000,F8815,PAYOUT PO-77,6.00",
		"ofx":          "<TRNTYPE>DEBIT<DTPOSTED>20261130<TRNAMT>-649.00<FITID>rec-8815<NAME>PO-77<MEMO>Payout PO-77",
		"csv":          "rec-8815/BANK,2026-11-30,2026-11-30,payout,PO-77,Payout PO-77,BANK,8400000,Bank,600.00,,ZAR",
		"ledger":       "Assets:Held back by the provider  R 42.10",
		"beancount":    "Expenses:Collection-Fees  6.00 ZAR",
	} {
		if got := written(t, format, b); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", format, want, got)
		}
	}
}

// Pastel knows an entry by a letter and a number, so that every kind has a letter.
func TestEveryKindHasALetterInPastel(t *testing.T) {
	on := calendar.On(2026, time.November, 30)
	for _, kind := range journal.Kinds {
		b := aBook(1)
		b.Opening, b.Entries = nil, []journal.Entry{{N: 8815, Kind: kind, Day: on, TrueDay: on, Currency: "ZAR",
			Reference: "KSF-1", Cents: cents(map[journal.Role]int64{journal.Bank: 100, journal.Transit: -100})}}
		if got := written(t, "pastel", b); !regexp.MustCompile(`,[A-Z]8815,`).MatchString(got) {
			t.Errorf("%s has a reference without a letter:\n%s", kind, got)
		}
	}
}
