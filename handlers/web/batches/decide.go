package batches

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Pick serves GET /batches/:id/client: a search for the client whom a row bills.
func (h *Batches) Pick(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	n, err := rowNumber(c.QueryParam("row"))
	if err != nil {
		return fault.Missing()
	}
	ctx := c.Request().Context()
	rows, err := h.Service.Rows(ctx, who, b.ID, batch.RowQuery{States: []batch.RowState{batch.Bad, batch.Ready},
		After: n - 1, Limit: 1})
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].N != n || b.State != batch.Checked {
		return fault.Missing()
	}
	r, at := rows[0], gridPlaceOf(c.QueryParams())
	view := pages.BatchPickView{Head: h.head(c, b, "check", nil), Row: strconv.Itoa(n), Name: r.Name,
		Self: words.BatchHref(b.ID, "client"), Action: words.BatchHref(b.ID, "decisions"),
		Revision: strconv.Itoa(r.Revision), Back: words.BatchHref(b.ID, "check") + at.query(), Keep: at.pairs(),
		Query: kit.PlainText(c.QueryParam("q"))}
	if !c.QueryParams().Has("q") {
		view.Query = sought(b, r)
	}
	for _, i := range gridColumns(b) {
		if i < len(r.Cells) && r.Cells[i] != "" {
			view.Says = append(view.Says, b.ColumnName(i)+": "+r.Cells[i])
		}
	}
	found, err := h.Service.Clients.List(ctx, who,
		client.Query{Text: view.Query, Ask: paging.Ask{Limit: purchases.FoundClients}})
	if err != nil {
		return err
	}
	for _, one := range found.Items {
		view.Found = append(view.Found, purchases.ClientOption(one))
	}
	return h.Desk.ShowIn(c, http.StatusOK, fmt.Sprintf("Client of row %d", n), batchesSection,
		func(f layout.Frame) templ.Component { return pages.BatchPick(f, view) })
}

// sought is what clients are searched by at first, where several are meant: the address that they share.
func sought(b batch.Batch, r batch.Row) string {
	i := b.Mapping.Column(batch.Email)
	shared := slices.ContainsFunc(r.Problems, func(p batch.Problem) bool {
		return p.Cause == batch.CauseClient &&
			p.Field == batch.Email
	})
	if !shared || i < 0 || i >= len(r.Cells) {
		return ""
	}
	return batch.Tidy(r.Cells[i])
}

// Decide serves POST /batches/:id/decisions: who is billed by the rows of a person.
func (h *Batches) Decide(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	in := batch.Choice{Decision: batch.Decision(form.Get("decision"))}
	if in.N, err = rowNumber(form.Get("n")); err != nil {
		return fault.Missing()
	}
	if in.Revision, err = rowNumber(form.Get("revision")); err != nil {
		in.Revision = -1
	}
	if text := form.Get("client_id"); text != "" {
		if in.Client, err = uuid.Parse(text); err != nil {
			return fault.Missing()
		}
	}
	_, n, err := h.Service.Decide(c.Request().Context(), access.Actor(c), b.ID, in)
	done := "A client is created when the batch is sent."
	if in.Decision == batch.BillClient {
		done = "The client is chosen."
	}
	if n > 1 {
		done += " It holds for " + plural.Of(n, "row") + " of the same person."
	}
	return h.toCheck(c, b, form, err, done)
}

// Confirm serves POST /batches/:id/amounts: unusual amounts that are right. Each value is a row and the cents that were
// seen.
func (h *Batches) Confirm(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	amounts := map[int]int64{}
	for _, text := range form["amount"] {
		row, cents, _ := strings.Cut(text, ":")
		n, errN := rowNumber(row)
		seen, errCents := strconv.ParseInt(cents, 10, 64)
		if errN != nil || errCents != nil {
			return fault.Missing()
		}
		amounts[n] = seen
	}
	_, n, err := h.Service.Confirm(c.Request().Context(), access.Actor(c), b.ID, amounts)
	return h.toCheck(c, b, form, err, plural.Of(n, "amount")+" confirmed.")
}
