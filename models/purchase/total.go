package purchase

import (
	"errors"
	"fmt"

	"debitdesk/models/fault"
	"debitdesk/models/money"
)

func item(list string, i, n int) string { return fmt.Sprintf("%s[%d/%d]", list, i, n) }

// LinesCents is the sum of the product lines in cents: the price of the rules on
// mandates. It is the only place where lines are added up.
func (d Details) LinesCents() (int64, fault.Problems) {
	var sum int64
	var wrong fault.Problems
	for i, p := range d.Products {
		line, err := p.LineCents()
		at := item("purchase.products", i, len(d.Products)) + "." + fault.All
		if errors.Is(err, money.ErrNegativeLine) {
			wrong.Add(at, subtotalNegative, subtotalMessage)
			continue
		}
		total, fits := money.Add(sum, line)
		if err != nil || !fits || line > money.MostCents || total > money.MostCents {
			wrong.Add(at, "max_value", "Ensure the total is less than or equal to %d.", money.MostCents)
			return 0, wrong
		}
		sum = total
	}
	return sum, wrong
}

// LineCents is one product line in cents, tax included. The discount is checked
// before an override of the line counts.
func (p Product) LineCents() (int64, error) {
	line, err := money.LineCents(p.PriceCents, p.Quantity, p.DiscountCents, p.TaxPercent)
	if err != nil {
		return 0, err
	}
	if p.TotalOverrideCents != nil {
		return *p.TotalOverrideCents, nil
	}
	return line, nil
}

// TotalCents is what the client owes: the lines and the debt, unless overridden.
// Everything that shows a total shows what this function returned.
func (d Details) TotalCents() (int64, fault.Problems) {
	lines, wrong := d.LinesCents()
	if len(wrong) > 0 {
		return 0, wrong
	}
	total, fits := money.Add(lines, d.DebtCents)
	if d.TotalOverrideCents != nil {
		total, fits = *d.TotalOverrideCents, true
	}
	switch at := "purchase." + fault.All; {
	case !fits || total > money.MostCents:
		wrong.Add(at, "max_value", "Ensure the total is less than or equal to %d.", money.MostCents)
	case total < 0:
		wrong.Add(at, "min_value", "The total may not be below 0.")
	}
	return total, wrong
}
