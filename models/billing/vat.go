package billing

import (
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// rate is the VAT rate from a day on, in percent. The increase announced for
// 1 May 2025 was withdrawn before it took effect (industry).
type rate struct {
	from    calendar.Date
	percent int64
}

var rates = []rate{{calendar.On(1993, 4, 7), 14}, {calendar.On(2018, 4, 1), 15}}

// VATPercent is the standard rate on a day.
func VATPercent(on calendar.Date) int64 {
	percent := rates[0].percent
	for _, r := range rates {
		if !on.Before(r.from) {
			percent = r.percent
		}
	}
	return percent
}

// Split is the VAT inside an invoice, in cents. The lines add up to the total.
type Split struct {
	Percent    int64
	LineCents  []int64 // one per product line
	TotalCents int64
}

// VATOf is the VAT of an invoice. Prices include VAT at the standard rate
// (reference: debit orders 9), rounded half up for the whole; the last line takes
// up what rounding leaves. Where lines say tax_percent, VAT is what they add.
func VATOf(d purchase.Details, totalCents int64, on calendar.Date) Split {
	s := Split{Percent: VATPercent(on), LineCents: make([]int64, len(d.Products))}
	if taxed(d) {
		for i, p := range d.Products {
			s.LineCents[i] = addedTax(p)
			s.TotalCents += s.LineCents[i]
		}
		return s
	}
	s.TotalCents = included(totalCents, s.Percent)
	left := s.TotalCents
	for i, p := range d.Products {
		line, _ := p.LineCents() // checked when the purchase was made
		s.LineCents[i] = included(line, s.Percent)
		if i == len(d.Products)-1 {
			s.LineCents[i] = left
		}
		left -= s.LineCents[i]
	}
	return s
}

func taxed(d purchase.Details) bool {
	for _, p := range d.Products {
		if p.TaxPercent.IsPositive() {
			return true
		}
	}
	return false
}

// included is the VAT in an amount that includes it, half up: total*15/115.
func included(cents, percent int64) int64 {
	return decimal.NewFromInt(cents).Mul(decimal.NewFromInt(percent)).Div(decimal.NewFromInt(100 + percent)).Round(0).IntPart()
}

// addedTax is what tax_percent added to a line: the line less its net amount.
func addedTax(p purchase.Product) int64 {
	with, err := p.LineCents()
	p.TaxPercent = decimal.Zero
	net, errNet := p.LineCents()
	if err != nil || errNet != nil || p.TotalOverrideCents != nil {
		return 0
	}
	return with - net
}
