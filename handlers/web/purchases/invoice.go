package purchases

import (
	"context"
	"net/url"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// invoiceBlock is the numbered invoice of a purchase; nil when there is none.
func (p *Purchases) invoiceBlock(c echo.Context, rec purchase.Record) (*pages.InvoiceBlock, error) {
	e, err := p.Billing.Entry(c.Request().Context(), access.Actor(c), rec.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil //nolint:nilnil // most purchases have no invoice, and the page shows none
	case err != nil:
		return nil, err
	}
	at := weblink.Payer(rec.ID)
	b := &pages.InvoiceBlock{Title: "Invoice " + e.Number, Pill: words.InvoicePill(e), PDFHref: at + "invoice.pdf",
		PageHref: at + "invoice/?preview"}
	if rec.Brand.Structured() {
		b.StructuredHref = at + "invoice.xml"
	}
	add := func(f components.Fact) { b.Facts.Items = append(b.Facts.Items, f) }
	add(components.Fact{Label: "Number", Value: e.Number, Copy: e.Number})
	add(components.Fact{Label: "Issued", Part: components.When(words.DayTime(e.Issued))})
	if e.VATCents != nil {
		add(components.Fact{Label: "VAT included", Value: words.Sum(*e.VATCents, e.Currency)})
	}
	if e.CreditNote != "" {
		docs, err := p.Billing.Of(c.Request().Context(), rec.MerchantID, rec.ID)
		if err != nil {
			return nil, err
		}
		for _, note := range docs.Credits {
			add(components.Fact{Label: "Credited by", Value: "Credit note " + note.Number + ", " +
				words.Sum(note.TotalCents, note.Currency), Href: at + "invoice.pdf?credit-note=" + note.ID.String()})
			if rec.Brand.Structured() {
				add(components.Fact{Label: "Credit note as UBL", Value: note.StructuredName(),
					Href: at + "invoice.xml?credit-note=" + note.ID.String()})
			}
		}
		if docs.Stands() {
			add(components.Fact{Label: "Left of the invoice", Value: words.Sum(docs.LeftCents(), e.Currency)})
		}
	}
	if e.MailState != "" {
		add(components.Fact{Label: "Mail", Part: components.Status(words.MailPill(e.MailState, e.MailError))})
		add(components.Fact{Label: "Mailed to", Value: e.MailTo})
	}
	if e.MailState == mail.Failed {
		b.Failed = "The mail to " + e.MailTo + " could not be delivered: " + e.MailError
		if rec.Payable(p.Desk.Now()) {
			b.CorrectHref = words.PurchasePath(rec.ID, "address")
		}
	}
	return b, nil
}

var addressAct = purchaseAct{
	path: "address",
	ask: func(p *Purchases, rec purchase.Record, _ actor.Actor, typed url.Values) pages.ActView {
		email := rec.Payer.Email
		if typed != nil {
			email = typed.Get("email")
		}
		return pages.ActView{Title: "Correct the address of purchase " + words.Reference(rec.Purchase),
			Blocked: notPayable(rec, p.Desk.Now()),
			Question: components.Confirm{Title: "Where should the mail to " + words.PayerName(rec.Purchase) + " go?",
				Text:   "The client’s address is changed too, and the mail that failed is sent again.",
				Button: "Correct address and send again", Safe: true},
			Text: &components.Field{Label: "E-mail address", Name: "email", Type: "email", Value: email, Autocomplete: "off",
				MaxLength: 254, Required: true}}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, form url.Values) (purchase.Record,
		error) {
		return p.Service.CorrectAddress(ctx, who, rec.ID, form.Get("email"))
	},
	answer: func(rec purchase.Record) string { return "The mail to " + rec.Payer.Email + " is on its way." },
}
