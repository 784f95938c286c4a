package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
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

var invoiceTabs = map[billing.State]string{billing.Sent: "Sent", billing.Viewed: "Viewed", billing.Overdue: "Overdue", billing.Paid: "Paid",
	billing.CreditedAs: "Credited", billing.MailFailed: "Mail failed"}

// List serves GET /invoices.
func (h *Invoices) List(c echo.Context) error {
	l := listingOf(c, "/invoices")
	f := invoiceFilter(l)
	ctx, who := c.Request().Context(), access.Actor(c)
	var err error
	if f.BatchID, err = l.narrowToBatch(ctx, who, h.Batch); err != nil {
		return err
	}
	page, err := h.Service.List(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	counts, err := h.Service.Counts(ctx, who, f)
	if err != nil {
		return err
	}
	view := h.listView(l, f, page, counts)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.InvoiceResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Invoices", invoices, func(fr layout.Frame) templ.Component { return pages.Invoices(fr, view) })
}

func invoiceFilter(l *listing) billing.Filter {
	f := billing.Filter{Search: l.query.Get("q"), State: billing.State(l.query.Get("state"))}
	if f.State != "" && !slices.Contains(billing.States, f.State) {
		l.refuse("‘" + string(f.State) + "’ is not an invoice status. The filter was ignored.")
		f.State = ""
		l.query.Del("state")
	}
	f.DueFrom, f.DueTo = l.dueRange()
	return f
}

func (h *Invoices) listView(l *listing, f billing.Filter, page paging.Page[billing.Entry], counts map[billing.State]int64) pages.InvoicesView {
	now := h.Desk.Now()
	view := pages.InvoicesView{Notices: l.notices, Tabs: components.Tabs{Label: "Invoices by state", Target: "#results"}}
	cut := counts[""] > purchase.CountLimit // the parts of an unfinished count say nothing
	all := grouped(counts[""])
	if cut {
		all = grouped(purchase.CountLimit) + "+"
	}
	view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: "All", Count: all, Href: l.with("state", ""), Active: f.State == ""})
	for _, state := range billing.States {
		tab := components.Tab{Label: invoiceTabs[state], Count: grouped(counts[state]), Href: l.with("state", string(state)), Active: state == f.State}
		if cut && state.Statuses() != nil {
			tab.Count = ""
		}
		view.Tabs.Items = append(view.Tabs.Items, tab)
	}
	found := countWords(counts[f.State], true)
	if cut && f.State != "" {
		found = "many"
	}
	view.Filters = components.FilterBar{Action: "/invoices", Target: "#results", Search: f.Search, SearchLabel: "Search invoices", Holder: "Number, client, e-mail or reference",
		Found: found + " " + plural(counts[f.State], "invoice")}
	view.Filters.Export = exportMenu(invoicesFound(f, counts), len(invoiceHeads), l.exportHref)
	for _, name := range []string{"state", "batch"} {
		if value := l.query.Get(name); value != "" {
			view.Filters.Keep = append(view.Filters.Keep, components.Pair{Name: name, Value: value})
		}
	}
	chip := func(name, label string) {
		view.Filters.Chips = append(view.Filters.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
		view.Filters.ClearHref = "/invoices"
	}
	if f.BatchID != uuid.Nil {
		chip("batch", "Batch "+l.batch)
	}
	if !f.DueFrom.IsZero() {
		chip("due_from", "Due from "+glue(calendar.DateOf(f.DueFrom).Format(dayForm)))
	}
	if !f.DueTo.IsZero() {
		chip("due_to", "Due to "+glue(calendar.DateOf(f.DueTo).Format(dayForm)))
	}
	view.DueFrom = components.DateField{Label: "Due from", Name: "due_from", Value: l.query.Get("due_from")}
	view.DueTo = components.DateField{Label: "Due to", Name: "due_to", Value: l.query.Get("due_to")}
	for _, e := range page.Items {
		view.Rows = append(view.Rows, invoiceRow(e, now))
	}
	view.Pager = pager(l, page, "#results", found, func(e billing.Entry) uuid.UUID { return e.PurchaseID })
	view.Empty = noInvoices(l, f, view.Filters.Chips)
	return view
}

func invoiceRow(e billing.Entry, now time.Time) pages.InvoiceRow {
	row := pages.InvoiceRow{Href: purchasePath(e.PurchaseID), Number: e.Number, Client: orWords(e.Payer, orWords(e.Email, e.Recipient.Name)), Email: e.Email,
		Amount: minus(amountIn(e.TotalCents, e.Currency)), Issued: dayTime(e.Issued), Pill: invoicePill(e), Mail: mailPill(e.MailState, e.MailError)}
	if e.DueGiven {
		row.Due = dayOf(e.Due)
	}
	if e.CreditNote != "" {
		row.Note = "credit note " + e.CreditNote
	}
	if e.MailState == mail.Failed {
		row.MendHref = purchasePath(e.PurchaseID, "address")
	}
	return row
}

// invoicePill is how the invoice stands: what became of its purchase, or that it
// was taken back.
func invoicePill(e billing.Entry) components.Pill {
	if e.CreditNote != "" {
		return components.Pill{Kind: "draft", Word: "Credited", Title: "Credited by credit note " + e.CreditNote + "."}
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

func noInvoices(l *listing, f billing.Filter, chips []components.Chip) components.Empty {
	if f == (billing.Filter{}) && l.ask.From == uuid.Nil {
		return components.Empty{Icon: "file", Title: "No invoice yet", Text: "A purchase gets its invoice, with its own number, when it is billed or first mailed."}
	}
	e := components.Empty{Kind: components.NothingMatches, ClearHref: "/invoices"}
	if f.Search != "" {
		e.Filters = append(e.Filters, "“"+f.Search+"”")
	}
	if f.State != "" {
		e.Filters = append(e.Filters, invoiceTabs[f.State])
	}
	for _, c := range chips {
		e.Filters = append(e.Filters, c.Label)
	}
	return e
}
