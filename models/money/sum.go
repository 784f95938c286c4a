package money

import (
	"database/sql/driver"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/shopspring/decimal"
)

// Sum is what many amounts come to, in cents. It is exact where int64 ends, and as
// JSON a whole number. The zero value is nothing; equal sums are ==.
type Sum struct {
	hi int64
	lo uint64
}

// SumOf is the sum of some amounts.
func SumOf(cents ...int64) (s Sum) {
	for _, c := range cents {
		s = s.Plus(Sum{c >> 63, uint64(c)}) //nolint:gosec // two's complement on purpose
	}
	return s
}

// Plus is s + o.
func (s Sum) Plus(o Sum) Sum {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	return Sum{s.hi + o.hi + int64(carry), lo} //nolint:gosec // 0 or 1
}

// Minus is s - o.
func (s Sum) Minus(o Sum) Sum { return s.Plus(Sum{^o.hi, ^o.lo}).Plus(Sum{0, 1}) }

// Sign is -1 below nothing, 0 for nothing and 1 above.
func (s Sum) Sign() int {
	switch {
	case s.hi < 0:
		return -1
	case s == Sum{}:
		return 0
	}
	return 1
}

// Int64 is the sum in cents; ok is false where no int64 holds it.
func (s Sum) Int64() (cents int64, ok bool) {
	cents = int64(s.lo) //nolint:gosec // two's complement on purpose
	return cents, s.hi == cents>>63
}

// Near is the sum in cents, and the end of int64 that lies nearest where none holds it:
// for the height of a bar, not for figures.
func (s Sum) Near() int64 {
	switch cents, ok := s.Int64(); {
	case ok:
		return cents
	case s.hi < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func (s Sum) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(s.lo))
}

// String is the sum in cents as plain digits.
func (s Sum) String() string { return s.big().String() }

// Plain is the sum in units as a program reads it: "1234.50".
func (s Sum) Plain() string { return decimal.NewFromBigInt(s.big(), -2).StringFixed(2) }

// Format writes the sum with its currency, as Format does.
func (s Sum) Format(currency string) string {
	unit := currency
	if currency == ZAR {
		unit = "R"
	}
	digits, negative := strings.CutPrefix(s.Amount(), "-")
	if negative {
		return "-" + unit + NBSP + digits
	}
	return unit + NBSP + digits
}

// Amount writes the sum without its currency, as Amount does.
func (s Sum) Amount() string {
	if cents, ok := s.Int64(); ok {
		return Amount(cents)
	}
	n, sign := s.big(), ""
	if n.Sign() < 0 {
		n, sign = n.Neg(n), "-"
	}
	digits := n.String()
	return sign + grouped(digits[:len(digits)-2], NBSP) + "," + digits[len(digits)-2:]
}

// MarshalJSON writes a whole number of any length.
func (s Sum) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }

// Value writes the sum as a numeric.
func (s Sum) Value() (driver.Value, error) { return s.String(), nil }

// Scan reads what a database adds up.
func (s *Sum) Scan(from any) error {
	var text string
	switch v := from.(type) {
	case int64:
		*s = SumOf(v)
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("a sum cannot be read from %T", from)
	}
	d, err := decimal.NewFromString(text)
	if err != nil {
		return fmt.Errorf("read a sum: %w", err)
	}
	n := d.BigInt()
	if n.BitLen() > 126 {
		return fmt.Errorf("read a sum: %w", ErrTooLarge)
	}
	negative := n.Sign() < 0
	n.Abs(n)
	//nolint:gosec // below 2^62
	hi := int64(new(big.Int).Rsh(n, 64).Uint64())
	out := Sum{hi, new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
	if negative {
		out = Sum{}.Minus(out)
	}
	*s = out
	return nil
}
