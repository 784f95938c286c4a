package mandate

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// The allowed values, in the order in which messages and forms list them (source: additional mandate fields). The
// sample of the source document says ANNUAL, which is not among them.
var (
	Methods    = []Method{RealTime, Delayed}
	Sequences  = []Sequence{Recurring, OnceOff}
	Categories = []Category{Never, Quarterly, Biannually, Annually, Repo}
)

// The limits of an adjustment rate (ours).
const (
	ratePlaces  = 5
	highestRate = 100 // percent, up or down
)

// check is one look at an Ask: what was asked, beside which price, and where problems are noted.
type check struct {
	Ask
	w            *fault.Problems
	at           string
	price, total int64
	terms        Terms
}

// Check gives the terms that were asked for and notes every problem at at+".field": codes required, invalid_choice,
// invalid, min_value, max_value, max_decimal_places, max_digits, and adjustment_exclusive at at+".__all__" (source:
// rules on mandates). The price is the sum of the product lines, the total is what the purchase collects; both are
// cents. The terms are of use only when nothing was noted.
func (a Ask) Check(w *fault.Problems, at string, priceCents, totalCents int64) Terms {
	c := check{Ask: a, w: w, at: at + ".", price: within(priceCents), total: within(totalCents)}
	c.terms = Terms{
		ValueType:          choice(&c, "value_type", a.ValueType, ValueTypes),
		Authentication:     choice(&c, "authentication_type", a.AuthenticationType, Methods),
		DebitSequence:      choice(&c, "debit_sequence", a.DebitSequence, Sequences),
		AdjustmentCategory: choice(&c, "adjustment_category", a.AdjustmentCategory, Categories),
		DelayedOnFailure:   a.DelayedOnFailure, AllowDateAdjustment: a.AllowDateAdjustment, VerifyAccount: a.VerifyAccount,
		PriceCents: c.price,
	}
	c.adjustment()
	c.rate()
	c.amount()
	c.maximum()
	return c.terms
}

// within keeps sums of amounts inside int64; amounts outside were refused where they were read.
func within(cents int64) int64 { return min(max(cents, 0), money.MaxCents) }

func (c *check) add(field, code, format string, args ...any) {
	if !c.w.Has(c.at + field) {
		c.w.Add(c.at+field, code, format, args...)
	}
}

func choice[T ~string](c *check, field, given string, allowed []T) T {
	switch {
	case given == "":
		c.add(field, "required", "This field is required.")
	case slices.Contains(allowed, T(given)):
		return T(given)
	default:
		c.add(field, "invalid_choice", "%q is not a valid choice. Choose one of: %s.", short(given), list(allowed))
	}
	return ""
}

func list[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// short keeps a wrong value readable in a message.
func short(given string) string {
	const most = 40
	if runes := []rune(strings.ToValidUTF8(given, "?")); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return strings.ToValidUTF8(given, "?")
}

// adjustment checks which of rate and amount may be given (source: rules 1 and 2).
func (c *check) adjustment() {
	byRate, byAmount := c.AdjustmentRate != nil, c.AdjustmentAmountCents != nil
	if byRate && byAmount {
		c.add(fault.All, "adjustment_exclusive", "Give adjustment_rate or adjustment_amount_cents, not both.")
	}
	fixed, category := c.terms.ValueType == Fixed, c.terms.AdjustmentCategory
	if fixed && category != Never && category != "" {
		c.add("adjustment_category", "invalid", "FIXED has no adjustments; use NEVER.")
	}
	reason := "With adjustment_category NEVER nothing is adjusted; leave this out."
	if fixed {
		reason = "FIXED has no adjustments; leave this out."
	}
	switch {
	case fixed || category == Never:
		if byRate {
			c.add("adjustment_rate", "invalid", "%s", reason)
		}
		if byAmount {
			c.add("adjustment_amount_cents", "invalid", "%s", reason)
		}
	case category != "" && !byRate && !byAmount:
		c.add(fault.All, "required", "For %s give adjustment_rate or adjustment_amount_cents.", category)
	}
}

func (c *check) rate() {
	if c.AdjustmentRate == nil {
		return
	}
	rate, limit := *c.AdjustmentRate, decimal.NewFromInt(highestRate)
	switch {
	case tooWide(rate):
		c.add("adjustment_rate", "max_digits", "Enter a percentage from -%d to %d, such as 6 or 4.75.", highestRate,
			highestRate)
		return
	case rate.LessThan(limit.Neg()):
		c.add("adjustment_rate", "min_value", "Ensure this value is greater than or equal to -%d (percent).", highestRate)
	case rate.GreaterThan(limit):
		c.add("adjustment_rate", "max_value", "Ensure this value is less than or equal to %d (percent).", highestRate)
	case !rate.Equal(rate.Truncate(ratePlaces)):
		c.add("adjustment_rate", "max_decimal_places", "Ensure that there are no more than %d decimal places.", ratePlaces)
	}
	c.terms.AdjustmentRate = &rate
}

// tooWide refuses numbers such as 1e999999999 before they are compared: exact decimals would fill the memory.
func tooWide(d decimal.Decimal) bool {
	const places, bits = 18, 128
	return d.Exponent() < -places || d.Exponent() > places || d.Coefficient().BitLen() > bits
}

func (c *check) amount() {
	if c.AdjustmentAmountCents == nil {
		return
	}
	amount := *c.AdjustmentAmountCents
	switch {
	case amount < -money.MaxCents:
		c.add("adjustment_amount_cents", "min_value", "Ensure this value is greater than or equal to %d.", -money.MaxCents)
	case amount > money.MaxCents:
		c.add("adjustment_amount_cents", "max_value", "Ensure this value is less than or equal to %d.", money.MaxCents)
	}
	c.terms.AdjustmentAmountCents = &amount
}

// maximum checks the largest amount against the value type and the purchase's own total (source: rules 2 to 4).
func (c *check) maximum() {
	if c.MaxAmountCents == nil {
		c.add("max_amount_cents", "required", "This field is required.")
		return
	}
	most := *c.MaxAmountCents
	c.terms.MaxAmountCents = most
	limit, name := c.terms.ValueType.limit(c.price)
	switch {
	case most < 1:
		c.add("max_amount_cents", "min_value", "Ensure this value is greater than or equal to 1.")
	case most > money.MaxCents:
		c.add("max_amount_cents", "max_value", "Ensure this value is less than or equal to %d.", money.MaxCents)
	case limit == 0:
		c.add(
			"max_amount_cents",
			"max_value",
			"For %s this may be at most %s (0). To store a mandate without collecting now, "+
				"give the real price and total_override 0.",
			c.terms.ValueType,
			name,
		)
	case limit < c.total:
		c.add("max_amount_cents", "max_value", "For %s this may be at most %s (%d), and the total (%d) is above that.",
			c.terms.ValueType, name, limit, c.total)
	case most > limit:
		c.add("max_amount_cents", "max_value", "For %s this may be at most %s (%d).", c.terms.ValueType, name, limit)
	case most < c.total:
		c.add("max_amount_cents", "min_value", "This may not be below the purchase’s total (%d).", c.total)
	}
}
