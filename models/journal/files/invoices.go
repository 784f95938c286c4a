package files

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// xeroInvoiceHead is that of Xero's template of sales invoices. Xero reads no file in which a column is missing.
var xeroInvoiceHead = []string{"*ContactName", "EmailAddress", "POAddressLine1", "POAddressLine2", "POAddressLine3",
	"POAddressLine4", "POCity", "PORegion", "POPostalCode", "POCountry", "*InvoiceNumber", "Reference", "*InvoiceDate",
	"*DueDate", "InventoryItemCode", "*Description", "*Quantity", "*UnitAmount", "Discount", "*AccountCode", "*TaxType",
	"TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2", "Currency", "BrandingTheme"}

const (
	mostXeroInvoices = 500
	longestContact   = 255
	longestXeroText  = 4000
)

// contact is what Xero knows a client by, so two clients of one name have their e-mail addresses behind it.
func contact(d journal.Document) string {
	name, mail := harmless(d.Paper.Recipient.Name), harmless(d.Paper.Recipient.Email)
	switch {
	case name == "" || strings.EqualFold(name, mail):
		return mail
	case mail == "":
		return name
	}
	return name + " (" + mail + ")"
}

// xeroProblems are documents that Xero would refuse, or take for something else, as they are found.
type xeroProblems struct {
	nameless, taxed tally
	again           journal.Repeats
}

// tally counts documents, and knows the number of the first.
type tally struct {
	n     int64
	first string
}

func (t *tally) add(number string) {
	if t.n++; t.n == 1 {
		t.first = number
	}
}

func (x *xeroProblems) add(b *journal.Book) {
	for _, d := range b.Documents {
		if n := utf8.RuneCountInString(contact(d)); n == 0 || n > longestContact {
			x.nameless.add(d.Paper.Number)
		}
		if !xeroAgrees(d.Paper) {
			x.taxed.add(d.Paper.Number)
		}
	}
}

func (x *xeroProblems) problems() (wrong fault.Problems) {
	say := func(code string, t tally, form string) {
		if t.n > 0 {
			wrong.Add("format", code, form, plural.Of(t.n, "document"), plural.Has(t.n), t.first)
		}
	}
	say("contact", x.nameless, "Xero needs the name of each client, of at most 255 characters: %s %s none, such as %s.")
	say("number", tally{x.again.N, x.again.First}, "Xero takes two documents of one number for one: %s %s a number that "+
		"was taken, such as %s. Give each brand a prefix of its own.")
	say("vat", x.taxed, "Xero works VAT out again, at the standard rate: %s %s other VAT, such as %s. "+
		"Use the manual journals for these days.")
	return wrong
}

// xeroAgrees tells whether Xero works out the same VAT as the document has, but for rounding each line.
func xeroAgrees(p billing.Paper) bool {
	if p.VATCents == nil {
		return true
	}
	var vat int64
	for _, l := range p.Lines {
		if bearsVAT(p, l) {
			vat += decimal.NewFromInt(l.AmountCents).Mul(p.Percent).
				DivRound(p.Percent.Add(decimal.NewFromInt(100)), 12).Round(0).IntPart()
		}
	}
	return max(vat-*p.VATCents, *p.VATCents-vat) <= int64(len(p.Lines))
}

func bearsVAT(p billing.Paper, l billing.Line) bool {
	if p.VATCents == nil || l.VATCents == nil {
		return p.VATCents != nil && *p.VATCents != 0
	}
	return *l.VATCents != 0
}

// writeXeroInvoices writes one row for each line, with prices that include VAT. Credit notes are below zero.
func writeXeroInvoices(t *text, b *journal.Book) {
	t.table(xeroInvoiceHead, func(row func(...string)) {
		for _, d := range b.Documents {
			p, to := d.Paper, d.Paper.Recipient
			due := d.Entry.Day
			if by := p.Purchase.Due; p.Kind == billing.Invoiced && !by.IsZero() && calendar.DateOf(by).After(due) {
				due = calendar.DateOf(by)
			}
			revenue := b.Accounts.Of(journal.Revenue, d.Entry.BrandID)
			for _, l := range p.Lines {
				about, quantity, unit := lineOf(p, l)
				tax := b.TaxRate
				if bearsVAT(p, l) {
					tax = b.SalesTax
				}
				row(contact(d), harmless(to.Email), harmless(to.Street), "", "", "", harmless(to.City), "",
					harmless(to.ZipCode), harmless(to.Country), harmless(p.Number), reference(d), day(d.Entry.Day), day(due), "",
					about, quantity,
					money.Plain(unit), "", revenue.Code, tax, "", "", "", "", p.Currency, "")
			}
		}
	})
}

// reference says whose purchase it is, and on which day it was issued where that month was closed.
func reference(d journal.Document) string {
	text := harmless(d.Paper.Purchase.ReferenceGenerated)
	if d.Paper.Cancels != "" {
		text = harmless(d.Paper.Cancels)
	}
	if d.Entry.TrueDay != d.Entry.Day {
		text += ", issued " + d.Entry.TrueDay.String()
	}
	return text
}

// lineOf is what a line says, its quantity and the price of one in cents. Xero takes discounts in percent alone, so
// what is not simply quantity by price is one piece, and the text says how it came about.
func lineOf(p billing.Paper, l billing.Line) (about, quantity string, unit int64) {
	about, sign := cut(harmless(l.Text), longestXeroText), int64(1)
	if p.Kind == billing.Credited {
		sign = -1
	}
	if about == "" {
		about = "Item"
	}
	whole := decimal.NewFromInt(l.UnitCents).Mul(l.Quantity)
	switch {
	case l.Quantity.IsZero() || l.Quantity.Equal(decimal.NewFromInt(1)) && l.DiscountCents == 0:
	case l.DiscountCents == 0 && whole.Equal(decimal.NewFromInt(l.AmountCents)) && l.Quantity.Exponent() >= -4:
		return about, l.Quantity.String(), sign * l.UnitCents
	default:
		about += fmt.Sprintf(" (%s × %s", l.Quantity, money.Plain(l.UnitCents))
		if l.DiscountCents != 0 {
			about += ", discount " + money.Plain(l.DiscountCents)
		}
		about += ")"
	}
	return about, "1", sign * l.AmountCents
}
