package files_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/journal/files"
	"debitdesk/models/journal/files/filestest"
)

var brand = uuid.MustParse("01930000-0000-7000-8000-000000000001")

// cents puts amounts at the places of their roles.
func cents(of map[journal.Role]int64) (c journal.Cents) {
	for i, r := range journal.Roles {
		c[i] = of[r]
	}
	return c
}

// aBook is a book of ten weeks with everything that is posted, and with names that no format likes.
func aBook(seed uint64) *journal.Book {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // chooses what is written
	b := &journal.Book{Ask: journal.Ask{From: calendar.On(2026, time.October, 5), To: calendar.On(2026, time.December, 12),
		Currency: "ZAR"}, Mapping: journal.Mapping{Settings: journal.Settings{YearStarts: 3, TaxRate: "No VAT"},
		Accounts: journal.Accounts{}}}
	b.Opening = []journal.Entry{
		{Cents: cents(map[journal.Role]int64{journal.Debtors: 11500, journal.Revenue: -10000, journal.OutputVAT: -1500})},
		{BrandID: brand, Cents: cents(map[journal.Role]int64{journal.Transit: 64900, journal.Debtors: -64900})}}
	day := b.From
	for n := int64(8801); day.Before(b.To); n++ {
		if r.IntN(3) == 0 {
			day = day.AddDays(1)
		}
		e := journal.Entry{N: n, Day: day, TrueDay: day, Currency: "ZAR", BrandID: brand,
			Reference: fmt.Sprintf("KSF-%d", r.IntN(2000)), Client: "=T. Nkosi & Søn; \"Ltd\" | (x)"}
		amount := 1 + r.Int64N(1_000_000)
		switch r.IntN(5) {
		case 0:
			vat := (amount*15 + 57) / 115
			e.Kind, e.Cents = journal.Invoiced, cents(map[journal.Role]int64{journal.Debtors: amount,
				journal.Revenue: vat - amount, journal.OutputVAT: -vat})
		case 1:
			e.Kind, e.Cents = journal.Collected, cents(map[journal.Role]int64{journal.Transit: amount, journal.Debtors: -amount})
		case 2:
			e.Kind, e.Code, e.TrueDay = journal.Returned, "02", calendar.On(2026, time.September, 30)
			e.Cents = cents(map[journal.Role]int64{journal.Transit: -amount, journal.Debtors: amount})
		case 3:
			e.Kind, e.Cents = journal.Collected, cents(map[journal.Role]int64{journal.Transit: amount,
				journal.Unallocated: -amount})
		case 4:
			e.Kind, e.Cents = journal.Refunded, cents(map[journal.Role]int64{journal.RefundsDue: amount,
				journal.Transit: -amount})
		}
		b.Entries = append(b.Entries, e)
	}
	return b
}

func written(t *testing.T, format string, b *journal.Book) string {
	t.Helper()
	f, err := files.Of(format)
	must(t, err)
	if wrong := f.Check(b); len(wrong) > 0 {
		t.Fatalf("%s refuses: %v", format, wrong)
	}
	var out, again bytes.Buffer
	must(t, f.Write(&out, b))
	must(t, f.Write(&again, b))
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("%s: a second export has other bytes", format)
	}
	return out.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestProgramsOfPlainTextAccountingTakeTheBooksAndRefuseAChangedCent(t *testing.T) {
	t.Parallel()
	for _, format := range filestest.Formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				b := aBook(seed)
				judge := func(text string) error { return filestest.Own(text) }
				if filestest.Has(t, format) {
					judge = func(text string) error { return filestest.Check(t, format, text) }
				}
				must(t, filestest.Own(written(t, format, b)))
				must(t, judge(written(t, format, b)))
				i := int(seed) * len(b.Entries) / 3
				for _, role := range []int{0, 1} { // one side of an entry; and both, which the balances find
					changed := *b
					changed.Entries = append([]journal.Entry{}, b.Entries...)
					changed.Entries[i].Cents[0]++
					changed.Entries[i].Cents[3] -= int64(role)
					if judge(sums(written(t, format, b), written(t, format, &changed))) == nil {
						t.Errorf("seed %d: a changed cent was taken", seed)
					}
				}
			}
		})
	}
}

// sums is the changed text with the balances of the text as it was.
func sums(was, changed string) string {
	old, lines := strings.Split(was, "\n"), strings.Split(changed, "\n")
	asserts := func(l string) bool { return strings.Contains(l, " 0.00 = ") || strings.Contains(l, " balance ") }
	var kept []string
	for _, l := range old {
		if asserts(l) {
			kept = append(kept, l)
		}
	}
	for i, l := range lines {
		if asserts(l) {
			lines[i], kept = kept[0], kept[1:]
		}
	}
	return strings.Join(lines, "\n")
}

func TestProgramsComeToOurSumsByMonthAndAccount(t *testing.T) {
	t.Parallel()
	b := aBook(7)
	want := map[string]int64{}
	for i, r := range journal.Roles {
		leaf := strings.ToLower(strings.ReplaceAll(b.Accounts.Of(r, brand).Name, " ", ""))
		for _, e := range b.Opening {
			want[journal.MonthOf(b.From).String()+" "+leaf] += e.Cents[i]
		}
		for _, e := range b.Entries {
			want[journal.MonthOf(e.Day).String()+" "+leaf] += e.Cents[i]
		}
	}
	ours := filestest.Sums{}
	for key, cents := range want {
		if cents != 0 {
			ours[key] = decimal.New(cents, -2).StringFixed(2)
		}
	}
	for _, format := range filestest.Formats {
		if !filestest.Has(t, format) {
			continue
		}
		if got := filestest.MonthsOf(t, format, written(t, format, b)); !maps.Equal(got, ours) {
			t.Errorf("%s: %v, want %v", format, got, ours)
		}
	}
	b.Opening = nil
	const at = "2026-11 debtors"
	if csv := filestest.MonthsOfCSV(t, written(t, "csv", b)); len(csv) == 0 || csv[at] != ours[at] {
		t.Errorf("the CSV has %v", csv)
	}
}
