// Package ubl writes invoices and credit notes as structured files that accounting programs read: UBL 2.1 by the rules
// of EN 16931 and Peppol BIS Billing 3. It must not know how a document is numbered, drawn or sent; what a document
// comes to, it takes from the one that is printed.
//
// Prices include VAT here and are without it there. So the value of a line is its amount less the VAT in it, the values
// and the VAT of all lines add up to the cent to what is printed, and only the price of one unit has more than two
// decimals.
package ubl

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"regexp"
	"strings"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/endpoint"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// Write gives the structured file of an invoice or a credit note. It is a Conflict where the document lacks what such a
// file must say; the sentence says what.
func Write(p billing.Paper) ([]byte, error) {
	lines, err := linesOf(p)
	if err != nil {
		return nil, err
	}
	if err := agree(subtotals(lines)); err != nil {
		return nil, err
	}
	doc, err := documentOf(p, lines)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	enc := xml.NewEncoder(&out)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func documentOf(p billing.Paper, lines []line) (document, error) {
	if p.Number == "" {
		return document{}, fault.New(fault.Conflict, "not_numbered", "No invoice was issued for this purchase.")
	}
	d := document{CAC: aggregates, CBC: basics, Customization: customization, Profile: profile, ID: p.Number,
		Issued: p.Issued.String(), Currency: p.Currency, BuyerReference: reference(p)}
	if p.Purchase.IsTest {
		d.Note = testNote
	}
	if p.Kind == billing.Credited {
		d.XMLName, d.NS, d.CreditNoteType = xml.Name{Local: "CreditNote"}, creditNotes, creditNoteCode
		d.Credits = &documentReference{ID: p.Cancels}
		d.Terms = &terms{"Taken off invoice " + p.Cancels + "."}
	} else {
		d.XMLName, d.NS, d.InvoiceType = xml.Name{Local: "Invoice"}, invoices, invoiceCode
		d.Due = p.Issued.String()
		if !p.Purchase.Due.IsZero() {
			d.Due = calendar.DateOf(p.Purchase.Due).String()
		}
		if p.Debit != nil && p.Debit.MandateReference != "" {
			d.Means = &means{Code: directDebitCode, Mandate: p.Debit.MandateReference}
		}
	}
	var err error
	if d.Supplier, err = supplier(p); err != nil {
		return d, err
	}
	if d.Customer, err = customer(p); err != nil {
		return d, err
	}
	d.add(p, lines)
	return d, nil
}

// add writes the lines and what they come to.
func (d *document) add(p billing.Paper, lines []line) {
	cents := func(n int64) amount { return amountOf(n, p.Currency) }
	var net, vat int64
	for _, s := range subtotals(lines) {
		net, vat = net+s.net, vat+s.vat
		d.Tax.Subtotals = append(d.Tax.Subtotals, taxSubtotal{cents(s.net), cents(s.vat), s.category.element(true)})
	}
	d.Tax.Amount = cents(vat)
	d.Total = monetaryTotal{Lines: cents(net), WithoutTax: cents(net), WithTax: cents(net + vat),
		Payable: cents(net + vat)}
	for n, l := range lines {
		e := l.element(n+1, p.Currency)
		if p.Kind == billing.Credited {
			e.Credited, e.Invoiced = e.Invoiced, nil
			d.CreditLines = append(d.CreditLines, e)
		} else {
			d.InvoiceLines = append(d.InvoiceLines, e)
		}
	}
}

// reference is what the buyer knows the purchase by.
func reference(p billing.Paper) string {
	return cmp.Or(strings.TrimSpace(p.Purchase.Reference), p.Purchase.ReferenceGenerated, p.Number)
}

func supplier(p billing.Paper) (party, error) {
	from := p.Issuer
	out, addressed := partyOf(from)
	switch {
	case !addressed:
		return out, lacks("The business had no electronic address and no e-mail address when this document was issued.")
	case p.IsTaxInvoice() && !merchant.IsVATNumber(p.VATNumber):
		return out, lacks("The business had no VAT number when this document was issued.")
	case !p.IsTaxInvoice() && out.Legal.Company == "":
		return out, lacks("The business had neither a VAT number nor a company registration number when this document " +
			"was issued.")
	case p.IsTaxInvoice():
		out.Tax = &partyTax{Company: home + p.VATNumber, Scheme: vatScheme}
	}
	return out, nil
}

// customer names no VAT number where no VAT is charged: the rules for such a document forbid it.
func customer(p billing.Paper) (party, error) {
	out, addressed := partyOf(p.Recipient)
	if !addressed {
		return out, lacks("The client has no electronic address and no e-mail address.")
	}
	if number := strings.ReplaceAll(p.Recipient.VATNumber, " ", ""); p.IsTaxInvoice() && merchant.IsVATNumber(number) {
		out.Tax = &partyTax{Company: home + number, Scheme: vatScheme}
	}
	return out, nil
}

func lacks(sentence string) error {
	return fault.New(fault.Conflict, "not_structured", "%s A structured file must name it.", sentence)
}

// partyOf is false where the party has no address to which a file could be sent.
func partyOf(p billing.Party) (out party, addressed bool) {
	at, err := endpoint.Parse(p.ElectronicAddress)
	if err != nil || at == (endpoint.Address{}) {
		at = endpoint.OfMail(p.Email)
	}
	name := strings.TrimSpace(cmp.Or(p.LegalName, p.Name, p.Email))
	country := home
	if twoLetters.MatchString(p.Country) {
		country = p.Country
	}
	out = party{Endpoint: identifier{at.Scheme, at.ID},
		Address: postalAddress{Street: strings.TrimSpace(p.Street), City: strings.TrimSpace(p.City),
			Zone: strings.TrimSpace(p.ZipCode), Country: country},
		Legal: legalEntity{Name: name, Company: strings.TrimSpace(p.Registration)}}
	if trading := strings.TrimSpace(p.Name); trading != "" && trading != name {
		out.Name = &partyName{trading}
	}
	return out, at != endpoint.Address{} && name != ""
}

var twoLetters = regexp.MustCompile(`^[A-Z]{2}$`)
