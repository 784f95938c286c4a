package papers

import (
	"strings"

	"debitdesk/models/billing"
	"debitdesk/models/locale"
	"debitdesk/views/documents"
)

// Printer draws documents as PDF.
type Printer struct {
	Base string // the public address of the product, without a slash at the end
}

// Draw gives a document as PDF. How the purchase stands is not on it but for a debit
// that collects it, planned or done, which takes the place of the link to pay: so
// the same document gives the bytes that were mailed until a debit is planned or fails.
func (r Printer) Draw(p billing.Paper) ([]byte, error) {
	w := Of(locale.In(locale.English), p)
	b := documents.Bill{
		Title: w.Title, Number: w.Number, IssuerName: w.Issuer[0], Issuer: w.Issuer[1:], Recipient: w.Recipient,
		Notes:   w.Notes,
		Made:    p.CreatedAt,
		VATHead: w.WithVAT, Subject: w.Title + " " + w.Number + " of " + p.Issuer.Name,
	}
	if p.Purchase.IsTest {
		b.Test = "TEST MODE: no bank is contacted and no money moves. This document is not valid."
	}
	for _, f := range w.Facts {
		b.Facts = append(b.Facts, documents.Fact(f))
	}
	for _, l := range w.Lines {
		b.Lines = append(b.Lines, documents.BillLine(l))
	}
	for _, s := range w.Sums {
		b.Sums = append(b.Sums, documents.BillSum(s))
	}
	if p.Kind == billing.Invoiced && p.Debit == nil && p.Paid == nil {
		b.PayAt = Link(r.Base, p)
	}
	return documents.RenderBill(b)
}

// Link is where the client pays; knowing the id is the permission.
func Link(base string, p billing.Paper) string {
	return strings.TrimRight(base, "/") + "/p/" + p.PurchaseID.String() + "/"
}
