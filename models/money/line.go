package money

import (
	"errors"

	"github.com/shopspring/decimal"
)

// ErrNegativeLine says that the discount is larger than price times quantity.
var ErrNegativeLine = errors.New("the discount is larger than price * quantity")

var hundred = decimal.NewFromInt(100)

// LineCents computes one product line in cents: net = price*quantity - discount, and the line is net with tax on top,
// rounded half up once (source: the total of a purchase). Price and discount are cents, tax is a percentage.
// Errors: ErrNegativeLine when net is below zero, ErrTooLarge beyond MaxCents.
func LineCents(price int64, quantity decimal.Decimal, discount int64, taxPercent decimal.Decimal) (int64, error) {
	if tooWide(quantity) || tooWide(taxPercent) {
		return 0, ErrTooLarge
	}
	net := decimal.NewFromInt(price).Mul(quantity).Sub(decimal.NewFromInt(discount))
	if net.IsNegative() {
		return 0, ErrNegativeLine
	}
	line := net.Mul(hundred.Add(taxPercent)).Shift(-2).Round(0)
	if line.Abs().GreaterThan(decimal.NewFromInt(MaxCents)) {
		return 0, ErrTooLarge
	}
	return line.IntPart(), nil
}

// tooWide refuses numbers such as 1e999999999 before they are multiplied: exact decimals would fill the memory.
func tooWide(d decimal.Decimal) bool {
	const places, magnitude = 18, 18
	return d.Exponent() < -places || d.Exponent() > magnitude || d.Coefficient().BitLen() > 128
}
