package billing

import (
	"github.com/shopspring/decimal"

	"debitdesk/models/purchase"
)

// Line is one line of an invoice. The amounts are cents, tax included; all lines
// of an invoice add up to its total.
type Line struct {
	Text          string          // in English, for those lines that are no products
	Quantity      decimal.Decimal // zero on a line that is no product
	UnitCents     int64
	DiscountCents int64
	TaxPercent    decimal.Decimal
	AmountCents   int64
	VATCents      *int64 // nil: no VAT is shown beside this line
	Adjusts       bool   // it brings the lines to a total that was set by hand
	Brought       bool   // it is what was owed before
	PartOf        string // it is a part of the invoice of this number, which is taken back
}

// The words of the lines that are no products.
const (
	broughtForward = "Brought forward"
	adjusted       = "Adjustment to the agreed total"
	partOf         = "Part of invoice "
)

// LinesOf are the lines that come to the total: the products, what was brought
// forward, and what a total set by hand differs by.
func LinesOf(d purchase.Details, totalCents int64) []Line {
	lines := make([]Line, 0, len(d.Products)+2)
	var listed int64
	add := func(l Line) { lines, listed = append(lines, l), listed+l.AmountCents }
	for _, p := range d.Products {
		cents, _ := p.LineCents() // it was added up when the purchase was made
		add(Line{Text: p.Name, Quantity: p.Quantity, UnitCents: p.PriceCents, DiscountCents: p.DiscountCents,
			TaxPercent: p.TaxPercent, AmountCents: cents})
	}
	if d.DebtCents != 0 {
		add(Line{Text: broughtForward, AmountCents: d.DebtCents, Brought: true})
	}
	if listed != totalCents {
		add(Line{Text: adjusted, AmountCents: totalCents - listed, Adjusts: true})
	}
	return lines
}
