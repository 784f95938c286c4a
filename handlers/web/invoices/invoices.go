// Package invoices serves the list of invoices.
package invoices

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/facet"
	"debitdesk/models/mail"
	"debitdesk/views/components"
)

// Invoices serves the list of invoices; one invoice is shown with its purchase.
type Invoices struct {
	Desk    *kit.Desk
	Service *billing.Service
	Exports *kit.Exports
	// Batch finds a batch that the list is narrowed to.
	Batch kit.FindBatch
	// Choose lets invoices be chosen, by their purchases.
	Choose kit.Choosing[billing.Entry]
}

const invoices = "invoices"

func (h *Invoices) list() kit.Shown {
	return &kit.List[billing.Entry, billing.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/invoices", Active: invoices, One: "invoice",
		Head:  components.PageHead{Title: "Invoices"},
		Query: h.Service.List, ID: func(e billing.Entry) uuid.UUID { return e.PurchaseID },
		Count: func(ctx context.Context, who actor.Actor, f billing.Filter) (kit.Tally, error) {
			counts, err := h.Service.Counts(ctx, who, f)
			if counts == nil {
				return kit.Tally{}, err
			}
			found := func(s billing.State) kit.RowsFound {
				if s != "" && s.Statuses() == nil { // counted beside the others
					return kit.FoundUpTo(counts[s], billing.CountLimit)
				}
				return kit.FoundWithin(true, s != "", counts[""], counts[s], billing.CountLimit)
			}
			t := kit.Tally{Found: found(f.State), Of: func(v kit.View) kit.RowsFound { return found(billing.State(v.Value)) }}
			if n, exact := t.Found.Exactly(); exact && n > 0 {
				sum, known, err := h.Service.Sum(ctx, who, f, n)
				if err != nil {
					return t, err
				}
				if known {
					t.Sum, t.Cents = " · "+words.SumOf(sum.Cents, sum.Currency), kit.SumIn(sum.Cents, sum.Currency)
				}
			}
			return t, err
		},
		By: "state", Views: []kit.View{
			kit.ViewOf("Sent", "state", billing.Sent),
			kit.ViewOf("Viewed", "state", billing.Viewed),
			kit.ViewOf("Scheduled", "state", billing.Scheduled),
			kit.ViewOf("Failed or overdue", "state", billing.Overdue),
			kit.ViewOf("Paid", "state", billing.Paid),
			kit.ViewOf("Disputed", "state", billing.Disputed),
			kit.ViewOf("Cancelled or expired", "state", billing.Closed),
		},
		Search: kit.Search[billing.Filter]{Label: "Search invoices", Holder: "Number, client, e-mail or reference",
			Set: func(f *billing.Filter, text string) { f.Search = text }},
		Filters: slices.Concat([]kit.Filter[billing.Filter]{
			stateFilter(),
			kit.PeriodFilter("due", "Due", func(f *billing.Filter) *time.Time { return &f.DueFrom },
				func(f *billing.Filter) *time.Time { return &f.DueTo }),
			kit.FromDay("due_from", "Due from", func(f *billing.Filter) *time.Time { return &f.DueFrom }),
			kit.ToDay("due_to", "Due to", func(f *billing.Filter) *time.Time { return &f.DueTo }),
			kit.AmountFilter("amount_min", "Amount from", "≥", func(f *billing.Filter) *int64 { return &f.MinCents }),
			kit.AmountFilter("amount_max", "Amount to", "≤", func(f *billing.Filter) *int64 { return &f.MaxCents }),
		}, h.besideFilters()),
		Columns: invoiceColumns, Sorts: billing.Sorts, Choose: h.Choose, Peeks: true,
		Empty: components.Empty{Icon: "file", Title: "No invoice yet",
			Text: "A purchase gets its invoice, with its own number, when it is billed or first mailed."},
	}
}

// stateFilter is set by the tabs, which divide all invoices, and in the menu by what cuts across them.
func stateFilter() kit.Filter[billing.Filter] {
	across := components.Select{Label: "Also", Blank: "Any", Quiet: true, Options: []components.Option{
		{Value: string(billing.CreditedAs), Text: "With a credit note"},
		{Value: string(billing.MailFailed), Text: "Mail failed"}}}
	f := kit.StateFilter("state", "an invoice status", billing.States,
		func(f *billing.Filter) *billing.State { return &f.State })
	f.Input = kit.ChooseFrom("state", across)
	f.Chip = func(_ *kit.Listing, text string) string {
		for _, o := range across.Options {
			if o.Value == text {
				return o.Text
			}
		}
		return ""
	}
	return f
}

// besideFilters are by the newest debit of an invoice, by the account that is debited, and by what it was made by.
func (h *Invoices) besideFilters() []kit.Filter[billing.Filter] {
	facets := func(f *billing.Filter) *facet.Filter { return &f.Facets }
	return append(kit.DebitDateFilters("Debit date", facets),
		kit.AnswerFilter(h.Desk.Facets, facets),
		kit.MethodFilter(func(f *billing.Filter) *bank.Method { return &f.Facets.Method }),
		kit.BankFilter(facets), kit.HealthFilter(facets), kit.MakerFilter(h.Desk.Facets, "Made by", facets),
		kit.FailedAgainFilter("Failed more than once", facets),
		kit.BatchFilter(h.Batch, h.Desk.Facets, func(f *billing.Filter) *uuid.UUID { return &f.BatchID }),
		kit.TemplateFilter(h.Desk.Facets, func(f *billing.Filter) *uuid.UUID { return &f.TemplateID }))
}

// List serves GET /invoices.
func (h *Invoices) List(c echo.Context) error { return h.list().Show(c) }

// Export serves GET /invoices/export.
func (h *Invoices) Export(c echo.Context) error { return h.list().Export(c) }

// Exported is the list for exports in the background.
func (h *Invoices) Exported() kit.Exportable { return h.list() }

var invoiceColumns = []kit.Column[billing.Entry]{
	kit.ColumnOf("Number", func(e billing.Entry) components.Cell {
		cell := components.Cell{Text: e.Number, Href: words.PurchasePath(e.PurchaseID), Look: "nowrap"}
		if e.CreditNote != "" {
			cell.Second = "credit note " + e.CreditNote
		}
		return cell
	}).FileText("Number", 17, func(e billing.Entry) string { return e.Number }).SortBy("number"),
	kit.ColumnOf("Client", func(e billing.Entry) components.Cell {
		return components.Cell{Text: invoiceClient(e), Second: e.Email}
	}).FileText("Client", 28, invoiceClient).FileText("E-mail", 30,
		func(e billing.Entry) string { return e.Email }).SortText("client").OnCard(kit.Lead),
	kit.ColumnOf("Total, R", func(e billing.Entry) components.Cell {
		return components.Cell{Text: words.Minus(words.AmountIn(e.TotalCents, e.Currency))}
	}).Number().InFile("Total", 13, func(e billing.Entry) export.Cell { return export.Amount(e.TotalCents) }).
		InFile("VAT amount", 13, func(e billing.Entry) export.Cell {
			if e.VATCents == nil {
				return export.Cell{}
			}
			return export.Amount(*e.VATCents)
		}).FileText("Currency", 9, func(e billing.Entry) string { return e.Currency }).SortBy("amount").OnCard(kit.Aside),
	kit.PillColumn("State", 18, words.InvoicePill),
	kit.DateColumn("Issued", 12, func(e billing.Entry) calendar.Date { return e.Issued }),
	kit.DayColumn("Due", 12, "", func(e billing.Entry) time.Time { return Given(e.Due, e.DueGiven) }).
		Zoned().
		SortBy("due"),
	kit.ColumnOf("Mail", func(e billing.Entry) components.Cell {
		cell := components.Cell{Pill: invoiceMail(e)}
		if e.MailState == mail.Failed {
			cell.Under = components.To(components.Link{Text: "Correct address",
				Href: words.PurchasePath(e.PurchaseID, "address")})
		}
		return cell
	}).FileText("Mail", 10, func(e billing.Entry) string { return invoiceMail(e).Word }).
		FileText("Mail error", 32, func(e billing.Entry) string { return e.MailError }),
	kit.FileColumns[billing.Entry]().FileText("Credit note", 17, func(e billing.Entry) string { return e.CreditNote }),
}

func invoiceMail(e billing.Entry) components.Pill { return words.MailPill(e.MailState, e.MailError) }

func invoiceClient(e billing.Entry) string { return cmp.Or(e.Payer, e.Email, e.Recipient.Name) }

// Given is a time that somebody gave; the zero time otherwise.
func Given(at time.Time, ok bool) time.Time {
	if !ok {
		return time.Time{}
	}
	return at
}
