// Package papers puts invoices and credit notes into words, once for the hosted
// page, the PDF and the mail, so that all of them say the same. It must not know
// rules or who looks.
package papers

import (
	"strings"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/locale"
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

// Of puts a document into words.
func Of(say locale.Words, p billing.Paper) Words {
	w := Words{Title: title(say, p), Number: p.Number, WithVAT: withVAT(p), Sums: sums(say, p),
		Issuer:    issuer(say, p.Issuer),
		Recipient: recipient(say, p.Recipient)}
	if p.Kind == billing.Invoiced && p.Paid == nil {
		w.Notes = p.Purchase.Details.Notes
	}
	add := func(label, value string) {
		if value != "" {
			w.Facts = append(w.Facts, Fact{label, value})
		}
	}
	if p.Paid != nil {
		add(say.Say("paper.invoice"), p.Number)
		w.Number = Reference(p.Purchase)
	} else {
		add(say.Say("paper.number"), p.Number)
	}
	add(say.Say("paper.credits"), p.Cancels)
	add(say.Say("paper.reference"), Reference(p.Purchase))
	add(say.Say("paper.issued"), say.Day(p.Issued))
	if p.Paid != nil {
		add(say.Say("paper.paid"), say.Day(calendar.DateOf(p.Paid.PaidOn)))
	} else if p.Kind == billing.Invoiced && p.Purchase.DueGiven {
		add(say.Say("paper.due"), dueWords(say, p.Purchase))
	}
	if p.Kind == billing.Invoiced && p.Debit != nil && p.Paid == nil {
		add(say.Say("paper.debit_date"), debitDate(say, *p.Debit))
		add(say.Say("paper.from_account"), Account(say, *p.Debit))
	}
	for _, l := range p.Lines {
		line := Line{Text: textOf(say, l), Quantity: quantity(say, l, p), Amount: money.Format(l.AmountCents, p.Currency)}
		if l.VATCents != nil {
			line.VAT = money.Format(*l.VATCents, p.Currency)
		}
		w.Lines = append(w.Lines, line)
	}
	return w
}

// textOf is what a line is for. Those that are no products have words of ours.
func textOf(say locale.Words, l billing.Line) string {
	switch {
	case l.Brought:
		return say.Say("mail.brought_forward")
	case l.Adjusts:
		return say.Say("paper.adjusted")
	case l.PartOf != "":
		return say.Say("paper.part_of", "number", l.PartOf)
	}
	return l.Text
}

func title(say locale.Words, p billing.Paper) string {
	switch {
	case p.Paid != nil:
		return say.Say("paper.receipt")
	case p.Kind == billing.Credited:
		return say.Say("paper.credit_note")
	case p.IsTaxInvoice():
		return say.Say("paper.tax_invoice")
	}
	return say.Say("paper.invoice")
}

func withVAT(p billing.Paper) bool {
	return len(p.Lines) > 0 && p.Lines[0].VATCents != nil
}

// Due is the last day to pay, with the hour where that matters.
func dueWords(say locale.Words, p purchase.Purchase) string {
	text := say.Day(calendar.DateOf(p.Due))
	if p.DueStrict { // nothing can be paid after it
		text += ", " + say.Clock(p.Due) + " SAST"
	}
	return text
}

// DebitDate is when a debit runs. While its account is being deleted that is open.
func debitDate(say locale.Words, d billing.Debit) string {
	if d.OnHold {
		return say.Say("paper.on_hold")
	}
	return say.Day(d.On)
}

// Account names the account of a debit without giving it away: "Capitec •••• 7890".
func Account(say locale.Words, d billing.Debit) string {
	return BankName(say, d.BankCode) + " " + strings.ReplaceAll(d.Mask, " ", money.NBSP)
}

// Reference is what the merchant calls the purchase: its own reference, else ours.
func Reference(p purchase.Purchase) string {
	if p.Reference != "" {
		return p.Reference
	}
	return p.ReferenceGenerated
}

// quantity says how many at which price. An invoice must say so of one, too.
func quantity(say locale.Words, l billing.Line, p billing.Paper) string {
	var parts []string
	if !l.Quantity.IsZero() && (p.Number != "" || l.Quantity.String() != "1" || l.DiscountCents != 0) {
		parts = append(parts, strings.Replace(l.Quantity.String(), ".", ",", 1)+" × "+money.Format(l.UnitCents, p.Currency))
	}
	if l.DiscountCents != 0 {
		parts = append(parts, say.Say("paper.less", "amount", money.Format(l.DiscountCents, p.Currency)))
	}
	return strings.Join(parts, ", ")
}

// sums are the lines below the products. What the merchant chose to display in
// place of a computed sum is displayed (API contract 3.2); total and VAT are stored.
func sums(say locale.Words, p billing.Paper) []Sum {
	var out []Sum
	add := func(label string, cents int64) {
		out = append(out, Sum{Label: label, Amount: money.Format(cents, p.Currency)})
	}
	d := p.Purchase.Details
	if d.SubtotalOverrideCents != nil {
		add(say.Say("paper.subtotal"), *d.SubtotalOverrideCents)
	}
	discount := int64(0)
	for _, l := range p.Lines {
		discount += l.DiscountCents
	}
	if d.DiscountOverrideCents != nil {
		discount = *d.DiscountOverrideCents
	}
	if discount != 0 {
		add(say.Say("paper.discount"), discount)
	}
	switch {
	case p.IsTaxInvoice():
		add(say.Say("paper.net"), p.NetCents())
		label := say.Say("paper.vat")
		if uniform(p) {
			label = say.Say("paper.vat_at", "percent", strings.Replace(p.Percent.String(), ".", ",", 1)+money.NBSP+"%")
		}
		add(label, *p.VATCents)
	default: // what the merchant called tax, without being a vendor
		if tax := billing.TaxNamed(d); tax != 0 || d.TaxOverrideCents != nil {
			add(say.Say("paper.tax"), tax)
		}
	}
	label, cents := say.Say("paper.total"), p.TotalCents
	switch {
	case p.Paid != nil:
		label, cents = say.Say("paper.paid"), p.Paid.AmountCents
	case p.Kind == billing.Credited:
		label = say.Say("paper.total_credited")
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
func issuer(say locale.Words, p billing.Party) []string {
	rows := []string{p.Name}
	if p.LegalName != p.Name {
		rows = append(rows, p.LegalName)
	}
	rows = append(rows, p.Street, strings.TrimSpace(p.City+" "+p.ZipCode), named(say, "mail.registration", p.Registration),
		named(say, "mail.vat", p.VATNumber), Phone(p.Phone), p.Email, p.Website)
	return filled(rows)
}

func recipient(say locale.Words, p billing.Party) []string {
	rows := []string{p.Name}
	if p.LegalName != p.Name {
		rows = append(rows, p.LegalName)
	}
	rows = append(rows, p.Street, strings.TrimSpace(p.City+" "+p.ZipCode), named(say, "mail.vat", p.VATNumber))
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

func named(say locale.Words, key, value string) string {
	if value == "" {
		return ""
	}
	return say.Say(key, "number", value)
}

func filled(rows []string) (out []string) {
	for _, r := range rows {
		if r != "" {
			out = append(out, r)
		}
	}
	return out
}
