package batch

import (
	"errors"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// Limits of a product line, as a purchase has them.
var (
	mostQuantity = decimal.New(1, 9)
	mostTax      = decimal.New(100, 0)
)

const quantityPlaces, taxPlaces = 4, 2

// money reads the product lines and what they add up to.
func (r *reading) money() {
	amount, hasAmount := r.cents(Amount)
	before := len(r.line.Problems)
	prices := false
	for n := 1; n <= MostProducts; n++ {
		p, used, priced := r.product(n)
		if used {
			prices = prices || priced
			r.line.Values.Products = append(r.line.Values.Products, p)
		}
	}
	if len(r.line.Problems) > before {
		return
	}
	switch lines := r.line.Values.Products; {
	case prices:
		r.compare(amount, hasAmount)
	case hasAmount && len(lines) > 1:
		r.wrong(Price, "required", RequiredOf(Price), "expected a price for each product, found one amount for "+
			lines[0].Name+" and others")
	case hasAmount:
		r.onlyAmount(amount)
	default:
		if _, said := r.cell(Amount); !said {
			r.wrong(r.amountField(), "required", RequiredOf(Amount),
				"expected an amount such as 1 234,50, found nothing")
		}
	}
}

func (r *reading) amountField() Field {
	if r.Mapping.has(Amount) {
		return Amount
	}
	return Price
}

// onlyAmount makes the one line of a row without prices. The amount is what is owed, so quantity, discount and tax of
// the line have nothing to add to it.
func (r *reading) onlyAmount(amount int64) {
	v := &r.line.Values
	name := r.Mapping.Product
	if name == "" {
		name = "Invoice"
	}
	if len(v.Products) == 1 {
		if v.Products[0].Name != "" {
			name = v.Products[0].Name
		}
		p := v.Products[0]
		if !p.Quantity.Equal(decimal.NewFromInt(1)) || p.DiscountCents != 0 || !p.TaxPercent.IsZero() {
			r.wrong(Price, "required", RequiredOf(Price),
				"expected a price, since the row has a quantity, discount or tax; found only an amount")
			return
		}
	}
	if amount == 0 {
		r.wrong(Amount, "min_value", CauseRange, "expected more than 0, found 0")
		return
	}
	v.Products = []purchase.Product{{Name: name, PriceCents: amount, Quantity: decimal.NewFromInt(1)}}
	v.TotalCents = amount
}

// compare adds the lines up and holds them against the amount, where the row has one.
func (r *reading) compare(amount int64, hasAmount bool) {
	var sum int64
	for _, p := range r.line.Values.Products {
		line, err := p.LineCents()
		total, fits := money.Add(sum, line)
		switch {
		case errors.Is(err, money.ErrNegativeLine):
			r.wrong(Discount, "product_subtotal_negative", CauseRange,
				"expected a discount of at most price times quantity")
			return
		case err != nil || !fits || line > money.MostCents || total > money.MostCents:
			r.wrong(Price, "max_value", CauseRange, "expected a smaller total: "+money.ErrTooLarge.Error())
			return
		}
		sum = total
	}
	switch {
	case hasAmount && amount != sum:
		r.wrong(Amount, "total_differs", CauseTotal, "expected "+money.Amount(sum)+", which the products add up to, found "+
			money.Amount(amount))
	case sum == 0:
		r.wrong(Price, "min_value", CauseRange, "expected a total of more than 0, found 0")
	default:
		r.line.Values.TotalCents = sum
	}
}

// product reads the n-th line; used is false where the row has none.
func (r *reading) product(n int) (p purchase.Product, used, priced bool) {
	for _, f := range perProduct {
		_, said := r.cell(f.Nth(n))
		// Quantity, discount and tax are often filled down the whole column and make no line of their own beyond the first.
		used = used || said && (n == 1 || f == Product || f == Price)
	}
	if !used {
		return p, false, false
	}
	p.Name = r.text(Product.Nth(n), 256)
	_, hasPrice := r.cell(Price.Nth(n))
	p.PriceCents, priced = r.cents(Price.Nth(n))
	p.DiscountCents, _ = r.cents(Discount.Nth(n))
	p.Quantity = r.exact(Quantity.Nth(n), decimal.NewFromInt(1), mostQuantity, quantityPlaces)
	p.TaxPercent = r.exact(TaxPercent.Nth(n), decimal.Zero, mostTax, taxPlaces)
	if p.TaxPercent.IsPositive() && p.TaxPercent.LessThan(decimal.NewFromInt(1)) {
		r.warn(TaxPercent.Nth(n), "less_than_one", CauseRange, "the tax is less than 1 %: for "+
			p.TaxPercent.Shift(2).String()+" % write "+p.TaxPercent.Shift(2).String())
	}
	if p.Name == "" && priced {
		if p.Name = r.Mapping.Product; p.Name == "" {
			p.Name = "Invoice"
		}
	}
	if !hasPrice && n > 1 {
		r.wrong(Price.Nth(n), "required", RequiredOf(Price), "expected a price for "+p.Name+", found nothing")
	}
	return p, true, priced
}

// cents reads an amount of at least 0.
func (r *reading) cents(f Field) (int64, bool) {
	text, ok := r.cell(f)
	if !ok || r.scientific(f, text) {
		return 0, false
	}
	cents, err := money.ParseMarked(text, r.target(f).Decimal)
	switch {
	case err != nil:
		r.number(f, text, err)
		return 0, false
	case cents < 0:
		r.wrong(f, "min_value", CauseRange, expected(f, "0 or more", text))
		return 0, false
	case cents > money.MostCents:
		r.wrong(f, "max_value", CauseRange, expected(f, "at most "+money.Amount(money.MostCents), text))
		return 0, false
	}
	return cents, true
}

// isPercentOf tells a percentage where none belongs: 100% of a quantity is neither 1 nor 100.
func (f Field) isPercentOf(text string) bool {
	base, _ := f.parts()
	return base != TaxPercent && strings.HasSuffix(text, "%")
}

// number words the refusal of an amount or a quantity.
func (r *reading) number(f Field, text string, err error) {
	switch {
	case f.isPercentOf(text):
		r.wrong(f, "invalid", CauseNumber, expected(f, "a number such as 1 234,50 without a percent sign", text))
	case errors.Is(err, money.ErrAmbiguous):
		r.wrong(f, "ambiguous", CauseDecimalMark, "expected 1 234,50 or 1234.50, found "+text+
			", which could be thousands or decimals; choose the decimal sign of the column")
	case errors.Is(err, money.ErrDecimals):
		r.wrong(f, "max_decimal_places", CauseDecimals, expected(f, "at most two decimals", text))
	case errors.Is(err, money.ErrTooLarge):
		r.wrong(f, "max_value", CauseRange, expected(f, "a smaller amount", text))
	default:
		r.wrong(f, "invalid", CauseNumber, expected(f, "a number such as 1 234,50 or 1234.50", text))
	}
}

// exact reads a quantity or a percentage from 0 to most.
func (r *reading) exact(f Field, otherwise, most decimal.Decimal, places int32) decimal.Decimal {
	text, ok := r.cell(f)
	if !ok || r.scientific(f, text) {
		return otherwise
	}
	if f.isPercentOf(text) {
		r.number(f, text, money.ErrUnread)
		return otherwise
	}
	plain, err := money.PlainNumber(text, r.target(f).Decimal)
	if err != nil {
		r.number(f, text, err)
		return otherwise
	}
	d, err := decimal.NewFromString(plain)
	switch {
	case err != nil:
		r.number(f, text, money.ErrUnread)
	case d.IsNegative() || d.GreaterThan(most):
		r.wrong(f, "max_value", CauseRange, expected(f, "a number from 0 to "+most.String(), text))
	case !d.Equal(d.Truncate(places)):
		r.wrong(f, "max_decimal_places", CauseDecimals,
			expected(f, "at most "+strconv.Itoa(int(places))+" decimals", text))
	default:
		return d
	}
	return otherwise
}
