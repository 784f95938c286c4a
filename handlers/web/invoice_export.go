package web

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/billing"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

var invoiceHeads = []export.Head{{Text: "Number", Width: 17}, {Text: "Client", Width: 28}, {Text: "E-mail", Width: 30}, {Text: "Total", Width: 13}, {Text: "VAT amount", Width: 13},
	{Text: "Currency", Width: 9}, {Text: "State", Width: 18}, {Text: "Issued", Width: 12}, {Text: "Due (SAST)", Width: 12}, {Text: "Mail", Width: 10}, {Text: "Mail error", Width: 32},
	{Text: "Credit note", Width: 17}}

func invoiceCells(e billing.Entry, now time.Time) []export.Cell {
	row := invoiceRow(e, now)
	var due time.Time
	if e.DueGiven {
		due = e.Due
	}
	var vat export.Cell
	if e.VATCents != nil {
		vat = export.Amount(*e.VATCents)
	}
	return []export.Cell{words(row.Number), words(row.Client), words(row.Email), export.Amount(e.TotalCents), vat, words(e.Currency), words(row.Pill.Word),
		export.Day(e.Issued), export.DayOf(due), words(row.Mail.Word), words(e.MailError), words(e.CreditNote)}
}

// Export serves GET /invoices/export.
func (h *Invoices) Export(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l, now := exportOf(c, "/invoices"), h.Desk.Now()
	f := invoiceFilter(l)
	var err error
	if f.BatchID, err = l.narrowToBatch(ctx, who, h.Batch); err != nil {
		return err
	}
	counts, err := h.Service.Counts(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, h.Exports, outgoing[billing.Entry]{
		list: "invoices", filters: l.query, refused: l.notices, found: invoicesFound(f, counts), heads: invoiceHeads,
		cells: func(e billing.Entry) []export.Cell { return invoiceCells(e, now) },
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[billing.Entry], error) {
			return h.Service.List(ctx, who, f, ask)
		},
		id: func(e billing.Entry) uuid.UUID { return e.PurchaseID },
	})
}

func invoicesFound(f billing.Filter, counts map[billing.State]int64) rowsFound {
	return foundWithin(true, f.State != "", counts[""], counts[f.State], purchase.CountLimit)
}
