package ubl

import (
	"cmp"
	"strings"

	"github.com/shopspring/decimal"

	"debitdesk/models/billing"
	"debitdesk/models/fault"
)

// line is a line of the file: its value without VAT and the VAT on it, in cents, at one rate.
type line struct {
	name     string
	quantity decimal.Decimal // zero: one
	net, vat int64
	category category
}

// category is how something is taxed. The percentage is that of a standard-rated line, else zero.
type category struct {
	id      string
	percent string
}

func standard(percent decimal.Decimal) category { return category{standardRated, percent.String()} }

var (
	zero    = category{zeroRated, "0"}
	outside = category{id: outsideVAT}
)

// linesOf gives each printed line at its rate. A line may bear the VAT of no rate: a part of an invoice, or of one
// whose VAT was set by hand. Then one part of it is standard-rated, that of which it is the VAT, and the rest
// zero-rated. Lines of the standard rate may be off by some cents, since the last one takes up what rounding leaves.
func linesOf(p billing.Paper) ([]line, error) {
	if len(p.Lines) == 0 || p.TotalCents == 0 {
		return nil, fault.New(fault.Conflict, "not_structured", "Nothing is charged by this document, so there is no "+
			"structured file of it.")
	}
	var out []line
	if !p.IsTaxInvoice() {
		for _, l := range p.Lines {
			out = append(out, line{name: l.Text, quantity: l.Quantity, net: l.AmountCents, category: outside})
		}
		return out, nil
	}
	vat, printed := vatOf(p)
	own, whole, off := printed && ownRates(p.Lines), billing.VATIncluded(p.TotalCents, p.Percent), int64(len(p.Lines))
	if p.Purchase.Details.TaxOverrideCents != nil && *p.VATCents > whole+off {
		return nil, fault.New(fault.Conflict, "not_structured", "The VAT of this document was set by hand and is more "+
			"than %s %% of its value. A structured file cannot say that.", p.Percent)
	}
	if !printed && *p.VATCents != whole {
		off = -1
	}
	for i, l := range p.Lines {
		one := line{name: l.Text, quantity: l.Quantity, net: l.AmountCents - vat[i], vat: vat[i]}
		switch standing := billing.VATIncluded(l.AmountCents, p.Percent); {
		case own && l.TaxPercent.IsPositive():
			one.category = standard(l.TaxPercent)
		case own && one.vat == 0:
			one.category = zero
		case !own && one.vat-standing <= off && standing-one.vat <= off:
			one.category = standard(p.Percent)
		default:
			out = append(out, one.divided(p.Percent)...)
			continue
		}
		out = append(out, one)
	}
	return out, nil
}

// ownRates tells whether lines say how they are taxed; then those that do not bear no VAT.
func ownRates(lines []billing.Line) bool {
	for _, l := range lines {
		if l.TaxPercent.IsPositive() {
			return true
		}
	}
	return false
}

// vatOf is the VAT in each line, in cents: what is printed beside it, else its share in that of the whole.
func vatOf(p billing.Paper) (cents []int64, printed bool) {
	cents, printed = make([]int64, len(p.Lines)), true
	left := *p.VATCents
	for i, l := range p.Lines {
		switch {
		case l.VATCents != nil:
			cents[i] = *l.VATCents
		case i == len(p.Lines)-1:
			cents[i], printed = left, false
		default:
			cents[i], printed = billing.Proportion(*p.VATCents, l.AmountCents, p.TotalCents), false
		}
		left -= cents[i]
	}
	return cents, printed
}

// divided is the line in a part that bears its VAT and a part that bears none. They are one each: their number of units
// cannot be told apart.
func (l line) divided(percent decimal.Decimal) []line {
	rest := l
	rest.category, rest.vat = zero, 0
	if l.vat == 0 {
		return []line{rest}
	}
	l.category, l.quantity, rest.quantity = standard(percent), decimal.Zero, decimal.Zero
	whole := l.net
	l.net = decimal.NewFromInt(l.vat).Mul(hundred).DivRound(percent, 12).Round(0).IntPart()
	if rest.net = whole - l.net; rest.net == 0 {
		return []line{l}
	}
	return []line{l, rest}
}

var hundred = decimal.NewFromInt(100)

// subtotal is what all lines of one rate come to, in cents.
type subtotal struct {
	category category
	net, vat int64
}

// subtotals are those of each rate, in the order of the lines. The rules ask for one at least.
func subtotals(lines []line) (out []subtotal) {
	at := map[category]int{}
	for _, l := range lines {
		i, known := at[l.category]
		if !known {
			i, at[l.category], out = len(out), len(out), append(out, subtotal{category: l.category})
		}
		out[i].net, out[i].vat = out[i].net+l.net, out[i].vat+l.vat
	}
	return out
}

// agree checks that the VAT at each rate is that rate of the value, but for what rounding each line by its own makes:
// the rules allow less than one rand.
func agree(all []subtotal) error {
	for _, s := range all {
		percent, _ := decimal.NewFromString(cmp.Or(s.category.percent, "0"))
		if off := s.vat - billing.Proportion(s.net, percent.Shift(2).IntPart(), 100_00); off <= -100 || off >= 100 {
			return fault.New(fault.Conflict, "not_structured", "The VAT of this document was rounded on so many lines that "+
				"it is no longer %s %% of their sum. A structured file cannot say that.", percent)
		}
	}
	return nil
}

// element is the category as it is written; why nothing is charged is said in the subtotal.
func (c category) element(reason bool) taxCategory {
	out := taxCategory{ID: c.id, Percent: c.percent, Scheme: vatScheme}
	if c == outside && reason {
		out.ReasonCode, out.Reason = outsideCode, outsideText
	}
	return out
}

// element writes a line. A price may not be negative, so of what is taken off, the quantity is.
func (l line) element(n int, currency string) lineElement {
	units, net := l.quantity, decimal.New(l.net, -2)
	if units.IsZero() {
		units = decimal.NewFromInt(1)
	}
	if net.IsNegative() != units.IsNegative() && !net.IsZero() {
		units = units.Neg()
	}
	price := net.DivRound(units, pricePlaces)
	text := price.String()
	if price.Exponent() > -2 || price.Equal(price.Truncate(2)) {
		text = price.StringFixed(2)
	}
	return lineElement{ID: n, Invoiced: &quantity{unitCode, units.String()}, Net: amountOf(l.net, currency),
		Name: cmp.Or(strings.TrimSpace(l.name), "–"), Category: l.category.element(false), Price: amount{currency, text}}
}

// pricePlaces are the decimals of a price: with up to a hundred million units, price × quantity is the value to within
// half a cent.
const pricePlaces = 10
