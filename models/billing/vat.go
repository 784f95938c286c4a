package billing

import (
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
)

// VATPercent is the standard rate of a supply on a day, by the rulebook.
func VATPercent(supply calendar.Date) decimal.Decimal {
	basisPoints, _ := rulebook.Default().VAT(supply, calendar.Date{})
	return decimal.New(basisPoints, -2)
}

// Split is the VAT inside an invoice, in cents. The lines add up to the total.
type Split struct {
	Percent    decimal.Decimal // the standard rate of the day
	LineCents  []int64         // one per line of the invoice; nil when the merchant named the whole alone
	TotalCents int64
}

// VATOf is the VAT of an invoice over totalCents, its lines being those of
// LinesOf. Prices include VAT at the standard rate (reference: debit orders 9),
// rounded half up once for the whole; the last line takes up what rounding
// leaves. Where lines say tax_percent, VAT is what they add: the other lines and
// what was brought forward bear none, and a total that was set by hand bears it in
// proportion. A total_tax_override is the merchant's own word.
func VATOf(d purchase.Details, totalCents int64, on calendar.Date) Split {
	s := Split{Percent: VATPercent(on)}
	if d.TaxOverrideCents != nil {
		s.TotalCents = *d.TaxOverrideCents
		return s
	}
	lines := LinesOf(d, totalCents)
	s.LineCents = make([]int64, len(lines))
	if taxed(d) {
		s.TotalCents = s.added(lines, totalCents)
	} else {
		s.TotalCents = VATIncluded(totalCents, s.Percent)
		for i, l := range lines {
			s.LineCents[i] = VATIncluded(l.AmountCents, s.Percent)
		}
	}
	if last := len(lines) - 1; last >= 0 {
		s.LineCents[last] += s.TotalCents - sum(s.LineCents)
	}
	return s
}

// added puts what each line's own rate adds into the lines, and gives the whole.
func (s *Split) added(lines []Line, totalCents int64) int64 {
	var listed int64 // what the lines come to before the total was set by hand
	for i, l := range lines {
		if l.Adjusts {
			continue
		}
		listed += l.AmountCents
		s.LineCents[i] = VATIncluded(l.AmountCents, l.TaxPercent)
	}
	whole := sum(s.LineCents)
	if listed == totalCents || listed == 0 {
		return whole
	}
	return Proportion(whole, totalCents, listed)
}

// TaxNamed is the tax that a purchase names itself, in cents: what its lines add by
// tax_percent, or what it has displayed in its place.
func TaxNamed(d purchase.Details) (cents int64) {
	if d.TaxOverrideCents != nil {
		return *d.TaxOverrideCents
	}
	for _, p := range d.Products {
		line, _ := p.LineCents() // it was added up when the purchase was made
		cents += VATIncluded(line, p.TaxPercent)
	}
	return cents
}

func taxed(d purchase.Details) bool {
	for _, p := range d.Products {
		if p.TaxPercent.IsPositive() {
			return true
		}
	}
	return false
}

// VATIncluded is the VAT in an amount that includes it, half up: total*15/115.
func VATIncluded(cents int64, percent decimal.Decimal) int64 {
	whole := percent.Add(decimal.NewFromInt(100))
	return decimal.NewFromInt(cents).Mul(percent).DivRound(whole, 12).Round(0).IntPart()
}

// Proportion is part × to / of, half up.
func Proportion(part, to, of int64) int64 {
	return decimal.NewFromInt(part).Mul(decimal.NewFromInt(to)).DivRound(decimal.NewFromInt(of), 12).Round(0).IntPart()
}

func sum(cents []int64) (total int64) {
	for _, c := range cents {
		total += c
	}
	return total
}
