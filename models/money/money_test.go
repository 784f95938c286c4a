package money_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"debitdesk/models/money"
)

func TestAmountsAreWrittenWithTheirCurrency(t *testing.T) {
	for _, c := range []struct {
		cents    int64
		currency string
		want     string
	}{
		{0, "ZAR", "R 0,00"},
		{5, "ZAR", "R 0,05"},
		{99999, "ZAR", "R 999,99"},
		{100000, "ZAR", "R 1 000,00"},
		{123456, "ZAR", "R 1 234,56"},
		{123456789, "ZAR", "R 1 234 567,89"},
		{-123456, "ZAR", "-R 1 234,56"},
		{123456, "USD", "USD 1 234,56"},
		{math.MinInt64, "ZAR", "-R 92 233 720 368 547 758,08"},
	} {
		want := strings.ReplaceAll(c.want, " ", money.NBSP)
		if got := money.Format(c.cents, c.currency); got != want {
			t.Errorf("%d %s: got %q, want %q", c.cents, c.currency, got, want)
		}
	}
	if got := money.Amount(123456); got != "1\u00a0234,56" {
		t.Errorf("amount without currency: %q", got)
	}
	if got := money.Comma.Format(-123456789, "ZAR"); got != "-R1,234,567.89" {
		t.Errorf("the style of commerce: %q", got)
	}
}

func TestAmountsAreReadAsPeopleTypeThem(t *testing.T) {
	for text, want := range map[string]int64{
		"1 234,50":             123450,
		"1234.50":              123450,
		"R1,234.50":            123450,
		"R 1 234,56":           123456,
		"R\u00a01\u00a0234,56": 123456,
		"r12":                  1200,
		"ZAR 12,5":             1250,
		"12":                   1200,
		"1 234":                123400,
		"1,234,567":            123456700,
		"-R 5,00":              -500,
		"R -5,00":              -500,
		"\u2212 5":             -500,
		"(R 5,00)":             -500,
		"R (5,00)":             -500,
		"1 234,50-":            -123450,
		" 0,05 ":               5,
		"007":                  700,
	} {
		got, err := money.Parse(text)
		if err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestUnclearAmountsAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"":                      money.ErrEmpty,
		"R":                     money.ErrEmpty,
		"1,234":                 money.ErrAmbiguous,
		"R1.234":                money.ErrAmbiguous,
		"999,999":               money.ErrAmbiguous,
		"1234.567":              money.ErrDecimals,
		"0,125":                 money.ErrDecimals,
		"1 23":                  money.ErrUnread,
		"1.2.3":                 money.ErrUnread,
		"--5":                   money.ErrUnread,
		"-5-":                   money.ErrUnread,
		"(-5)":                  money.ErrUnread,
		"(5":                    money.ErrUnread,
		"twelve":                money.ErrUnread,
		"1e5":                   money.ErrUnread,
		"99999999999999999999":  money.ErrTooLarge,
		"90 000 000 000 000,01": money.ErrTooLarge,
	} {
		if got, err := money.Parse(text); !errors.Is(err, want) {
			t.Errorf("%q: got %d, %v, want %v", text, got, err, want)
		}
	}
	_, err := money.Parse("1,234")
	if err == nil || !strings.Contains(err.Error(), "write 1 234 or 1,23") {
		t.Errorf("the refusal shows both ways to write it: %v", err)
	}
	if got, err := money.Parse("90 000 000 000 000,00"); err != nil || got != money.MaxCents {
		t.Errorf("the largest amount is read: %d, %v", got, err)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(-money.MaxCents, money.MaxCents).Draw(t, "cents")
		style := rapid.SampledFrom([]money.Style{money.Spaced, money.Comma}).Draw(t, "style")
		got, err := money.Parse(style.Format(cents, money.ZAR))
		if err != nil || got != cents {
			t.Fatalf("%s read as %d, %v", style.Format(cents, money.ZAR), got, err)
		}
	})
}

func TestALineIsRoundedOnce(t *testing.T) {
	for _, c := range []struct {
		name            string
		price, discount int64
		quantity, tax   string
		want            int64
	}{
		{"10000 at 6 %", 10000, 0, "1", "6", 10600},
		{"a quantity with decimals", 100, 0, "1.555", "0", 156},
		{"a discount of the line", 100, 1, "3", "0", 299},
		{"discount before tax", 150, 1, "1", "6", 158},
		{"exactly half goes up", 1, 0, "0.5", "0", 1},
		{"just under half goes down", 1, 0, "0.4999", "0", 0},
		{"nothing", 0, 0, "1", "15", 0},
		{"the whole line is given away", 100, 100, "1", "15", 0},
	} {
		got, err := money.LineCents(c.price, decimal.RequireFromString(c.quantity), c.discount,
			decimal.RequireFromString(c.tax))
		if err != nil || got != c.want {
			t.Errorf("%s: got %d, %v, want %d", c.name, got, err, c.want)
		}
	}
}

func TestALineBelowZeroOrBeyondAllMeasureIsRefused(t *testing.T) {
	one, none := decimal.NewFromInt(1), decimal.Zero
	if _, err := money.LineCents(100, one, 101, none); !errors.Is(err, money.ErrNegativeLine) {
		t.Errorf("discount above the price: %v", err)
	}
	for name, q := range map[string]decimal.Decimal{
		"huge exponent":  decimal.New(1, 999_999_999),
		"tiny exponent":  decimal.New(1, -999_999_999),
		"a large number": decimal.NewFromInt(math.MaxInt64),
	} {
		if _, err := money.LineCents(math.MaxInt64, q, 0, none); !errors.Is(err, money.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := money.LineCents(money.MaxCents, one, 0, none); err != nil || got != money.MaxCents {
		t.Errorf("the largest line: %d, %v", got, err)
	}
	if _, err := money.LineCents(money.MaxCents+1, one, 0, none); !errors.Is(err, money.ErrTooLarge) {
		t.Errorf("one cent more: %v", err)
	}
}

func TestALineIsTheExactFractionRoundedHalfUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.Int64Range(0, 1_000_000_000).Draw(t, "price")
		quantity := rapid.Int64Range(0, 1_000_000).Draw(t, "quantity in 1/10000")
		tax := rapid.Int64Range(0, 10_000).Draw(t, "tax in 1/100 %")
		got, err := money.LineCents(price, decimal.New(quantity, -4), 0, decimal.New(tax, -2))
		if err != nil {
			t.Fatal(err)
		}
		// floor(2x+1)/2 of x = price*quantity*(10000+tax) / 10^8
		n := new(big.Int).Mul(big.NewInt(price*quantity), big.NewInt(10_000+tax))
		n.Mul(n, big.NewInt(2)).Add(n, big.NewInt(100_000_000)).Div(n, big.NewInt(200_000_000))
		if n.Int64() != got {
			t.Fatalf("got %d, want %s", got, n)
		}
	})
}

func TestAddStopsAtTheEndsOfInt64(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		ok   bool
	}{{math.MaxInt64, 0, true}, {math.MaxInt64, 1, false}, {math.MinInt64, 0, true}, {math.MinInt64, -1, false},
		{-5, 3, true}} {
		if _, ok := money.Add(c.a, c.b); ok != c.ok {
			t.Errorf("%d + %d: ok %v, want %v", c.a, c.b, ok, c.ok)
		}
	}
}
