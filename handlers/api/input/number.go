package input

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

var errNoUUID = errors.New("not a UUID")

// maxNumberText is the length above which a number given as text is not read at all.
const maxNumberText = 1000

var (
	wholeNumber = regexp.MustCompile(`^[+-]?[0-9]+(\.0*)?$`)
	plainNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$`)
)

// Range bounds a whole number, both ends included.
type Range struct{ Min, Max int64 }

// The usual ranges.
var (
	Any        = Range{math.MinInt64, math.MaxInt64}
	NotBelow0  = Range{0, math.MaxInt64}
	AboveZero  = Range{1, math.MaxInt64}
	unixMoment = Range{0, 253402300799} // up to the end of the year 9999
)

// Between is a range with both ends.
func Between(lowest, highest int64) Range { return Range{lowest, highest} }

// Int is a whole number, def when it is missing.
func (o *Object) Int(name string, def int64, r Range) int64 {
	value, ok := o.present(name, false)
	if !ok {
		return def
	}
	return o.whole(name, value, r)
}

// NeedInt is a whole number that must be there.
func (o *Object) NeedInt(name string, r Range) int64 {
	value, ok := o.present(name, true)
	if !ok {
		return 0
	}
	return o.whole(name, value, r)
}

// NullInt is a whole number, nil for null, empty text and missing.
func (o *Object) NullInt(name string, r Range) *int64 {
	value := o.fields[name]
	if value == nil || value == "" {
		return nil
	}
	n := o.whole(name, value, r)
	return &n
}

// Moment is a time given as Unix seconds; given is false for null and missing.
func (o *Object) Moment(name string) (at time.Time, given bool) {
	return o.MomentUntil(name, unixMoment.Max)
}

// MomentUntil is a Moment that is at most the highest one.
func (o *Object) MomentUntil(name string, highest int64) (at time.Time, given bool) {
	n := o.NullInt(name, Between(unixMoment.Min, highest))
	if n == nil {
		return time.Time{}, false
	}
	return time.Unix(*n, 0).UTC(), true
}

// ParseUnix reads Unix seconds from a query parameter.
func ParseUnix(text string) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < unixMoment.Min || n > unixMoment.Max {
		return time.Time{}, false
	}
	return time.Unix(n, 0).UTC(), true
}

func (o *Object) whole(name string, value any, r Range) int64 {
	text, ok := o.numberText(name, value, "A valid integer is required.")
	if !ok {
		return 0
	}
	n, ok, over := wholeOf(text)
	switch {
	case !ok:
		o.Add(name, "invalid", "A valid integer is required.")
		return 0
	case over > 0 || n > r.Max:
		o.Add(name, "max_value", "Ensure this value is less than or equal to %d.", r.Max)
		return 0
	case over < 0 || n < r.Min:
		o.Add(name, "min_value", "Ensure this value is greater than or equal to %d.", r.Min)
		return 0
	}
	return n
}

// wholeOf reads a whole number; over tells on which side it leaves 64 bits.
func wholeOf(text string) (n int64, ok bool, over int) {
	if wholeNumber.MatchString(text) {
		digits, _, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(digits, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return 0, true, 1 - 2*strings.Count(digits, "-")
		}
		return n, err == nil, 0
	}
	d, err := decimalOf(text)
	if err != nil || !d.IsInteger() {
		return 0, false, 0
	}
	big := d.BigInt()
	if !big.IsInt64() {
		return 0, true, big.Sign()
	}
	return big.Int64(), true, 0
}

// Decimal is an exact number that is no money, given as number or text, with at
// most so many places and digits in all; def when it is missing.
func (o *Object) Decimal(name string, def decimal.Decimal, digits, places int32) decimal.Decimal {
	value, ok := o.present(name, false)
	if !ok {
		return def
	}
	d, ok := o.decimal(name, value)
	if !ok {
		return def
	}
	if !d.Equal(d.Truncate(places)) {
		o.Add(name, "max_decimal_places", "Ensure that there are no more than %d decimal places.", places)
		return def
	}
	d = d.Truncate(places)
	if whole := d.Truncate(0).Abs().BigInt().String(); len(whole) > int(digits-places) {
		o.Add(name, "max_digits", "Ensure that there are no more than %d digits in total.", digits)
		return def
	}
	return d
}

// NullDecimal is an exact number that is no money, given as number or text, nil
// for null, empty text and missing. Its places and size are for the rules to limit.
func (o *Object) NullDecimal(name string) *decimal.Decimal {
	value := o.fields[name]
	if value == nil || value == "" {
		return nil
	}
	d, _ := o.decimal(name, value)
	return &d
}

func (o *Object) decimal(name string, value any) (decimal.Decimal, bool) {
	const message = "A valid number is required."
	text, ok := o.numberText(name, value, message)
	if !ok {
		return decimal.Zero, false
	}
	d, err := decimalOf(text)
	if err != nil {
		o.Add(name, "invalid", message)
		return decimal.Zero, false
	}
	return d, true
}

// Between notes a problem when a decimal lies outside the bounds, both included.
func (o *Object) Between(name string, d decimal.Decimal, lowest, highest int64) {
	if d.LessThan(decimal.NewFromInt(lowest)) {
		o.Add(name, "min_value", "Ensure this value is greater than or equal to %d.", lowest)
	} else if d.GreaterThan(decimal.NewFromInt(highest)) {
		o.Add(name, "max_value", "Ensure this value is less than or equal to %d.", highest)
	}
}

func (o *Object) numberText(name string, value any, message string) (string, bool) {
	text, ok := textOf(value)
	text = strings.TrimSpace(text)
	switch {
	case !ok:
		o.Add(name, "invalid", "%s", message)
		return "", false
	case len(text) > maxNumberText:
		o.Add(name, "max_string_length", "String value too large.")
		return "", false
	}
	return text, true
}

// decimalOf keeps the exponent small: 1e999999999 would fill the memory.
func decimalOf(text string) (decimal.Decimal, error) {
	if !plainNumber.MatchString(text) {
		return decimal.Zero, errors.New("not a number")
	}
	return decimal.NewFromString(text)
}

// Bool is true or false, also as text, as programs that send forms write it;
// def when it is missing.
func (o *Object) Bool(name string, def bool) bool {
	value, ok := o.present(name, false)
	if !ok {
		return def
	}
	b, ok := boolOf(value)
	if !ok {
		o.Add(name, "invalid", "Must be a valid boolean.")
		return def
	}
	return b
}

// NeedBool is true or false and must be there.
func (o *Object) NeedBool(name string) bool {
	if _, ok := o.present(name, true); !ok {
		return false
	}
	return o.Bool(name, false)
}

// NullBool is true, false, or nil for null and missing.
func (o *Object) NullBool(name string) *bool {
	if o.IsNull(name) {
		return nil
	}
	b := o.Bool(name, false)
	return &b
}

// ParseBool reads true or false from a query parameter.
func ParseBool(text string) (yes, ok bool) { return boolOf(text) }

func boolOf(value any) (b, ok bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case json.Number:
		return v == "1", v == "0" || v == "1"
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "1", "yes", "on", "t", "y":
			return true, true
		case "false", "0", "no", "off", "f", "n":
			return false, true
		}
	}
	return false, false
}
