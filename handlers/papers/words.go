// Package papers puts invoices and credit notes into words, once for the hosted
// page, the PDF and the mail, so that all of them say the same. It must not know
// rules or who looks.
package papers

import (
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// Words are a document in finished words.
type Words struct {
	Title     string // "Tax Invoice"
	Number    string // empty: none was given
	Facts     []Fact
	Lines     []Line
	WithVAT   bool // lines name the VAT in them
	Sums      []Sum
	Notes     string
	Issuer    []string // the name first
	Recipient []string
}

// Fact is a label and its value.
type Fact struct{ Label, Value string }

// Line is one line of what was sold. VAT and Amount are money without its sign of
// currency where the head names it.
type Line struct{ Text, Quantity, VAT, Amount string }

// Sum is one line below the lines; the last one is the total.
type Sum struct {
	Label, Amount string
	Total         bool
}

const day = "2 January 2006"

// Of puts a document into words.
func Of(p billing.Paper) Words {
	w := Words{Title: title(p), Number: p.Number, WithVAT: withVAT(p), Sums: sums(p), Issuer: Issuer(p.Issuer),
		Recipient: recipient(p.Recipient)}
	if p.Kind == billing.Invoiced && p.Paid == nil {
		w.Notes = p.Purchase.Details.Notes
	}
	add := func(label, value string) {
		if value != "" {
			w.Facts = append(w.Facts, Fact{label, value})
		}
	}
	if p.Paid != nil {
		add("Invoice", p.Number)
		w.Number = Reference(p.Purchase)
	} else {
		add("Number", p.Number)
	}
	add("Credits invoice", p.Cancels)
	add("Reference", Reference(p.Purchase))
	add("Issued", p.Issued.Format(day))
	if p.Paid != nil {
		add("Paid", calendar.DateOf(p.Paid.PaidOn).Format(day))
	} else if p.Kind == billing.Invoiced && p.Purchase.DueGiven {
		add("Due", Due(p.Purchase))
	}
	if p.Kind == billing.Invoiced && p.Debit != nil && p.Paid == nil {
		add("Debit date", DebitDate(*p.Debit))
		add("From account", Account(*p.Debit))
	}
	for _, l := range p.Lines {
		line := Line{Text: l.Text, Quantity: quantity(l, p), Amount: money.Format(l.AmountCents, p.Currency)}
		if l.VATCents != nil {
			line.VAT = money.Format(*l.VATCents, p.Currency)
		}
		w.Lines = append(w.Lines, line)
	}
	return w
}

func title(p billing.Paper) string {
	switch {
	case p.Paid != nil:
		return "Receipt"
	case p.Kind == billing.Credited:
		return "Credit Note"
	case p.IsTaxInvoice():
		return "Tax Invoice"
	}
	return "Invoice"
}

func withVAT(p billing.Paper) bool {
	return len(p.Lines) > 0 && p.Lines[0].VATCents != nil
}

// Due is the last day to pay, with the hour where that matters.
func Due(p purchase.Purchase) string {
	text := calendar.DateOf(p.Due).Format(day)
	if p.DueStrict { // nothing can be paid after it
		text += ", " + p.Due.In(calendar.SAST).Format("15:04") + " SAST"
	}
	return text
}

// DebitDate is when a debit runs. While its account is being deleted that is open.
func DebitDate(d billing.Debit) string {
	if d.OnHold {
		return "On hold"
	}
	return d.On.Format(day)
}

// Account names the account of a debit without giving it away: "Capitec •••• 7890".
func Account(d billing.Debit) string {
	name := bank.BankName(d.BankCode)
	if name == "" {
		name = "Branch " + d.BankCode
	}
	return name + " " + strings.ReplaceAll(d.Mask, " ", money.NBSP)
}

// Reference is what the merchant calls the purchase: its own reference, else ours.
func Reference(p purchase.Purchase) string {
	if p.Reference != "" {
		return p.Reference
	}
	return p.ReferenceGenerated
}

// quantity says how many at which price. An invoice must say so of one, too.
func quantity(l billing.Line, p billing.Paper) string {
	var parts []string
	if !l.Quantity.IsZero() && (p.Number != "" || l.Quantity.String() != "1" || l.DiscountCents != 0) {
		parts = append(parts, strings.Replace(l.Quantity.String(), ".", ",", 1)+" × "+money.Format(l.UnitCents, p.Currency))
	}
	if l.DiscountCents != 0 {
		parts = append(parts, "less "+money.Format(l.DiscountCents, p.Currency))
	}
	return strings.Join(parts, ", ")
}

// sums are the lines below the products. What the merchant chose to display in
// place of a computed sum is displayed (API contract 3.2); total and VAT are stored.
func sums(p billing.Paper) []Sum {
	var out []Sum
	add := func(label string, cents int64) {
		out = append(out, Sum{Label: label, Amount: money.Format(cents, p.Currency)})
	}
	d := p.Purchase.Details
	if d.SubtotalOverrideCents != nil {
		add("Subtotal", *d.SubtotalOverrideCents)
	}
	discount := int64(0)
	for _, l := range p.Lines {
		discount += l.DiscountCents
	}
	if d.DiscountOverrideCents != nil {
		discount = *d.DiscountOverrideCents
	}
	if discount != 0 {
		add("Discount included", discount)
	}
	switch {
	case p.IsTaxInvoice():
		add("Amount excluding VAT", p.NetCents())
		label := "VAT"
		if uniform(p) {
			label = "VAT at " + strings.Replace(p.Percent.String(), ".", ",", 1) + money.NBSP + "%"
		}
		add(label, *p.VATCents)
	default: // what the merchant called tax, without being a vendor
		if tax := billing.TaxNamed(d); tax != 0 || d.TaxOverrideCents != nil {
			add("Tax included", tax)
		}
	}
	label, cents := "Total", p.TotalCents
	switch {
	case p.Paid != nil:
		label, cents = "Paid", p.Paid.AmountCents
	case p.Kind == billing.Credited:
		label = "Total credited"
	}
	return append(out, Sum{Label: label, Amount: money.Format(cents, p.Currency), Total: true})
}

// uniform tells whether all lines bear the standard rate.
func uniform(p billing.Paper) bool {
	if p.Purchase.Details.TaxOverrideCents != nil {
		return false
	}
	for _, l := range p.Lines {
		if !l.TaxPercent.IsZero() {
			return false
		}
	}
	return true
}

// Issuer are the lines of who issues a document, the name first.
func Issuer(p billing.Party) []string {
	rows := []string{p.Name}
	if p.LegalName != p.Name {
		rows = append(rows, p.LegalName)
	}
	rows = append(rows, p.Street, strings.TrimSpace(p.City+" "+p.ZipCode), named("Registration ", p.Registration),
		named("VAT number ", p.VATNumber), Phone(p.Phone), p.Email, p.Website)
	return filled(rows)
}

func recipient(p billing.Party) []string {
	rows := []string{p.Name}
	if p.LegalName != p.Name {
		rows = append(rows, p.LegalName)
	}
	rows = append(rows, p.Street, strings.TrimSpace(p.City+" "+p.ZipCode), named("VAT number ", p.VATNumber))
	if p.Email != p.Name {
		rows = append(rows, p.Email)
	}
	return filled(rows)
}

// Phone writes 27821234567 as people write it.
func Phone(phone string) string {
	if len(phone) == 11 && strings.HasPrefix(phone, "27") {
		return "0" + phone[2:4] + " " + phone[4:7] + " " + phone[7:]
	}
	return phone
}

func named(label, value string) string {
	if value == "" {
		return ""
	}
	return label + value
}

func filled(rows []string) (out []string) {
	for _, r := range rows {
		if r != "" {
			out = append(out, r)
		}
	}
	return out
}
