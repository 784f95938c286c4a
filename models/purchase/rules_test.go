package purchase

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

func line(price int64, quantity, tax string, discount int64) Product {
	return Product{Name: "x", PriceCents: price, Quantity: decimal.RequireFromString(quantity),
		TaxPercent: decimal.RequireFromString(tax), DiscountCents: discount}
}

func TestTotals_follow_the_check_table(t *testing.T) {
	over := int64(777)
	for name, c := range map[string]struct {
		d    Details
		want int64
	}{
		"tax on top": {Details{Products: []Product{line(10000, "1", "6", 0)}}, 10600},
		"one rounding per line": {Details{Products: []Product{line(100, "1.555", "0", 0), line(100, "1.555", "0", 0)}},
			312},
		"discount is of the line": {Details{Products: []Product{line(100, "3", "0", 1)}}, 299},
		"half up after tax":       {Details{Products: []Product{line(150, "1", "6", 1)}}, 158},
		"debt is added":           {Details{Products: []Product{line(100, "1", "0", 0)}, DebtCents: -40}, 60},
		"total override replaces": {Details{Products: []Product{line(100, "1", "0", 0)}, TotalOverrideCents: &over,
			DebtCents: 5}, 777},
		"line override replaces": {Details{Products: []Product{{Name: "x", PriceCents: 5, Quantity: decimal.NewFromInt(1),
			TotalOverrideCents: &over}}}, 777},
		"display overrides do not": {Details{Products: []Product{line(100, "1", "0", 0)}, SubtotalOverrideCents: &over}, 100},
	} {
		if got, wrong := c.d.TotalCents(); got != c.want || len(wrong) > 0 {
			t.Errorf("%s: %d, want %d (%v)", name, got, c.want, wrong)
		}
	}
}

func TestA_discount_above_the_line_is_refused_before_an_override(t *testing.T) {
	over := int64(5)
	p := line(100, "1", "0", 101)
	p.TotalOverrideCents = &over
	_, wrong := Details{Products: []Product{line(1, "1", "0", 0), p}}.TotalCents()
	if len(wrong) != 1 || wrong[0].Code != "product_subtotal_negative" ||
		wrong[0].Path != "purchase.products[1/2].__all__" {
		t.Errorf("got %v", wrong)
	}
}

func TestA_total_may_not_fall_below_zero(t *testing.T) {
	if _, wrong := (Details{Products: []Product{line(100, "1", "0", 0)}, DebtCents: -101}).TotalCents(); !wrong.Has(
		"purchase.__all__") {
		t.Error("a negative total passed")
	}
	if total, wrong := (Details{Products: []Product{line(100, "1", "0", 0)}, DebtCents: -100}).TotalCents(); total != 0 ||
		len(wrong) > 0 {
		t.Error("a total of zero is a matter of other rules")
	}
}

func TestLines_sum_to_the_total_whatever_they_are(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Details
		var sum int64
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			p := line(rapid.Int64Range(0, 1_000_000).Draw(t, "price"), "1", "0", 0)
			p.Quantity = decimal.New(rapid.Int64Range(0, 1_000_000).Draw(t, "quantity"), -4)
			p.TaxPercent = decimal.New(rapid.Int64Range(0, 10_000).Draw(t, "tax"), -2)
			cents, err := p.LineCents()
			if err != nil {
				t.Fatal(err)
			}
			sum += cents
			d.Products = append(d.Products, p)
		}
		if total, wrong := d.TotalCents(); total != sum || len(wrong) > 0 {
			t.Fatalf("%d, want %d", total, sum)
		}
	})
}

func TestDue_passes_once_and_never_on_a_failure_after_it(t *testing.T) {
	due := calendar.On(2026, 12, 1).At(12, 0)
	for name, c := range map[string]struct {
		status Status
		since  time.Time
		want   time.Time
	}{
		"created":                   {Created, due.Add(-time.Hour), due},
		"sent":                      {Sent, due.Add(-time.Hour), due},
		"viewed":                    {Viewed, due.Add(-time.Hour), due},
		"failed the day before":     {Failed, calendar.On(2026, 11, 30).At(23, 59), due},
		"failed on the day of due":  {Failed, calendar.On(2026, 12, 1).At(0, 1), calendar.On(2026, 12, 2).At(0, 0)},
		"failed at the very due":    {Failed, due, time.Time{}},
		"failed after due":          {Failed, due.Add(time.Second), time.Time{}},
		"waiting for its day":       {PendingCharge, due.Add(-time.Hour), time.Time{}},
		"at the bank":               {PendingExecute, due.Add(-time.Hour), time.Time{}},
		"overdue already":           {Overdue, due, time.Time{}},
		"cancelled":                 {Cancelled, due.Add(-time.Hour), time.Time{}},
		"account stored, no amount": {Preauthorized, due.Add(-time.Hour), time.Time{}},
	} {
		p := Purchase{Due: due}
		p.Move(c.status, c.since)
		if !p.PassAt.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, p.PassAt, c.want)
		}
	}
}

func TestThe_table_of_moves_keeps_the_ends_closed(t *testing.T) {
	for _, end := range []Status{Cancelled, Preauthorized} {
		for _, to := range Statuses {
			if CanMove(end, to) {
				t.Errorf("%s → %s", end, to)
			}
		}
	}
	for _, c := range []struct {
		from, to Status
		can      bool
	}{
		{PendingCharge, Cancelled, true}, {PendingExecute, Cancelled, false}, {Paid, Cancelled, false},
		{Overdue, PendingCharge, true}, {Expired, PendingCharge, false},
		{Expired, Paid, true}, {Paid, Failed, true}, {Paid, Chargeback, true}, {Chargeback, Paid, true},
		{PendingCharge, Paid, false}, {Overdue, Overdue, false},
	} {
		if CanMove(c.from, c.to) != c.can {
			t.Errorf("%s → %s: want %v", c.from, c.to, c.can)
		}
	}
	for _, s := range Statuses {
		if _, known := moves[s]; !known && s != Blocked && s != Hold && s != Released && s != PendingRelease &&
			s != PendingCapture && s != Cleared && s != Settled {
			t.Errorf("%s has no row", s)
		}
	}
}

func TestAfter_a_strict_due_a_failure_leaves_nothing_to_pay(t *testing.T) {
	due := calendar.On(2026, 12, 1).At(12, 0)
	p := Purchase{Status: Failed, Due: due, DueStrict: true}
	if !p.Payable(due) || p.Payable(due.Add(time.Second)) {
		t.Error("strict due is the last payable moment")
	}
	p.DueStrict = false
	if !p.Payable(due.Add(time.Hour)) {
		t.Error("a failure stays payable without strict due")
	}
}

func brand() merchant.Brand {
	return merchant.Brand{ID: uuid.New(), MerchantID: uuid.New(), Profiles: []merchant.Profile{
		{ProfileCode: "TEST1", AbbreviatedName: "TESTMERCH1", AccountNumber: "12345678", IsDefault: true},
		{ProfileCode: "TEST2", AbbreviatedName: "OTHER", AccountNumber: "87654321"}}}
}

func TestDeduction_days_have_their_limits(t *testing.T) {
	day := func(n int) *int { return &n }
	p := Purchase{Due: calendar.On(2026, 12, 31).At(8, 0)}
	for _, c := range []struct {
		units string
		day   *int
		want  int
		ok    bool
	}{
		{"months", day(1), 1, true}, {"months", day(30), 30, true}, {"months", day(31), 0, false},
		{"months", day(0), 0, false}, {"months", day(99), 99, true},
		{"months", day(98), 0, false}, {"", nil, LastDay, true}, {"weeks", day(1), 1, true}, {"weeks", day(7), 7, true},
		{"weeks", day(8), 0, false},
		{"weeks", nil, 4, true}, {"days", nil, 0, true}, {"years", day(1), 0, false},
	} {
		var wrong fault.Problems
		got := (&DirectDebitInput{DeductionDay: c.day, PeriodUnits: c.units}).complete(&wrong, brand(), p)
		if (len(wrong) == 0) != c.ok || c.ok && got.DeductionDay != c.want {
			t.Errorf("%s %v: %d, %v", c.units, c.day, got.DeductionDay, wrong)
		}
	}
}

func TestA_registration_must_belong_to_the_brand(t *testing.T) {
	for name, c := range map[string]struct {
		in    DirectDebitInput
		brand merchant.Brand
		code  string
	}{
		"all left out":   {DirectDebitInput{}, brand(), ""},
		"the second one": {DirectDebitInput{ProfileCode: "TEST2"}, brand(), ""},
		"unknown code":   {DirectDebitInput{ProfileCode: "TEST3"}, brand(), "does_not_exist"},
		"mixed": {DirectDebitInput{ProfileCode: "TEST1", AccountNumber: "87654321"}, brand(),
			"does_not_exist"},
		"nothing registered": {DirectDebitInput{}, merchant.Brand{MerchantID: uuid.New()}, "required"},
		"unknown, no profiles": {DirectDebitInput{ProfileCode: "X", AbbreviatedName: "Y", AccountNumber: "Z"},
			merchant.Brand{MerchantID: uuid.New()}, "does_not_exist"},
	} {
		var wrong fault.Problems
		c.in.complete(&wrong, c.brand, Purchase{Due: calendar.On(2026, 12, 1).At(8, 0)})
		if c.code == "" && len(wrong) > 0 || c.code != "" && (len(wrong) == 0 || wrong[0].Code != c.code) {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

func TestWhat_could_not_be_read_is_reported_once(t *testing.T) {
	in := Input{Problems: fault.Problems{{Path: "purchase.products[0/1].price", Code: "required"},
		{Path: "purchase.products[0/1].name", Code: "required"}}}
	shape := in.Problems
	in.Problems = fault.Problems{{Path: "purchase.products", Code: "required"},
		{Path: "purchase.products[0/1].price", Code: "min_value"}, {Path: "due", Code: "x"}}
	f, _ := fault.From(in.settle(shape))
	if len(f.Fields) != 3 || f.Fields[2].Path != "due" {
		t.Errorf("got %v", f.Fields)
	}
}
