package billing

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

var today = calendar.On(2026, 11, 20)

func product(price int64, quantity, tax string) purchase.Product {
	return purchase.Product{Name: "x", PriceCents: price, Quantity: decimal.RequireFromString(quantity),
		TaxPercent: decimal.RequireFromString(tax)}
}

func cents(n int64) *int64 { return &n }

func TestVATFollowsTheTable(t *testing.T) {
	listed := product(100, "1", "15")
	listed.TotalOverrideCents = cents(230)
	for name, c := range map[string]struct {
		d     purchase.Details
		total int64
		lines []int64
	}{
		"in the price, half a cent up": {purchase.Details{Products: []purchase.Product{product(50, "1", "0")}}, 7,
			[]int64{7}}, // 6,52
		"just below half a cent": {purchase.Details{Products: []purchase.Product{product(3, "1", "0")}}, 0,
			[]int64{0}}, // 0,39
		"just above half a cent": {purchase.Details{Products: []purchase.Product{product(4, "1", "0")}}, 1,
			[]int64{1}}, // 0,52
		"exactly half a cent goes up": {purchase.Details{Products: []purchase.Product{product(115, "0.1", "0")}},
			2, []int64{2}}, // 12 cents: 1,57
		"a round price": {purchase.Details{Products: []purchase.Product{product(11500, "1", "0")}},
			1500, []int64{1500}},
		"nothing": {purchase.Details{Products: []purchase.Product{product(0, "1", "0")}}, 0,
			[]int64{0}},
		"the last line takes what rounding left": {
			purchase.Details{Products: []purchase.Product{product(4, "1", "0"), product(4, "1", "0"), product(4, "1", "0")}},
			2, []int64{1, 1, 0}}, // 12 cents: 1,57
		"what was brought forward is a line": {purchase.Details{Products: []purchase.Product{product(11500, "1", "0")},
			DebtCents: 2300}, 1800, []int64{1500, 300}},
		"so is a credit": {purchase.Details{Products: []purchase.Product{product(11500, "1", "0")},
			DebtCents: -2300}, 1200, []int64{1500, -300}},
		"a total set by hand": {purchase.Details{Products: []purchase.Product{product(11500, "1", "0")},
			TotalOverrideCents: cents(1150)}, 150, []int64{1500, -1350}},
		"tax_percent adds": {purchase.Details{Products: []purchase.Product{product(10000, "1", "15")}},
			1500, []int64{1500}},
		"beside a line without": {
			purchase.Details{Products: []purchase.Product{product(10000, "1", "15"), product(5000, "1", "0")}}, 1500,
			[]int64{1500, 0}},
		"and a balance without": {purchase.Details{Products: []purchase.Product{product(10000, "1", "15")},
			DebtCents: 1000}, 1500, []int64{1500, 0}},
		"a rate of its own": {purchase.Details{Products: []purchase.Product{product(10000, "1", "6")}},
			600, []int64{600}},
		"a line's total includes its tax": {purchase.Details{Products: []purchase.Product{listed}}, 30, []int64{30}},
		"half of it all bears half the tax": {purchase.Details{Products: []purchase.Product{product(10000, "1", "15")},
			TotalOverrideCents: cents(5750)}, 750, []int64{1500, -750}},
		"the merchant's own word": {purchase.Details{Products: []purchase.Product{product(10000, "1", "0")},
			TaxOverrideCents: cents(42)}, 42, nil},
	} {
		total, wrong := c.d.TotalCents()
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		got := VATOf(c.d, total, today)
		if got.TotalCents != c.total || !equal(got.LineCents, c.lines) {
			t.Errorf("%s: %d %v, want %d %v", name, got.TotalCents, got.LineCents, c.total, c.lines)
		}
	}
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestTheRateIsThatOfTheDay(t *testing.T) {
	for day, want := range map[calendar.Date]int64{calendar.On(2018, 3, 31): 14, calendar.On(2018, 4, 1): 15,
		calendar.On(2025, 4, 30): 15,
		calendar.On(2025, 5, 1):  15, calendar.On(2026, 11, 20): 15} {
		if got := VATPercent(day); !got.Equal(decimal.NewFromInt(want)) {
			t.Errorf("%s: %s", day, got)
		}
	}
}

func TestAnInvoiceAddsUpWhateverIsOnIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d purchase.Details
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			p := product(rapid.Int64Range(0, 5_000_000).Draw(t, "price"), "1", "0")
			p.Quantity = decimal.New(rapid.Int64Range(0, 99_999).Draw(t, "quantity"), -4)
			if rapid.Bool().Draw(t, "taxed") {
				p.TaxPercent = decimal.New(rapid.Int64Range(0, 10_000).Draw(t, "percent"), -2)
			}
			d.Products = append(d.Products, p)
		}
		d.DebtCents = rapid.Int64Range(0, 10_000).Draw(t, "debt")
		if rapid.Bool().Draw(t, "by hand") {
			d.TotalOverrideCents = cents(rapid.Int64Range(0, 10_000_000).Draw(t, "total"))
		}
		total, wrong := d.TotalCents()
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		var listed int64
		for _, l := range LinesOf(d, total) {
			listed += l.AmountCents
		}
		if listed != total {
			t.Fatalf("lines come to %d, the total is %d", listed, total)
		}
		s := VATOf(d, total, today)
		if len(s.LineCents) != len(LinesOf(d, total)) || sum(s.LineCents) != s.TotalCents {
			t.Fatalf("lines %v come to another VAT than %d", s.LineCents, s.TotalCents)
		}
		if s.TotalCents < 0 || s.TotalCents > total {
			t.Fatalf("VAT of %d in %d", s.TotalCents, total)
		}
		if !taxed(d) && (s.TotalCents*230 > 30*total+115 ||
			s.TotalCents*230 <= 30*total-115) { // |vat − total·15/115| ≤ ½, the half up
			t.Fatalf("VAT of %d in %d is not half up", s.TotalCents, total)
		}
	})
}

func TestALineStraysByTheRoundingAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d purchase.Details
		n := rapid.IntRange(1, 20).Draw(t, "lines")
		for range n {
			d.Products = append(d.Products, product(rapid.Int64Range(0, 100_000).Draw(t, "price"), "1", "0"))
		}
		total, _ := d.TotalCents()
		s := VATOf(d, total, today)
		last := VATIncluded(d.Products[n-1].PriceCents, decimal.NewFromInt(15))
		if off := s.LineCents[n-1] - last; off > int64(n/2+1) || off < -int64(n/2+1) {
			t.Fatalf("the last of %d lines is off by %d", n, off)
		}
	})
}
