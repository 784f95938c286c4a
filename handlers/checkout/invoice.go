package checkout

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/download"
	"debitdesk/handlers/papers"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// Invoice serves GET /p/:id/invoice: the lines with their total, and the receipt
// once it is paid. What it says is what the PDF says.
func (p *Pages) Invoice(c echo.Context) error {
	rec, err := p.open(c)
	if err != nil {
		return err
	}
	if rec, err = p.view(c, rec); err != nil {
		return err
	}
	ctx := c.Request().Context()
	offer, err := p.Purchases.Offer(ctx, rec)
	if err != nil {
		return err
	}
	docs, err := p.Billing.Of(ctx, rec.MerchantID, rec.ID)
	if err != nil {
		return err
	}
	paper, err := p.Billing.Paper(ctx, rec)
	if err != nil {
		return err
	}
	return p.send(c, http.StatusOK, rec, func(w locale.Words, languages []components.LanguageLink) templ.Component {
		v := p.invoiceView(w, rec, paper, docs, offer)
		v.Frame.Languages = languages
		return checkout.Invoice(v)
	})
}

func (p *Pages) invoiceView(w locale.Words, rec purchase.Record, paper billing.Paper, docs billing.Documents,
	offer purchase.Offer) checkout.InvoiceView {
	v := invoiceView(papers.Of(w, paper))
	v.For, v.VATHead, v.AmountHead = w.Say("pay.for"), w.Say("pay.vat_included"), w.Say("pay.amount")
	v.From, v.To = w.Say("pay.from"), w.Say("pay.to")
	v.State = State(w, rec)
	add := func(label, value string) {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: label, Value: value})
	}
	for _, note := range docs.Credits {
		add(w.Say("mail.credit.total"), w.Say("pay.credited", "amount", w.Money(note.TotalCents, note.Currency), "number",
			note.Number))
		v.Files = append(v.Files, components.Link{Text: w.Say("pay.pdf.credit", "number", note.Number),
			Href: weblink.Payer(rec.ID) + "invoice.pdf?credit-note=" + note.ID.String()})
		if rec.Brand.Structured() {
			v.Files = append(v.Files, components.Link{Text: w.Say("pay.ubl.credit", "number", note.Number),
				Href: weblink.Payer(rec.ID) + "invoice.xml?credit-note=" + note.ID.String()})
		}
	}
	if part := rec.PartPaidCents(); part > 0 {
		add(w.Say("pay.so_far"), w.Money(part, rec.Currency))
		add(w.Say("pay.still"), w.Money(rec.OpenCents(), rec.Currency))
	}
	if docs.Invoice != nil {
		files := []components.Link{{Text: w.Say("pay.pdf.invoice"), Href: weblink.Payer(rec.ID) + "invoice.pdf"}}
		if rec.Brand.Structured() {
			files = append(files, components.Link{Text: w.Say("pay.ubl.invoice"), Href: weblink.Payer(rec.ID) + "invoice.xml"})
		}
		v.Files = append(files, v.Files...)
	}
	if rec.Payment != nil {
		v.Receipt = true
		if paper.Number == "" {
			v.Title = w.Say("paper.receipt")
		}
		v.Files = append(v.Files, components.Link{Text: w.Say("pay.pdf.receipt"),
			Href: weblink.Payer(rec.ID) + "receipt.pdf"})
		add(w.Say("paper.paid"), w.Day(calendar.DateOf(rec.Payment.PaidOn)))
	}
	v.Frame = p.frame(w, rec, v.Title)
	if offer.Open() {
		v.Action, v.ActionTo = w.Say("mail.reminder.pay_this"), weblink.Payer(rec.ID)
		if offer.FirstDebit.IsZero() {
			v.Action = w.Say("pay.set_up")
		}
	}
	return v
}

func invoiceView(w papers.Words) checkout.InvoiceView {
	v := checkout.InvoiceView{Title: w.Title, Notes: w.Notes, WithVAT: w.WithVAT, Seller: w.Issuer, Payer: w.Recipient}
	for _, f := range w.Facts {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: f.Label, Value: f.Value})
	}
	for _, l := range w.Lines {
		v.Lines = append(v.Lines, checkout.InvoiceLine(l))
	}
	for _, s := range w.Sums {
		v.Sums = append(v.Sums, checkout.Sum(s))
	}
	return v
}

// InvoicePDF serves GET /p/:id/invoice.pdf: the file that was mailed, in the language of its reader, and with
// ?credit-note the one that took it back. A purchase without a number has none.
func (p *Pages) InvoicePDF(c echo.Context) error {
	rec, inv, err := p.document(c)
	if err != nil {
		return err
	}
	reads, err := p.reads(c, rec)
	if err != nil {
		return err
	}
	pdf, err := p.Billing.PDF(c.Request().Context(), inv, rec.Purchase, reads)
	if err != nil {
		return err
	}
	return download.Show(c, inv.FileName(), "application/pdf", pdf)
}

// InvoiceXML serves GET /p/:id/invoice.xml: the same documents as structured files, where the brand writes them.
func (p *Pages) InvoiceXML(c echo.Context) error {
	rec, inv, err := p.document(c)
	if err != nil {
		return err
	}
	file, err := p.Billing.StructuredFile(c.Request().Context(), inv, rec.Purchase)
	if err != nil {
		return err
	}
	return download.Send(c, inv.StructuredName(), purchase.StructuredType, file)
}

// document is the invoice of a purchase, or the credit note that the address asks for; NotFound where there is none.
func (p *Pages) document(c echo.Context) (rec purchase.Record, doc billing.Invoice, err error) {
	if rec, err = p.open(c); err != nil {
		return rec, doc, err
	}
	docs, err := p.Billing.Of(c.Request().Context(), rec.MerchantID, rec.ID)
	if err != nil {
		return rec, doc, err
	}
	inv := docs.Invoice
	if c.QueryParams().Has("credit-note") {
		id, _ := uuid.Parse(c.QueryParam("credit-note")) // none, or one that is not an id: the newest
		if note, known := docs.CreditNote(id); known {
			inv = &note
		} else {
			inv = nil
		}
	}
	if inv == nil {
		return rec, doc, fault.Missing()
	}
	return rec, *inv, nil
}

// ReceiptPDF serves GET /p/:id/receipt.pdf: the receipt that was mailed, as long as the payment stands.
func (p *Pages) ReceiptPDF(c echo.Context) error {
	rec, err := p.open(c)
	if err != nil {
		return err
	}
	reads, err := p.reads(c, rec)
	if err != nil {
		return err
	}
	pdf, err := p.Billing.Receipt(c.Request().Context(), rec, reads)
	if err != nil {
		return err
	}
	return download.Show(c, "receipt.pdf", "application/pdf", pdf)
}

// State is how it stands, in a word.
func State(w locale.Words, rec purchase.Record) components.Pill {
	switch rec.Status {
	case purchase.Paid, purchase.Cleared, purchase.Settled:
		return components.Pill{Kind: "done", Word: w.Say("state.paid")}
	case purchase.Preauthorized:
		return components.Pill{Kind: "done", Word: w.Say("state.stored")}
	case purchase.PendingCharge, purchase.PendingExecute:
		return components.Pill{Kind: "progress", Word: w.Say("state.under_way")}
	case purchase.Failed:
		return components.Pill{Kind: "bad", Word: w.Say("state.not_paid")}
	case purchase.Overdue:
		return components.Pill{Kind: "wait", Word: w.Say("state.overdue")}
	case purchase.Expired:
		return components.Pill{Kind: "draft", Word: w.Say("state.expired")}
	case purchase.Cancelled:
		return components.Pill{Kind: "draft", Word: w.Say("state.cancelled")}
	case purchase.Chargeback:
		return components.Pill{Kind: "bad", Word: w.Say("state.disputed")}
	case purchase.PendingRefund:
		return components.Pill{Kind: "wait", Word: w.Say("state.refunding")}
	case purchase.Refunded:
		if rec.PartlyRefunded() {
			return components.Pill{Kind: "done", Word: w.Say("state.partly_refunded")}
		}
		return components.Pill{Kind: "draft", Word: w.Say("state.refunded")}
	default:
		return components.Pill{Kind: "wait", Word: w.Say("state.open")}
	}
}
