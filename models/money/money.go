// Package money knows cents: how they are written, read and computed for one line; it knows no purchase, client or
// database.
package money

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// NBSP is U+00A0: it keeps "R 1 234,56" on one line.
const NBSP = "\u00a0"

// ZAR is the currency of debit orders.
const ZAR = "ZAR"

// MostCents is the largest amount that is accepted of one line, one total and one
// refund (API contract 12.28): 100 million rand.
const MostCents int64 = 10_000_000_000

// MaxCents is the largest amount that is computed or read: 90 trillion rand in cents,
// far above any debit order and far below the end of int64, so that sums of lines stay exact.
// Amounts above MostCents were accepted once, and are still shown.
const MaxCents int64 = 9_000_000_000_000_000

// ErrTooLarge says that an amount is beyond MaxCents.
var ErrTooLarge = errors.New("the amount is too large")

// Style is the way an amount is written.
type Style string

const (
	Spaced Style = "spaced" // R 1 234,56: the official South African form, with U+00A0; the default
	Comma  Style = "comma"  // R1,234.56: the form of commerce
)

// Format writes cents with their currency: "R 1 234,56" for ZAR, "USD 1 234,56" for others, "-R 5,00" when negative.
// All spaces are U+00A0.
func Format(cents int64, currency string) string {
	return Spaced.Format(cents, currency)
}

// Amount writes cents without their currency: "1 234,56".
func Amount(cents int64) string {
	return Spaced.Amount(cents)
}

// Format writes cents with their currency in this style.
func (s Style) Format(cents int64, currency string) string {
	sign, digits := s.parts(cents)
	switch {
	case currency == ZAR && s == Comma:
		return sign + "R" + digits
	case currency == ZAR:
		return sign + "R" + NBSP + digits
	default:
		return sign + currency + NBSP + digits
	}
}

// Amount writes cents without their currency in this style.
func (s Style) Amount(cents int64) string {
	sign, digits := s.parts(cents)
	return sign + digits
}

func (s Style) parts(cents int64) (sign, digits string) {
	group, point := NBSP, ","
	if s == Comma {
		group, point = ",", "."
	}
	u := uint64(cents) //nolint:gosec // two's complement on purpose: the smallest int64 has no positive twin
	if cents < 0 {
		sign, u = "-", -u
	}
	return sign, grouped(strconv.FormatUint(u/100, 10), group) + point + twoDigits(u%100)
}

func twoDigits(n uint64) string {
	if n < 10 {
		return "0" + strconv.FormatUint(n, 10)
	}
	return strconv.FormatUint(n, 10)
}

func grouped(digits, separator string) string {
	first := len(digits) % 3
	var b strings.Builder
	b.WriteString(digits[:first])
	for i := first; i < len(digits); i += 3 {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(digits[i : i+3])
	}
	return b.String()
}

// Add is a + b; ok is false when the sum would leave int64.
func Add(a, b int64) (sum int64, ok bool) {
	if b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b {
		return 0, false
	}
	return a + b, true
}

// Plus is a + b, and the end of int64 that lies nearest where no int64 holds the sum:
// what is compared with a limit never comes out below it.
func Plus(a, b int64) int64 {
	if sum, ok := Add(a, b); ok {
		return sum
	}
	if a < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// Times is what n amounts come to together, under the rule of Plus. Both are not negative.
func Times(cents int64, n int) int64 {
	if n > 0 && cents > math.MaxInt64/int64(n) {
		return math.MaxInt64
	}
	return cents * int64(n)
}

// Plain is an amount in units as a program reads it: "1234.50".
func Plain(cents int64) string { return SumOf(cents).Plain() }
