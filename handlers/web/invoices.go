package web

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// Invoices serves the list of invoices; one invoice is shown with its purchase.
type Invoices struct {
	Desk    *Desk
	Service *billing.Service
	Exports *Exports
	// Batch finds a batch that the list is narrowed to.
	Batch FindBatch
}

const invoices = "invoices"

func (h *Invoices) list() *List[billing.Entry, billing.Filter] {
	return &List[billing.Entry, billing.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/invoices", Active: invoices, One: "invoice",
		Head:  components.PageHead{Title: "Invoices"},
		Query: h.Service.List, ID: func(e billing.Entry) uuid.UUID { return e.PurchaseID },
		Count: func(ctx context.Context, who actor.Actor, f billing.Filter) (Tally, error) {
			counts, err := h.Service.Counts(ctx, who, f)
			found := func(s billing.State) rowsFound {
				if s != "" && s.Statuses() == nil { // counted beside the others
					return foundUpTo(counts[s], purchase.CountLimit)
				}
				return foundWithin(true, s != "", counts[""], counts[s], purchase.CountLimit)
			}
			return Tally{Found: found(f.State), Of: func(v View) rowsFound { return found(billing.State(v.Value)) }}, err
		},
		By: "state", Views: []View{
			viewOf("Sent", "state", billing.Sent),
			viewOf("Viewed", "state", billing.Viewed),
			viewOf("Overdue", "state", billing.Overdue),
			viewOf("Paid", "state", billing.Paid),
			viewOf("Credited", "state", billing.CreditedAs),
			viewOf("Mail failed", "state", billing.MailFailed),
		},
		Search: Search[billing.Filter]{Label: "Search invoices", Holder: "Number, client, e-mail or reference",
			Set: func(f *billing.Filter, text string) { f.Search = text }},
		Filters: []Filter[billing.Filter]{
			stateFilter("state", "an invoice status", billing.States,
				func(f *billing.Filter) *billing.State { return &f.State }),
			batchFilter(h.Batch, func(f *billing.Filter) *uuid.UUID { return &f.BatchID }),
			fromDay("due_from", "Due from", func(f *billing.Filter) *time.Time { return &f.DueFrom }),
			toDay("due_to", "Due to", func(f *billing.Filter) *time.Time { return &f.DueTo }),
		},
		Columns: invoiceColumns,
		Empty: components.Empty{Icon: "file", Title: "No invoice yet",
			Text: "A purchase gets its invoice, with its own number, when it is billed or first mailed."},
	}
}

// List serves GET /invoices.
func (h *Invoices) List(c echo.Context) error { return h.list().Show(c) }

// Export serves GET /invoices/export.
func (h *Invoices) Export(c echo.Context) error { return h.list().Export(c) }

var invoiceColumns = []Column[billing.Entry]{
	column("Number", func(e billing.Entry) components.Cell {
		cell := components.Cell{Text: e.Number, Href: purchasePath(e.PurchaseID), Look: "nowrap"}
		if e.CreditNote != "" {
			cell.Second = "credit note " + e.CreditNote
		}
		return cell
	}).fileText("Number", 17, func(e billing.Entry) string { return e.Number }),
	column("Client", func(e billing.Entry) components.Cell {
		return components.Cell{Text: invoiceClient(e), Second: e.Email}
	}).fileText("Client", 28, invoiceClient).fileText("E-mail", 30, func(e billing.Entry) string { return e.Email }),
	column("Total, R", func(e billing.Entry) components.Cell {
		return components.Cell{Text: minus(amountIn(e.TotalCents, e.Currency))}
	}).number().file("Total", 13, func(e billing.Entry) export.Cell { return export.Amount(e.TotalCents) }).
		file("VAT amount", 13, func(e billing.Entry) export.Cell {
			if e.VATCents == nil {
				return export.Cell{}
			}
			return export.Amount(*e.VATCents)
		}).fileText("Currency", 9, func(e billing.Entry) string { return e.Currency }),
	pillColumn("State", 18, invoicePill),
	dateColumn("Issued", 12, func(e billing.Entry) calendar.Date { return e.Issued }),
	dayColumn("Due", 12, "", func(e billing.Entry) time.Time { return given(e.Due, e.DueGiven) }).zoned(),
	column("Mail", func(e billing.Entry) components.Cell {
		cell := components.Cell{Pill: invoiceMail(e)}
		if e.MailState == mail.Failed {
			cell.Under = components.To(components.Link{Text: "Correct address", Href: purchasePath(e.PurchaseID, "address")})
		}
		return cell
	}).fileText("Mail", 10, func(e billing.Entry) string { return invoiceMail(e).Word }).
		fileText("Mail error", 32, func(e billing.Entry) string { return e.MailError }),
	fileColumns[billing.Entry]().fileText("Credit note", 17, func(e billing.Entry) string { return e.CreditNote }),
}

func invoiceMail(e billing.Entry) components.Pill { return mailPill(e.MailState, e.MailError) }

func invoiceClient(e billing.Entry) string { return cmp.Or(e.Payer, e.Email, e.Recipient.Name) }

// given is a time that somebody gave; the zero time otherwise.
func given(at time.Time, ok bool) time.Time {
	if !ok {
		return time.Time{}
	}
	return at
}

// invoicePill is how the invoice stands: what became of its purchase, or that it
// was taken back.
func invoicePill(e billing.Entry) components.Pill {
	if e.CreditNote != "" {
		return components.Pill{
			Kind:  "draft",
			Word:  "Credited",
			Title: "Credited by credit note " + e.CreditNote + ".",
		}
	}
	kind := "progress"
	switch e.Status {
	case purchase.Paid, purchase.Cleared, purchase.Settled:
		kind = "done"
	case purchase.Overdue, purchase.Failed, purchase.Chargeback:
		kind = "bad"
	case purchase.Created:
		return components.Pill{Kind: "draft", Word: "Issued", Title: "The mail with it has not gone out yet."}
	case purchase.Sent, purchase.Viewed:
		kind = "wait"
	case purchase.Cancelled, purchase.Expired, purchase.Refunded:
		kind = "draft"
	default:
	}
	return components.Pill{Kind: kind, Word: statusWord(e.Status)}
}

func mailPill(state, why string) components.Pill {
	switch state {
	case mail.Sent:
		return components.Pill{Kind: "done", Word: "Sent"}
	case mail.Failed:
		return components.Pill{Kind: "bad", Word: "Failed", Title: why}
	case mail.Queued:
		return components.Pill{Kind: "progress", Word: "Waiting", Title: why}
	}
	return components.Pill{}
}
