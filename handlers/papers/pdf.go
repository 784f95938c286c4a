package papers

import (
	"strings"

	"debitdesk/models/billing"
	"debitdesk/models/locale"
	"debitdesk/models/weblink"
	"debitdesk/views/documents"
)

// Printer draws documents as PDF.
type Printer struct {
	Base string // the public address of the product, without a slash at the end
}

// Draw gives a document as PDF, in the language that the paper names. How the purchase stands is not on it but for a
// debit that collects it, planned or done, which takes the place of the link to pay: so the same document gives the
// bytes that were mailed until a debit is planned or fails.
func (r Printer) Draw(p billing.Paper) ([]byte, error) {
	l, _ := locale.Parse(string(p.Reads))
	return documents.RenderBill(locale.Whole(l, func(say locale.Words) documents.Bill { return r.bill(say, p) }))
}

func (r Printer) bill(say locale.Words, p billing.Paper) documents.Bill {
	w := Of(say, p)
	b := documents.Bill{
		Title: w.Title, Number: w.Number, IssuerName: w.Issuer[0], Issuer: w.Issuer[1:], Recipient: w.Recipient,
		Notes: w.Notes, Logo: p.Letterhead,
		Made:    p.CreatedAt,
		VATHead: w.WithVAT, Subject: say.Say("paper.about", "title", w.Title, "number", w.Number, "business", p.Issuer.Name),
		Frame: FrameOf(say),
		Labels: documents.Labels{From: say.Say("pay.from"), To: say.Say("pay.to"),
			Description: say.Say("paper.description"), VAT: say.Say("pay.vat_included"), Amount: say.Say("pay.amount"),
			PayOnline: say.Say("paper.pay_online")},
	}
	if p.Purchase.IsTest {
		b.Test = say.Say("paper.test")
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
	return b
}

// FrameOf is what stands around the words of a document in a language.
func FrameOf(say locale.Words) documents.Frame {
	return documents.Frame{Language: say.Tag(), Page: say.Say("paper.page"), Unprintable: say.Say("paper.unprintable")}
}

// Link is where the client pays; knowing the id is the permission.
func Link(base string, p billing.Paper) string {
	return strings.TrimRight(base, "/") + weblink.Payer(p.PurchaseID)
}
